#pragma once

/// The winding number at voxels' middles.
///
/// Caps over the rim make a closed surface of the open one. Its winding number N is whole, and a column's hits give it
/// exactly; what the caps add is a sum over them alone. So w = N - w(caps), and a question costs as much as the rim is
/// long, however many triangles the surface has. Where the caps would be more than a part of the surface (a soup of
/// triangles), all triangles are asked instead.

#include <optional>

#include "isochor/base/context.h"
#include "isochor/voxel/winding.h"
#include "voxel/columns.h"
#include "voxel/rim.h"

namespace isochor::voxel {

class VoxelWinding {
 public:
  VoxelWinding(const LatticeSurface& surface, const Context& context);

  /// Whether the winding number is above one half.
  bool inside(const Voxel& voxel) const;
  WindingTree::Estimate estimate(const Voxel& voxel) const;
  /// See Rim::slope_within.
  double slope_within(const Vec3& center, double radius, double limit) const {
    return rim_->slope_within(center, radius, limit);
  }

 private:
  LatticeSurface closed_;  // with caps; no triangles where `tree_` holds them all
  ColumnHits hits_;        // of closed_, along x
  std::optional<WindingTree> tree_;
  std::optional<Rim> rim_;
  double tree_sign_ = 1;  // -1 where the tree holds the caps
};

}  // namespace isochor::voxel
