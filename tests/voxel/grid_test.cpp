#include "isochor/voxel/grid.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// Morton codes go there and back, and neighbours in x, y, z are the bits 0, 1, 2.
TEST(VoxelGrid, MortonCodesGoThereAndBack) {
  EXPECT_EQ(morton_encode({1, 0, 0}), 1u);
  EXPECT_EQ(morton_encode({0, 1, 0}), 2u);
  EXPECT_EQ(morton_encode({0, 0, 1}), 4u);
  EXPECT_EQ(morton_encode({1023, 1023, 1023}), (1u << 30) - 1);
  for (std::uint32_t i = 0; i < 1024; i += 37) {
    const Voxel v = {i, (i * 7) % 1024, 1023 - i};
    EXPECT_EQ(morton_decode(morton_encode(v)), v);
  }
}

// The fitted cube holds the box with two voxels to spare along its longest side, and is centred on it.
TEST(VoxelGrid, FitsABoxWithAMargin) {
  const Box box(Vec3(-3, 1, 2), Vec3(5, 2, 4));
  const VoxelGrid grid = fit_grid(box, 64);
  EXPECT_NEAR(grid.to_grid(box.min()).x(), 2, 1e-12);
  EXPECT_NEAR(grid.to_grid(box.max()).x(), 62, 1e-12);
  EXPECT_NEAR((grid.to_grid(box.center()) - Vec3(32, 32, 32)).norm(), 0, 1e-12);
  EXPECT_NEAR((grid.to_world(grid.to_grid(Vec3(1, 2, 3))) - Vec3(1, 2, 3)).norm(), 0, 1e-12);
}

// A box without extent and no box at all give a grid that can be used.
TEST(VoxelGrid, FitsAPointAndNothing) {
  Box point;
  point.extend(Vec3(1e6, 0, -1e6));
  const VoxelGrid grid = fit_grid(point, 32);
  EXPECT_GT(grid.voxel, 0);
  EXPECT_EQ(grid.at(Vec3(1e6, 0, -1e6)), (Voxel{16, 16, 16}));
  EXPECT_GT(fit_grid(Box(), 32).voxel, 0);
}

// Points outside the cube get the nearest voxel.
TEST(VoxelGrid, PointsOutsideGetTheNearestVoxel) {
  const VoxelGrid grid = {.origin = Vec3(0, 0, 0), .voxel = 0.5, .resolution = 16};
  EXPECT_EQ(grid.at(Vec3(-3, 1.1, 100)), (Voxel{0, 2, 15}));
  EXPECT_EQ(grid.at(Vec3(0.5, 0.49, 7.99)), (Voxel{1, 0, 15}));
}

}  // namespace
}  // namespace isochor
