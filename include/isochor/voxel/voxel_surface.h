#pragma once

/// The outside of a set of voxels as a surface: what pictures of voxels show.

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/mesh/surface.h"
#include "isochor/voxel/solid.h"

namespace isochor {

struct VoxelSurface {
  Surface surface;                   ///< quads, facing outward, in the character's units; voxels share their corners
  std::vector<std::uint32_t> voxel;  // #F: the Morton code of the voxel that each quad belongs to
};

/// `voxels` are Morton codes, increasing, each once. A face between two voxels of the set is left out, so the surface
/// is closed; if voxels of the set touch in an edge or a corner only, it is not manifold.
VoxelSurface voxel_surface(const VoxelGrid& grid, std::span<const std::uint32_t> voxels);

/// Voxels low … high-1 along each axis.
struct VoxelBox {
  Voxel low = {0, 0, 0};
  Voxel high = {1, 1, 1};
};
/// Every box by itself: six quads, facing outward, on eight corners of its own; box b has the faces 6b … 6b+5. For
/// cells of different sizes.
Surface box_surface(const VoxelGrid& grid, std::span<const VoxelBox> boxes);

/// The Morton codes of all voxels of a kind, increasing; those of the exterior cannot be listed. Interior ones grow
/// with r³.
std::vector<std::uint32_t> voxels_of_kind(const VoxelSolid& solid, VoxelSolid::Kind kind);

}  // namespace isochor
