#include "isochor/voxel/octree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "isochor/voxel/bone_voxels.h"
#include "voxel/solid_shapes.h"

namespace isochor {
namespace {

using test::Kind;

struct Case {
  const char* name;
  VoxelSolid solid;
};

std::vector<Case> cases() {
  using namespace test;
  std::vector<Case> all;
  all.push_back({"ball", solid_with_skin(64, ball(31, 33, 30, 26))});
  all.push_back({"box", solid_with_skin(32, cuboid({3, 3, 3}, {29, 30, 20}))});
  all.push_back({"letter u", solid_with_skin(32, letter_u())});
  all.push_back({"whole grid", solid_without_skin(128, [](int, int, int) { return true; })});
  all.push_back({"one voxel", solid_with_skin(8, cuboid({3, 3, 3}, {4, 4, 4}))});
  all.push_back({"nothing", solid_with_skin(16, [](int, int, int) { return false; })});
  all.push_back(
      {"dust", solid_without_skin(16, [](int x, int y, int z) { return (x * 7 + y * 13 + z * 5) % 3 != 0; })});
  return all;
}

std::vector<std::uint32_t> diagonal(const VoxelGrid& grid) {
  const double r = grid.resolution;
  return voxels_of(grid, Segment{Vec3(0.3 * r, 0.3 * r, 0.35 * r), Vec3(0.6 * r, 0.5 * r, 0.4 * r)});
}

std::uint32_t volume(const OctreeCell& cell) { return 1u << (3 * cell.level); }

// Every voxel that is not exterior lies in exactly one cell, of its own kind; boundary voxels in cells of their own.
TEST(Octree, CellsPartitionTheSolid) {
  Context context;
  for (const Case& c : cases()) {
    for (const CellSizes sizes : {CellSizes::sparse, CellSizes::uniform}) {
      const Octree octree = build_octree(c.solid, diagonal(c.solid.grid), sizes, context);
      std::size_t voxels = 0;
      std::uint32_t end = 0;
      for (const OctreeCell& cell : octree.cells()) {
        ASSERT_GE(cell.code, end) << c.name;
        ASSERT_EQ(cell.code % volume(cell), 0u);
        end = cell.code + volume(cell);
        voxels += volume(cell);
        if (cell.kind == CellKind::boundary) {
          ASSERT_EQ(cell.level, 0);
        }
        const auto kind = cell.kind == CellKind::boundary ? Kind::boundary : Kind::interior;
        ASSERT_EQ(c.solid.at(morton_decode(cell.code)), kind);
        ASSERT_EQ(c.solid.at(morton_decode(end - 1)), kind);
      }
      EXPECT_EQ(voxels, c.solid.interior_count() + c.solid.boundary_count()) << c.name;
      if (sizes == CellSizes::uniform) {
        EXPECT_EQ(octree.size(), voxels);
      }
    }
  }
}

// Every voxel finds the cell that holds it; exterior ones find none.
TEST(Octree, FindsEveryVoxel) {
  Context context;
  for (const Case& c : cases()) {
    const Octree octree = build_octree(c.solid, diagonal(c.solid.grid), CellSizes::sparse, context);
    const auto r = static_cast<std::uint32_t>(c.solid.grid.resolution);
    for (std::uint32_t code = 0; code<r * r * r; code += r> 64 ? 37 : 1) {
      const Index found = octree.find(code);
      if (c.solid.at(morton_decode(code)) == Kind::exterior) {
        ASSERT_EQ(found, kNone) << c.name;
      } else {
        ASSERT_NE(found, kNone) << c.name;
        const OctreeCell& cell = octree.cell(found);
        ASSERT_EQ(code / volume(cell), cell.code / volume(cell)) << c.name;
      }
    }
  }
}

// No eight cells could be one: each cell's parent holds something exterior, boundary or a bone, or is the largest size.
TEST(Octree, CellsAreTheLargest) {
  Context context;
  for (const Case& c : cases()) {
    const auto bones = diagonal(c.solid.grid);
    const Octree octree = build_octree(c.solid, bones, CellSizes::sparse, context);
    for (const OctreeCell& cell : octree.cells()) {
      const std::uint32_t size = 8 * volume(cell);
      if (cell.level == Octree::kMaxLevel || size > static_cast<std::uint32_t>(std::pow(c.solid.grid.resolution, 3))) {
        continue;
      }
      const std::uint32_t first = cell.code / size * size;
      bool mixed = false;
      for (std::uint32_t m = first; m < first + size && !mixed; ++m) {
        mixed = c.solid.at(morton_decode(m)) != Kind::interior || std::binary_search(bones.begin(), bones.end(), m);
      }
      ASSERT_TRUE(mixed) << c.name << " " << cell.code;
    }
  }
}

// Bone voxels are cells of their own; those outside the solid make none.
TEST(Octree, BoneVoxelsAtFullDepth) {
  Context context;
  const VoxelSolid solid = test::solid_without_skin(64, test::ball(32, 32, 32, 20));
  const auto bones = voxels_of(solid.grid, Segment{Vec3(2, 32.5, 32.5), Vec3(40, 33.5, 34.5)});
  const Octree octree = build_octree(solid, bones, CellSizes::sparse, context);
  for (const std::uint32_t bone : bones) {
    const Index cell = octree.find(bone);
    if (solid.at(morton_decode(bone)) == Kind::exterior) {
      EXPECT_EQ(cell, kNone);
    } else {
      EXPECT_EQ(octree.cell(cell).level, 0);
      EXPECT_EQ(octree.cell(cell).code, bone);
    }
  }
}

/// Two boxes that touch and do not overlap.
bool touch(const Octree& octree, Index a, Index b) {
  const Vec3 apart = (octree.centre(a) - octree.centre(b)).cwiseAbs();
  const double reach = 0.5 * ((1 << octree.cell(a).level) + (1 << octree.cell(b).level));
  return a != b && apart.maxCoeff() <= reach;
}

// Neighbours are exactly the cells that touch, whatever their sizes.
TEST(Octree, NeighboursTouch) {
  Context context;
  const VoxelSolid solid = test::solid_with_skin(32, test::ball(15, 16, 17, 12));
  const Octree octree = build_octree(solid, diagonal(solid.grid), CellSizes::sparse, context);
  std::vector<Index> found;
  for (Index a = 0; a < static_cast<Index>(octree.size()); a += 5) {
    std::vector<Index> expected;
    for (Index b = 0; b < static_cast<Index>(octree.size()); ++b) {
      if (touch(octree, a, b)) expected.push_back(b);
    }
    octree.neighbours(a, found);
    ASSERT_EQ(found, expected) << a;
  }
}

// Twice the resolution: about four times the bytes, where the uniform grid takes eight times.
TEST(Octree, MemoryGrowsWithTheSurface) {
  Context context;
  std::array<double, 2> sparse = {};
  std::array<double, 2> uniform = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Index r = i == 0 ? 64 : 128;
    const VoxelSolid solid = test::solid_with_skin(r, test::ball(0.5 * r, 0.5 * r, 0.5 * r, 0.45 * r));
    sparse[i] = static_cast<double>(build_octree(solid, {}, CellSizes::sparse, context).memory());
    uniform[i] = static_cast<double>(build_octree(solid, {}, CellSizes::uniform, context).memory());
  }
  EXPECT_LT(sparse[1] / sparse[0], 4.6);
  EXPECT_GT(uniform[1] / uniform[0], 6.5);
}

// The same cells for one thread and two, and for bone voxels in any order, with repeats.
TEST(Octree, SameForAnyThreadsAndOrder) {
  const VoxelSolid solid = test::solid_with_skin(64, test::ball(31, 33, 30, 26));
  auto bones = diagonal(solid.grid);
  Context one(1);
  Context two(2);
  const Octree a = build_octree(solid, bones, CellSizes::sparse, one);
  std::reverse(bones.begin(), bones.end());
  bones.push_back(bones.front());
  const Octree b = build_octree(solid, bones, CellSizes::sparse, two);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a.cells()[i].code, b.cells()[i].code);
    ASSERT_EQ(a.cells()[i].level, b.cells()[i].level);
    ASSERT_EQ(a.cells()[i].kind, b.cells()[i].kind);
  }
}

}  // namespace
}  // namespace isochor
