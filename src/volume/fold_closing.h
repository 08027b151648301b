#pragma once

/// What skin has lost by sliding and by being held back is made up for by skin around the same place of its limb.

#include "volume/fold_flow.h"

namespace isochor::volume {

struct FoldClosingBuffers {
  explicit FoldClosingBuffers(const FoldPlan& plan, std::size_t vertex_count);

  std::vector<double> lost;         // by region of the component and place in it: volume
  std::vector<double> region_lost;  // by region of the component: the mean length
  // By place in the zone.
  std::vector<double> height;          // how far it goes, against others
  std::vector<Vec3> whole_way;         // to where the volume is closed
  std::vector<Index> moving;           // places that are not where the correction put them
  std::vector<Index> rings;            // around these
  std::vector<char> met;               // by ring
  std::vector<double> ring_volume;     // by ring
  std::vector<Vec3> ring_area;         // by ring: area vectors
  std::vector<Vec3> direction;         // #V, zero but where it is used
  std::vector<Index> gives;            // vertices that go a height
  std::vector<Vec3> closing, at_rest;  // #V: along what these go: of length 1, or less
};

/// Of each region, by place between the joint and the ends of its region.
std::vector<double> find_bin_areas(const TogetherPlan& plan);

/// Writes where the skin of the zone arrives into `out`, with the component's volume as it was: the skin goes its way,
/// slowed down if `slows`, and a cubic closes the volume. False if that cannot be; then it comes as near as it may.
bool arrive(const FoldInput& in, const FoldPlan& plan, bool slows, FlowBuffers& flowing, FoldClosingBuffers& buffers,
            FoldZone& zone, CorrectedFrame& out);

}  // namespace isochor::volume
