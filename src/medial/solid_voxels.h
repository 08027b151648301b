#pragma once

/// The voxels of a solid in a list, each with the point of the surface that is nearest to its centre. Lengths are in
/// voxels, from the grid's lowest corner.

#include <array>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/mesh/surface.h"
#include "isochor/voxel/solid.h"
#include "isochor/voxel/winding.h"

namespace isochor {

/// How deep a voxel lies: 0 if it touches (in a face, an edge or a corner) one outside, 1 if it touches one of depth 0,
/// 2 otherwise.
using VoxelDepth = std::uint8_t;

struct SolidVoxels {
  VoxelGrid grid;
  std::size_t side = 0;               ///< of the dense array: the resolution and one more on each side
  std::vector<Index> at;              ///< side³: the voxel's place in the list, kNone outside
  std::vector<std::size_t> cell;      // #N: place in the dense array, increasing
  std::vector<VoxelDepth> depth;      // #N
  std::vector<Vec3> nearest;          // #N: the nearest point of the surface
  std::vector<TriangleCorners> skin;  ///< the surface

  std::size_t size() const { return cell.size(); }
  Vec3 centre(std::size_t i) const {
    const std::size_t x = cell[i] % side, y = cell[i] / side % side, z = cell[i] / (side * side);
    return Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)) - Vec3::Constant(0.5);
  }
  /// The voxel that holds a point of the grid; kNone outside.
  Index holding(const Vec3& p) const {
    const auto along = [](double x) { return static_cast<std::size_t>(x + 1); };
    return at[along(p.x()) + side * (along(p.y()) + side * along(p.z()))];
  }
  double distance(std::size_t i) const { return (centre(i) - nearest[i]).norm(); }
  /// The 26 neighbours of a cell of the dense array; the second half are those that come after it.
  std::array<std::ptrdiff_t, 26> steps() const;
};

/// The surface counts where it touches the outside; where none does, as in the holes of an open mesh, the faces between
/// inside and outside do.
SolidVoxels list_voxels(const Surface& surface, const VoxelSolid& solid, Context& context);

}  // namespace isochor
