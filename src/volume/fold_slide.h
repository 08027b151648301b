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
  std::vector<char> spent;           // what is left of its motion is lost in rounding
  std::vector<Vec3> at, wish, step;  // where it is; what its faces wish, and how far it went, in a round
  std::vector<Vec3> slid, slid_offset;
  std::vector<double> limit;
  std::vector<RestCarrier> carriers;
  std::vector<char> wishes;  // by face
};

/// From zone.wanted to zone.way, and the same for offsets, around the faces that the zone has; adds those that come
/// near their limits on the way. Every step is continuous in the pose.
void slide(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, SlideBuffers& buffers, FoldZone& zone);

}  // namespace isochor::volume
