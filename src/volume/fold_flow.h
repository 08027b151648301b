#pragma once

/// The skin goes the way to its corrected place in small steps, the slower the nearer a face around it comes to its
/// limits: dx/dτ = φ(x) d, with φ continuous and 0 where a face is at its limit. No face passes it, and all of it is
/// continuous in the pose.

#include "volume/fold_zone.h"

namespace isochor::volume {

struct FlowBuffers {
  std::vector<Index> slowing;  // faces of the zone that may slow their corners down
  std::vector<char> known;     // by face: looked at
  std::vector<char> slows;     // by face: one of them
  std::vector<Index> reached;  // places, in the order of how far they are from these faces
  std::vector<double> far;     // by place
  std::vector<std::pair<double, Index>> queue;

  // Vertices numbered as in `reached`: corners of slowing faces come first.
  std::vector<Index> number;            // by place, or kNone
  std::vector<Index> next_begin, next;  // neighbours
  std::vector<double> way;
  std::vector<double> gone, speed, last_speed;
  std::vector<Index> slower;                 // whose neighbours have not followed yet
  std::vector<Index> corner_begin, corners;  // of the slowing faces
  std::size_t corner_count = 0;              // vertices that are one
  std::vector<Vec3> from, to, at, ahead;     // of these; ahead is where the step ends
  std::vector<char> changed;                 // of these: that is elsewhere than in the last pass
  // Of the slowing faces.
  std::vector<double> margin, margin_ahead, largest_loss, permitted;
};

/// Finds the faces that can slow the skin down, and how far that is felt: with its faces it is in the zone then. False
/// if there is none. `also` are faces of the zone that do for other reasons.
bool find_slowing(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, std::span<const Index> also,
                  FlowBuffers& buffers, FoldZone& zone);

/// Writes zone.free where find_slowing() has reached. `whole_way` is by place.
void flow(std::span<const Vec3> whole_way, FlowBuffers& buffers, FoldZone& zone);

}  // namespace isochor::volume
