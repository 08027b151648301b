#pragma once

/// The voxels that an influence occupies: a point, a bone's segment, a filled ellipsoid or an oriented box.
/// A voxel counts as a closed cube that is a millionth of its edge larger on every side: what lies on the face between
/// two voxels, as the spine of a symmetric character does, occupies both, so that mirrored input gives mirrored voxels.

#include <cstdint>
#include <vector>

#include "isochor/voxel/grid.h"

namespace isochor {

/// Positions are in the character's units.
struct Segment {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
};

/// { centre + half_axes · x : |x| ≤ 1 }. The columns are perpendicular; some may be zero.
struct OrientedEllipsoid {
  Vec3 centre = Vec3::Zero();
  Mat3 half_axes = Mat3::Identity();
};

/// { centre + half_axes · x : every |x_i| ≤ 1 }. The columns are perpendicular; some may be zero.
struct OrientedBox {
  Vec3 centre = Vec3::Zero();
  Mat3 half_axes = Mat3::Identity();
};

/// Morton codes of the voxels that the shape touches, increasing. Parts outside the grid's cube are left out: a shape
/// wholly outside gives none. Exact (no sampling), however long or thin the shape.
std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const Vec3& point);
std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const Segment& segment);
std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const OrientedEllipsoid& ellipsoid);
std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const OrientedBox& box);

}  // namespace isochor
