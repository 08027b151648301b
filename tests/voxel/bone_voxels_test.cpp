#include "isochor/voxel/bone_voxels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace isochor {
namespace {

VoxelGrid unit_grid(Index resolution) { return {.origin = Vec3::Zero(), .voxel = 1, .resolution = resolution}; }

std::uint32_t code(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return morton_encode({x, y, z}); }

/// A small fixed generator.
class Numbers {
 public:
  double next(double lo, double hi) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return lo + (hi - lo) * static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  Vec3 point(double lo, double hi) {
    const double x = next(lo, hi);
    const double y = next(lo, hi);
    return {x, y, next(lo, hi)};
  }

 private:
  std::uint64_t state_ = 7;
};

/// Voxels that hold one of many points of a shape: each must be among those found.
template <class Shape, class At>
void expect_covers(const VoxelGrid& grid, const Shape& shape, int points, At&& at) {
  const auto found = voxels_of(grid, shape);
  ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
  ASSERT_TRUE(std::adjacent_find(found.begin(), found.end()) == found.end());
  Numbers numbers;
  for (int i = 0; i < points; ++i) {
    const Vec3 p = at(numbers);
    const Vec3 g = grid.to_grid(p);
    if (g.minCoeff() < 0 || g.maxCoeff() >= grid.resolution) continue;
    ASSERT_TRUE(std::binary_search(found.begin(), found.end(), morton_encode(grid.at(p)))) << p.transpose();
  }
}

// A point has the voxel that holds it; on a face both sides, on a corner all eight.
TEST(BoneVoxels, Point) {
  const VoxelGrid grid = unit_grid(16);
  EXPECT_EQ(voxels_of(grid, Vec3(3.5, 4.25, 5.75)), std::vector{code(3, 4, 5)});
  EXPECT_EQ(voxels_of(grid, Vec3(4, 4.25, 5.75)).size(), 2u);
  EXPECT_EQ(voxels_of(grid, Vec3(4, 5, 6)).size(), 8u);
  EXPECT_TRUE(voxels_of(grid, Vec3(-1, 5, 6)).empty());
  EXPECT_EQ(voxels_of(grid, Vec3(16, 15.5, 15.5)), std::vector{code(15, 15, 15)});
}

// A segment along an axis has the voxels in a row; one that lies in a face those on both sides.
TEST(BoneVoxels, SegmentAlongAxis) {
  const VoxelGrid grid = unit_grid(16);
  const auto row = voxels_of(grid, Segment{Vec3(2.5, 3.5, 4.5), Vec3(9.5, 3.5, 4.5)});
  ASSERT_EQ(row.size(), 8u);
  for (std::uint32_t x = 2; x <= 9; ++x) EXPECT_TRUE(std::binary_search(row.begin(), row.end(), code(x, 3, 4)));
  EXPECT_EQ(voxels_of(grid, Segment{Vec3(2.5, 3, 4.5), Vec3(9.5, 3, 4.5)}).size(), 16u);
}

// The diagonal through corners takes the voxels it passes through and those it touches at the corners.
TEST(BoneVoxels, SegmentThroughCorners) {
  const auto found = voxels_of(unit_grid(8), Segment{Vec3(0.5, 0.5, 0.5), Vec3(2.5, 2.5, 2.5)});
  EXPECT_EQ(found.size(), 3u + 2u * 6u);
}

// No voxel of a segment is left out, and each is near it: no sampling.
TEST(BoneVoxels, SegmentIsExact) {
  const VoxelGrid grid{.origin = Vec3(-3, 2, 1), .voxel = 0.37, .resolution = 32};
  Numbers numbers;
  for (int i = 0; i < 50; ++i) {
    const Segment s{numbers.point(-4, 9), numbers.point(-4, 14)};
    expect_covers(grid, s, 2000, [&](Numbers& n) -> Vec3 { return s.a + n.next(0, 1) * (s.b - s.a); });
    for (const std::uint32_t found : voxels_of(grid, s)) {
      const Voxel v = morton_decode(found);
      const Vec3 c = grid.to_world(Vec3(v[0] + 0.5, v[1] + 0.5, v[2] + 0.5));
      const Vec3 d = s.b - s.a;
      const double t = std::clamp((c - s.a).dot(d) / d.squaredNorm(), 0.0, 1.0);
      ASSERT_LE((s.a + t * d - c).norm(), 0.37 * (std::sqrt(0.75) + 1e-5));
    }
  }
}

// Mirrored segments have mirrored voxels, also where they run in the plane of the mirror.
TEST(BoneVoxels, MirrorImages) {
  const VoxelGrid grid = unit_grid(32);
  const auto mirror = [](const Vec3& p) { return Vec3(32 - p.x(), p.y(), p.z()); };
  Numbers numbers;
  for (int i = 0; i < 60; ++i) {
    Segment s{numbers.point(1, 31), numbers.point(1, 31)};
    if (i % 3 == 0) s.a.x() = s.b.x() = 16;
    if (i % 3 == 1) s.a.x() = 16 + 1e-12;
    std::set<std::uint32_t> expected;
    for (const std::uint32_t found : voxels_of(grid, s)) {
      const Voxel v = morton_decode(found);
      expected.insert(code(31 - v[0], v[1], v[2]));
    }
    const auto found = voxels_of(grid, Segment{mirror(s.a), mirror(s.b)});
    EXPECT_EQ(std::set<std::uint32_t>(found.begin(), found.end()), expected);
  }
}

// A segment without length is a point; a segment outside has no voxels; one that comes in has those inside.
TEST(BoneVoxels, DegenerateSegments) {
  const VoxelGrid grid = unit_grid(16);
  EXPECT_EQ(voxels_of(grid, Segment{Vec3(3.5, 4.25, 5.75), Vec3(3.5, 4.25, 5.75)}), std::vector{code(3, 4, 5)});
  EXPECT_TRUE(voxels_of(grid, Segment{Vec3(-3, -4, 5), Vec3(-1, 20, 5)}).empty());
  EXPECT_EQ(voxels_of(grid, Segment{Vec3(-50, 4.5, 5.5), Vec3(2.5, 4.5, 5.5)}).size(), 3u);
}

// An ellipsoid has every voxel it touches and none that it does not: compared with the distance of a ball.
TEST(BoneVoxels, BallIsExact) {
  const VoxelGrid grid = unit_grid(32);
  const Vec3 c(15.3, 14.9, 16.2);
  const double radius = 6.4;
  const auto found = voxels_of(grid, OrientedEllipsoid{c, radius * Mat3::Identity()});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t m = 0; m < 32 * 32 * 32; ++m) {
    const Voxel v = morton_decode(m);
    const Vec3 low(v[0], v[1], v[2]);
    const Vec3 nearest = c.cwiseMax(low).cwiseMin(low + Vec3::Ones());
    if ((nearest - c).norm() <= radius) expected.push_back(m);
  }
  EXPECT_EQ(found, expected);
}

Mat3 turned(const Vec3& lengths) {
  const Mat3 r = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  return r * lengths.asDiagonal();
}

// Turned, long, flat and thin ones leave no voxel out.
TEST(BoneVoxels, EllipsoidsCover) {
  const VoxelGrid grid{.origin = Vec3(-2, -2, -2), .voxel = 0.25, .resolution = 32};
  for (const Vec3& lengths : {Vec3(2, 1, 0.5), Vec3(3, 0.1, 0.05), Vec3(2, 0, 1), Vec3(2, 0, 0), Vec3(0, 0, 0)}) {
    const OrientedEllipsoid e{Vec3(2, 2.1, 1.9), turned(lengths)};
    expect_covers(grid, e, 20000, [&](Numbers& n) -> Vec3 {
      Vec3 x = n.point(-1, 1);
      if (x.norm() > 1) x.normalize();
      return e.centre + e.half_axes * x;
    });
  }
}

// A turned box has the voxels of its points; an upright one just those that it overlaps.
TEST(BoneVoxels, Boxes) {
  const VoxelGrid grid{.origin = Vec3(-2, -2, -2), .voxel = 0.25, .resolution = 32};
  for (const Vec3& lengths : {Vec3(2, 1, 0.5), Vec3(3, 0.1, 0.05), Vec3(2, 0, 1), Vec3(0, 0, 0)}) {
    const OrientedBox b{Vec3(2, 2.1, 1.9), turned(lengths)};
    expect_covers(grid, b, 20000, [&](Numbers& n) -> Vec3 { return b.centre + b.half_axes * n.point(-1, 1); });
  }
  const Mat3 half = Vec3(1.5, 1, 0.5).asDiagonal();
  const auto upright = voxels_of(unit_grid(16), OrientedBox{Vec3(4.75, 5.25, 6.25), half});
  EXPECT_EQ(upright.size(), 4u * 3u * 2u);
}

}  // namespace
}  // namespace isochor
