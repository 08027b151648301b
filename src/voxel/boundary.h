#pragma once

/// The voxels that the surface touches.

#include <vector>

#include "isochor/base/context.h"
#include "isochor/voxel/solid.h"
#include "voxel/lattice.h"

namespace isochor::voxel {

struct BoundaryMarks {
  std::vector<Brick> bricks;   ///< those with at least one boundary voxel, ordered by code, `interior` empty
  std::size_t peak_bytes = 0;  ///< held while they were made
};

/// A closed voxel belongs to the boundary where it touches a closed triangle of the lattice surface.
BoundaryMarks mark_boundary(const LatticeSurface& surface, const Context& context);

}  // namespace isochor::voxel
