#include "isochor/voxel/voxel_surface.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isochor/mesh/topology.h"
#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

const VoxelGrid kGrid{.origin = Vec3(10, 20, 30), .voxel = 0.5, .resolution = 16};

std::vector<std::uint32_t> sorted(std::vector<Voxel> voxels) {
  std::vector<std::uint32_t> codes;
  for (const Voxel& v : voxels) codes.push_back(morton_encode(v));
  std::sort(codes.begin(), codes.end());
  return codes;
}

// One voxel is a closed cube in its place, faces outward; also at the corner of the grid.
TEST(VoxelSurface, OneVoxel) {
  for (const Voxel voxel : {Voxel{3, 4, 5}, Voxel{0, 0, 0}, Voxel{15, 15, 15}}) {
    const VoxelSurface one = voxel_surface(kGrid, sorted({voxel}));
    ASSERT_EQ(one.surface.face_count(), 6u);
    EXPECT_EQ(one.surface.vertex_count(), 8u);
    EXPECT_EQ(one.voxel, std::vector<std::uint32_t>(6, morton_encode(voxel)));
    const Topology topology = analyse(one.surface);
    ASSERT_EQ(topology.components.size(), 1u);
    EXPECT_TRUE(topology.components[0].closed && topology.components[0].oriented);
    EXPECT_NEAR(signed_volume(one.surface, topology.components[0]), 0.125, 1e-12);
    const Box box = bounding_box(one.surface.positions);
    const Vec3 low = kGrid.to_world(Vec3(voxel[0], voxel[1], voxel[2]));
    EXPECT_LT((box.min() - low).norm(), 1e-12);
    EXPECT_LT((box.max() - low - Vec3::Constant(0.5)).norm(), 1e-12);
  }
}

// Faces between voxels of the set are left out: a block of 2 × 3 × 4 voxels is closed and has its own outside alone.
TEST(VoxelSurface, Block) {
  std::vector<Voxel> block;
  for (std::uint32_t i = 0; i < 24; ++i) block.push_back({7 + i % 2, 6 + i / 2 % 3, 5 + i / 6});
  const VoxelSurface result = voxel_surface(kGrid, sorted(block));
  EXPECT_EQ(result.surface.face_count(), 2u * (2 * 3 + 3 * 4 + 4 * 2));
  const Topology topology = analyse(result.surface);
  ASSERT_EQ(topology.components.size(), 1u);
  EXPECT_TRUE(topology.components[0].closed && topology.components[0].manifold && topology.components[0].oriented);
  EXPECT_NEAR(signed_volume(result.surface, topology.components[0]), 24 * 0.125, 1e-12);
}

TEST(VoxelSurface, Nothing) { EXPECT_EQ(voxel_surface(kGrid, {}).surface.face_count(), 0u); }

// Boxes of any size, each closed by itself, also where they touch.
TEST(VoxelSurface, Boxes) {
  const VoxelBox boxes[] = {{{0, 0, 0}, {4, 4, 4}}, {{4, 0, 0}, {5, 1, 2}}};
  const Surface surface = box_surface(kGrid, boxes);
  EXPECT_EQ(surface.face_count(), 12u);
  EXPECT_EQ(surface.vertex_count(), 16u);
  const Topology topology = analyse(surface);
  ASSERT_EQ(topology.components.size(), 2u);
  EXPECT_NEAR(signed_volume(surface, topology.components[0]), 64 * 0.125, 1e-12);
  EXPECT_NEAR(signed_volume(surface, topology.components[1]), 2 * 0.125, 1e-12);
}

// All voxels of a kind, those of whole bricks among them, in order, as the solid itself says.
TEST(VoxelSurface, VoxelsOfKind) {
  VoxelSolid solid;
  solid.grid = kGrid;
  Brick brick;
  brick.code = 0;
  brick.boundary[0] = 0b101;
  brick.interior[7] = 1ull << 63;
  Brick last = brick;
  last.code = 7;
  solid.bricks = {brick, last};
  solid.interior_bricks = {3};
  const auto boundary = voxels_of_kind(solid, VoxelSolid::Kind::boundary);
  const auto interior = voxels_of_kind(solid, VoxelSolid::Kind::interior);
  EXPECT_EQ(boundary, (std::vector<std::uint32_t>{0, 2, 7 * 512, 7 * 512 + 2}));
  EXPECT_EQ(interior.size(), 512u + 2);
  EXPECT_TRUE(std::is_sorted(interior.begin(), interior.end()));
  for (const std::uint32_t code : interior) EXPECT_EQ(solid.at(morton_decode(code)), VoxelSolid::Kind::interior);
  for (const std::uint32_t code : boundary) EXPECT_EQ(solid.at(morton_decode(code)), VoxelSolid::Kind::boundary);
  EXPECT_TRUE(voxels_of_kind(solid, VoxelSolid::Kind::exterior).empty());
}

}  // namespace
}  // namespace isochor
