#pragma once

/// Doubtful voxels decided by the winding number, with as few questions as can be.

#include "isochor/voxel/solid.h"
#include "voxel/voxel_winding.h"

namespace isochor::voxel {

/// Sets the `interior` bits of those doubtful voxels of the brick whose middle has a winding number above one half.
/// Where no surface lies between voxels and the rim is far, one question settles them together. Returns the number of
/// questions.
std::int64_t decide_doubtful(Brick& brick, const BrickBits& doubtful, const VoxelWinding& winding);

}  // namespace isochor::voxel
