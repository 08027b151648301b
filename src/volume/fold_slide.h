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
  std::vector<double> limit;  // 0 where it may not slide
  std::vector<double> still;  // squared: it rests if it moves by less
  std::vector<Vec3> slope;    // by corner of a face
  std::vector<RestCarrier> carriers;
  std::vector<double> travelled;  // how far it has gone, all steps together
  // By face: whether it wishes anything; and if not, how far its corners travel, all together, before it may.
  std::vector<char> wishes;
  std::vector<double> content;
};

/// From zone.wanted to zone.way, and the same for offsets, around the faces that the zone has; adds those that come
/// near their limits on the way. Every step is continuous in the pose.
void slide(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, SlideBuffers& buffers, FoldZone& zone);

}  // namespace isochor::volume
