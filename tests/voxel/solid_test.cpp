#include "isochor/voxel/solid.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

/// A mixed brick at (1, 0, 0) with boundary voxel (8, 0, 0) and interior voxel (9, 7, 3); a full brick at (0, 1, 0).
VoxelSolid example() {
  VoxelSolid solid;
  solid.grid.resolution = 16;
  Brick brick;
  brick.code = morton_encode({1, 0, 0});
  brick.boundary[0] = 1;
  const std::uint32_t bit = morton_encode({1, 7, 3});
  brick.interior[bit >> 6] = std::uint64_t{1} << (bit & 63);
  solid.bricks.push_back(brick);
  solid.interior_bricks.push_back(morton_encode({0, 1, 0}));
  return solid;
}

// A voxel's kind is read from the bits of its brick, from the list of full bricks, or is exterior.
TEST(VoxelSolid, TellsAVoxelsKind) {
  const VoxelSolid solid = example();
  EXPECT_EQ(solid.at({8, 0, 0}), VoxelSolid::Kind::boundary);
  EXPECT_EQ(solid.at({9, 7, 3}), VoxelSolid::Kind::interior);
  EXPECT_EQ(solid.at({9, 0, 0}), VoxelSolid::Kind::exterior);
  EXPECT_EQ(solid.at({7, 15, 0}), VoxelSolid::Kind::interior);
  EXPECT_EQ(solid.at({15, 15, 15}), VoxelSolid::Kind::exterior);
}

// Counts add the bits of mixed bricks and 512 for each full one.
TEST(VoxelSolid, CountsVoxels) {
  const VoxelSolid solid = example();
  EXPECT_EQ(solid.boundary_count(), 1u);
  EXPECT_EQ(solid.interior_count(), 513u);
  EXPECT_GE(solid.memory(), sizeof(Brick) + sizeof(std::uint32_t));
  EXPECT_EQ(VoxelSolid{}.interior_count(), 0u);
}

}  // namespace
}  // namespace isochor
