#pragma once

/// Corners of faces that a displacement would bring near turning over slide apart: mostly along the skin, and by
/// little.

#include "volume/fold_zone.h"

namespace isochor::volume {

/// By place in the zone.
struct SlideBuffers {
  std::vector<char> active;          // its faces are all known
  std::vector<Index> actives;        // in the order in which they were met
  std::vector<char> moved;           // in the last round
  std::vector<Vec3> at, wish, step;  // where it is; what its faces wish, and how far it went, in a round
  std::vector<Vec3> start, slid;     // where it was, and how far it has gone, before it gives way to its limit
  std::vector<double> per_limit;     // one over the squared limit; 0 where it may not slide
  std::vector<double> still;         // squared: it rests if it moves by less
  std::vector<double> travelled;     // how far it has gone, all steps together
  double reach = 0;                  // how far any has gone at most: the longest steps of all rounds together
  std::vector<Vec3> slope;           // by corner of a face
  // By face: how far its corners travel, all together, before it may wish anything; and the reach before which they
  // have not, less than 0 for a face that wishes something.
  std::vector<double> content, wakes;
};

/// From zone.wanted to zone.way, and the same for offsets, around the faces that the zone has; adds those that come
/// near their limits on the way. Every step is continuous in the pose.
void slide(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, SlideBuffers& buffers, FoldZone& zone);

}  // namespace isochor::volume
