#pragma once

/// The cube of voxels around a mesh, and Morton codes for its voxels.

#include <array>
#include <cstdint>
#include <span>

#include "isochor/base/types.h"

namespace isochor {

/// Voxel coordinates, 0 … resolution-1 in each axis.
using Voxel = std::array<std::uint32_t, 3>;

/// r × r × r voxels over a cube. `resolution` is a power of two, 8 … 1024.
struct VoxelGrid {
  Vec3 origin = Vec3::Zero();  ///< the cube's lowest corner, in the character's units
  double voxel = 1;            ///< a voxel's edge length, in the same units
  Index resolution = 8;

  /// In units of voxels from the lowest corner: voxel (i, j, k) is [i, i+1) × [j, j+1) × [k, k+1).
  Vec3 to_grid(const Vec3& p) const { return (p - origin) / voxel; }
  Vec3 to_world(const Vec3& g) const { return origin + voxel * g; }
  /// The voxel that holds a point; points outside the cube get the nearest voxel.
  Voxel at(const Vec3& p) const;
};

/// The cube around a box, with a margin of two voxels on each side, so that what touches the surface never touches
/// the cube's faces. Positions are taken relative to the box's centre, so that far from the origin nothing is lost.
VoxelGrid fit_grid(const Box& box, Index resolution);

/// Bits interleaved x, y, z from the lowest: child 0 is the low corner, child 1 its neighbour in +x.
std::uint32_t morton_encode(const Voxel& voxel);
Voxel morton_decode(std::uint32_t code);

}  // namespace isochor
