#pragma once

/// A solid made of voxels: which are crossed by the surface, which lie inside. Memory follows the surface: space is cut
/// into bricks of 8 × 8 × 8 voxels, of which only those that the surface passes through (or that are mixed for any
/// other reason) hold bits; bricks wholly inside are a code alone, bricks wholly outside are nothing.

#include <array>
#include <cstdint>
#include <vector>

#include "isochor/voxel/grid.h"

namespace isochor {

/// 512 bits, one per voxel, in Morton order inside the brick: so each aligned byte is a cell of 2³ voxels, each word
/// one of 4³.
using BrickBits = std::array<std::uint64_t, 8>;

struct Brick {
  std::uint32_t code = 0;  ///< Morton code of the brick's own coordinates (voxel coordinates / 8)
  BrickBits boundary = {};
  BrickBits interior = {};  ///< never set where `boundary` is
};

struct VoxelSolid {
  VoxelGrid grid;
  std::vector<Brick> bricks;                   ///< mixed ones, ordered by code
  std::vector<std::uint32_t> interior_bricks;  ///< wholly interior ones, increasing, disjoint from `bricks`

  enum class Kind : std::uint8_t { exterior, interior, boundary };
  /// By binary search: for tests, pictures and single questions.
  Kind at(const Voxel& voxel) const;
  std::size_t boundary_count() const;
  std::size_t interior_count() const;
  /// Bytes held.
  std::size_t memory() const;
};

}  // namespace isochor
