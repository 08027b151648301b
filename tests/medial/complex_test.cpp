#include "isochor/medial/complex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"
#include "isochor/voxel/voxelize.h"
#include "voxel/solids.h"

namespace isochor {
namespace {

struct Found {
  MedialComplex complex;
  Medial medial;
  double voxel = 1;
  VoxelSolid solid;
};

Found medial_of(const Surface& surface, Index resolution, int threads = 2, const MedialOptions& options = {}) {
  Context context(threads);
  Found found;
  found.solid = voxelize(surface, fit_grid(bounding_box(surface.positions), resolution), {}, context).solid;
  found.medial = medial_complex(surface, found.solid, options, context);
  found.complex = found.medial.complex;
  found.voxel = found.solid.grid.voxel;
  return found;
}

/// The farthest that a point of the surface lies inside or outside of the complex's balls, in voxels.
double reconstruction_error(const Found& found, const Surface& surface) {
  std::vector<Vec3> points = surface.positions;
  for (const auto& t : triangulate(surface).triangles) {
    points.push_back((surface.positions[t[0]] + surface.positions[t[1]] + surface.positions[t[2]]) / 3);
  }
  double most = 0;
  for (const double d : distances_to_balls(found.complex, points, Context(2))) most = std::max(most, std::abs(d));
  return most / found.voxel;
}

Surface capsule(double half_length, double radius) {
  Surface s = test::ball(Vec3::Zero(), radius, 64, 48);
  for (Vec3& p : s.positions) p.z() += p.z() > 1e-9 ? half_length : -half_length;
  return s;
}

Surface turned(Surface s) {
  const Eigen::AngleAxisd turn(0.7, Vec3(1, 2, 3).normalized());
  for (Vec3& p : s.positions) p = turn * p;
  return s;
}

Index piece_count(const MedialComplex& complex) {
  const auto piece = pieces(complex);
  return piece.empty() ? 0 : *std::max_element(piece.begin(), piece.end()) + 1;
}

// A ball is one point: its centre and its radius, within a voxel.
TEST(MedialComplex, BallIsAPoint) {
  for (const Index resolution : {32, 64, 128}) {
    const Surface surface = test::ball(Vec3(1, 2, 3), 2, 96, 64);
    const Found found = medial_of(surface, resolution);
    ASSERT_EQ(found.complex.vertex_count(), 1u) << resolution;
    EXPECT_EQ(found.complex.points.size(), 1u);
    EXPECT_LT((found.complex.positions[0] - Vec3(1, 2, 3)).norm(), found.voxel) << resolution;
    EXPECT_NEAR(found.complex.radii[0], 2, found.voxel) << resolution;
    EXPECT_LT(reconstruction_error(found, surface), 1.5) << resolution;
  }
}

// A capsule is its axis from end to end, within a voxel, as segments of the same radius; also one that lies askew.
TEST(MedialComplex, CapsuleIsItsAxis) {
  const Eigen::AngleAxisd turn(0.7, Vec3(1, 2, 3).normalized());
  for (const bool askew : {false, true}) {
    const Surface surface = askew ? turned(capsule(1.5, 0.5)) : capsule(1.5, 0.5);
    const Found found = medial_of(surface, 128);
    EXPECT_TRUE(found.complex.points.empty());
    EXPECT_TRUE(found.complex.triangles.empty());
    ASSERT_GE(found.complex.segments.size(), 5u);
    EXPECT_EQ(found.complex.segments.size() + 1, found.complex.vertex_count());
    EXPECT_EQ(piece_count(found.complex), 1);
    double low = 0, high = 0;
    for (std::size_t v = 0; v < found.complex.vertex_count(); ++v) {
      const Vec3 p = askew ? Vec3(turn.inverse() * found.complex.positions[v]) : found.complex.positions[v];
      EXPECT_LT(p.head<2>().norm(), found.voxel);
      EXPECT_NEAR(found.complex.radii[v], 0.5, found.voxel);
      low = std::min(low, p.z());
      high = std::max(high, p.z());
    }
    EXPECT_NEAR(low, -1.5, 2 * found.voxel);
    EXPECT_NEAR(high, 1.5, 2 * found.voxel);
    EXPECT_LT(reconstruction_error(found, surface), 2.5);
  }
}

// A box is its roofs: every vertex is equally far from two sides, and that far is its radius. The balls give the box
// back but for its corners, whose branches are pruned where they have less than three voxels.
TEST(MedialComplex, BoxIsItsRoofs) {
  const Vec3 half(2, 1.2, 0.8);
  const Surface surface = test::box(-half, half);
  const Found found = medial_of(surface, 128);
  EXPECT_EQ(piece_count(found.complex), 1);
  EXPECT_GT(found.complex.triangles.size(), 100u);
  bool sheet = false;
  for (std::size_t v = 0; v < found.complex.vertex_count(); ++v) {
    std::array<double, 3> depth;
    for (int a = 0; a < 3; ++a) depth[a] = half[a] - std::abs(found.complex.positions[v][a]);
    // Opposite sides are equally far in the middle sheet.
    const double middle = std::abs(found.complex.positions[v].z());
    std::sort(depth.begin(), depth.end());
    EXPECT_LT(std::min(depth[1] - depth[0], middle), found.voxel);
    EXPECT_NEAR(found.complex.radii[v], depth[0], found.voxel);
    sheet = sheet || middle < 0.5 * found.voxel;
  }
  EXPECT_TRUE(sheet);
  EXPECT_LT(reconstruction_error(found, surface), 3);
  EXPECT_LT(reconstruction_error(medial_of(turned(surface), 128), turned(surface)), 3.5);
}

// A higher angle prunes the roofs of a box and leaves its middle sheet.
TEST(MedialComplex, AnglePrunes) {
  const Vec3 half(2, 1.2, 0.4);
  const Found found = medial_of(test::box(-half, half), 128, 2, {.angle = 110});
  for (const Vec3& p : found.complex.positions) EXPECT_LT(std::abs(p.z()), found.voxel);
  EXPECT_GT(found.complex.triangles.size(), 20u);
}

/// A prism along z, its edges at the radius 0.5.
Surface prism(int sides, double half_length) {
  Surface s;
  for (const double z : {-half_length, half_length}) {
    for (int i = 0; i < sides; ++i) {
      const double u = 2 * std::numbers::pi * (i + 0.3) / sides;
      s.positions.push_back(Vec3(0.5 * std::cos(u), 0.5 * std::sin(u), z));
    }
  }
  std::vector<Index> low, high;
  for (int i = 0; i < sides; ++i) {
    s.add_face({i, (i + 1) % sides, sides + (i + 1) % sides, sides + i});
    low.push_back(sides - 1 - i);
    high.push_back(sides + i);
  }
  s.add_face(low);
  s.add_face(high);
  return s;
}

// Balls in a wedge of 120° lie 1.15 times as far apart as their radii differ, in one of 90° 1.41 times. So the branches
// to the edges of a hexagonal prism, which an angle of 50° finds, go for the balls on its axis, and those of a square
// one stay. (As vertices on the axis are 0.6 of the radius apart, the first vertex of such a branch may be held by
// none.)
TEST(MedialComplex, BallsPrune) {
  for (const int sides : {4, 6}) {
    const Found found = medial_of(prism(sides, 2), 128, 2, {.angle = 50});
    double off = 0;
    for (const Vec3& p : found.complex.positions) {
      if (std::abs(p.z()) < 1) off = std::max(off, p.head<2>().norm());
    }
    if (sides == 4) {
      EXPECT_GT(off, 0.4);
    } else {
      EXPECT_GT(found.medial.pruned, 0u);
      EXPECT_LT(off, 0.3);
    }
  }
}

// A thin finger close beside a thick body, joined to it at one end alone, is no bump of it, although the body's balls,
// scaled, hold those of the finger.
TEST(MedialComplex, AFingerIsNoBump) {
  Surface s = test::box(Vec3(-1, -0.5, -0.5), Vec3(1, 0.5, 0.5));
  append(s, test::box(Vec3(-0.9, 0.55, -0.03), Vec3(0.95, 0.61, 0.03)));
  append(s, test::box(Vec3(0.85, 0.3, -0.03), Vec3(0.95, 0.6, 0.03)));
  const Found found = medial_of(s, 128);
  EXPECT_EQ(piece_count(found.complex), 1);
  double tip = 1;
  for (const Vec3& p : found.complex.positions) {
    if (p.y() > 0.53) tip = std::min(tip, p.x());
  }
  EXPECT_LT(tip, -0.8);
}

/// Bumps of a height (from the mean) and a width all over, along the normals of a capsule about z.
Surface bumpy(Surface s, double half_length, double height, double width) {
  const auto wave = [&](double x) { return std::cos(2 * std::numbers::pi * x / width); };
  for (Vec3& p : s.positions) {
    const Vec3 normal = (p - Vec3(0, 0, std::clamp(p.z(), -half_length, half_length))).normalized();
    p += height * wave(p.x()) * wave(p.y()) * wave(p.z()) * normal;
  }
  return s;
}

/// How far from its axis bumps of height h can leave vertices of a capsule's complex. A ball at the distance d is
/// larger than the one on the axis less d - 2h, as it fits between the bumps' tops. It goes if it sticks out of that
/// one by no more than a quarter of what it is smaller by, or by no more than a voxel.
double farthest_kept(double height, double voxel) { return 2 * height <= voxel ? 2 * voxel : 10 * height; }

/// Segments only, in one line.
bool is_line(const MedialComplex& complex) {
  std::vector<int> degree(complex.vertex_count(), 0);
  for (const auto& s : complex.segments) {
    for (const Index v : s) ++degree[v];
  }
  return complex.triangles.empty() && complex.segments.size() + 1 == complex.vertex_count() &&
         std::all_of(degree.begin(), degree.end(), [](int d) { return d <= 2; });
}

// Bumps lower than a voxel leave the complex of a capsule one line; higher ones add nothing beyond the measure.
TEST(MedialComplex, BumpsArePruned) {
  for (const double height : {0.01, 0.015, 0.02, 0.03}) {
    for (const double width : {0.2, 0.4}) {
      const Surface surface = bumpy(capsule(1.5, 0.5), 1.5, height, width);
      const Found found = medial_of(surface, 128);
      double off = 0;
      for (const Vec3& p : found.complex.positions) off = std::max(off, p.head<2>().norm());
      EXPECT_LT(off, farthest_kept(height, found.voxel)) << height << " " << width;
      if (2 * height <= found.voxel) {
        EXPECT_TRUE(is_line(found.complex)) << height << " " << width;
      }
      const double sticks_out = 0.25 * 0.5 + 2 * height + 1.5 * found.voxel;
      EXPECT_LT(reconstruction_error(found, surface), sticks_out / found.voxel) << height << " " << width;
    }
  }
}

// A finger among the bumps is none: a line to its tip, as thick as it is.
TEST(MedialComplex, AFingerAmongBumpsIsKept) {
  const double height = 0.02;
  Surface surface = bumpy(capsule(1.5, 0.5), 1.5, height, 0.2);
  Surface finger = capsule(0.4, 0.1);
  for (Vec3& p : finger.positions) p = Vec3(p.z() + 0.8, p.x(), p.y());  // along x, from 0.3 to 1.3
  append(surface, finger);
  const Found found = medial_of(surface, 128);
  EXPECT_EQ(piece_count(found.complex), 1);
  double tip = 0;
  for (std::size_t v = 0; v < found.complex.vertex_count(); ++v) {
    const Vec3& p = found.complex.positions[v];
    const double aside = std::hypot(p.y(), p.z());
    if (p.x() < 0.6) {  // the body, and the root of the finger
      EXPECT_TRUE(aside < 0.2 || p.head<2>().norm() < farthest_kept(height, found.voxel)) << p.transpose();
      continue;
    }
    EXPECT_LT(aside, found.voxel);
    EXPECT_NEAR(found.complex.radii[v], std::min(0.1, 1.3 - p.x()), found.voxel);
    tip = std::max(tip, p.x());
  }
  EXPECT_NEAR(tip, 1.2, 2 * found.voxel);
}

// Between an arm and the body, where all voxels touch the skin, no branch leads outside.
TEST(MedialComplex, NothingOutside) {
  const Surface surface = assemble(make_sample("shoulder")).weld.surface;
  const WindingTree winding(test::corners_of(surface));
  for (const Index resolution : {64, 128}) {
    for (const Vec3& p : medial_of(surface, resolution).complex.positions) {
      EXPECT_TRUE(winding.above(p)) << resolution << " at " << p.transpose();
    }
  }
}

// Shells: two that do not touch have a piece each; one that lies in another adds nothing.
TEST(MedialComplex, Shells) {
  Surface two = test::ball(Vec3(0, 0, 0), 1, 48, 32);
  append(two, test::ball(Vec3(3, 0, 0), 0.5, 48, 32));
  EXPECT_EQ(medial_of(two, 64).complex.points.size(), 2u);
  Surface nested = test::ball(Vec3(0, 0, 0), 1, 48, 32);
  append(nested, test::ball(Vec3(0, 0, 0), 0.5, 48, 32));
  const Found found = medial_of(nested, 64);
  ASSERT_EQ(found.complex.vertex_count(), 1u);
  EXPECT_NEAR(found.complex.radii[0], 1, found.voxel);
}

// A ball on a thin rod, whose medial is cut between them by pruning, stays in one piece.
TEST(MedialComplex, ConnectedWhereTheSolidIs) {
  Surface s = test::ball(Vec3(0, 0, 0), 1, 48, 32);
  append(s, test::box(Vec3(0.8, -0.12, -0.12), Vec3(3, 0.12, 0.12)));
  const Found found = medial_of(s, 128);
  EXPECT_GT(found.medial.bridged, 0u);
  EXPECT_EQ(piece_count(found.complex), 1);
}

// Every sample, whatever it is made of: as many pieces as the solid has, no vertex outside it, and the balls give
// the shape back within a few voxels on the average.
TEST(MedialComplex, Samples) {
  for (const char* name : {"elephant", "giraffe", "knight", "mouth"}) {
    const Character character = make_sample(name);
    const Surface surface = assemble(character).weld.surface;
    const Found found = medial_of(surface, 64);
    ASSERT_GT(found.complex.vertex_count(), 20u) << name;
    for (const Vec3& p : found.complex.positions) {
      EXPECT_NE(found.solid.at(found.solid.grid.at(p)), VoxelSolid::Kind::exterior) << name;
    }
    double sum = 0;
    for (const double d : distances_to_balls(found.complex, surface.positions, Context(2))) sum += std::abs(d);
    EXPECT_LT(sum / static_cast<double>(surface.vertex_count()), 1.5 * found.voxel) << name;
  }
}

// A sheet without thickness is its own medial: one piece of triangles that reaches to its rim.
TEST(MedialComplex, SheetIsItself) {
  Surface sheet;
  sheet.positions = {Vec3(0, 0, 0), Vec3(2, 0, 0.3), Vec3(2, 2, 0.9), Vec3(0, 2, 0.6)};
  sheet.add_face({0, 1, 2, 3});
  const Found found = medial_of(sheet, 64);
  EXPECT_EQ(piece_count(found.complex), 1);
  EXPECT_GT(found.complex.triangles.size(), 50u);
  Box box;
  for (std::size_t v = 0; v < found.complex.vertex_count(); ++v) {
    const Vec3& p = found.complex.positions[v];
    EXPECT_NEAR(p.z(), 0.15 * p.x() + 0.3 * p.y(), found.voxel);
    EXPECT_LT(found.complex.radii[v], 1.5 * found.voxel);
    box.extend(p);
  }
  EXPECT_LT((box.min() - Vec3(0, 0, 0)).norm(), 3 * found.voxel);
  EXPECT_LT((box.max() - Vec3(2, 2, 0.9)).norm(), 3 * found.voxel);
}

// An open mesh: a capsule without a tenth of its faces has nearly the axis of the whole one.
TEST(MedialComplex, OpenMesh) {
  const Surface surface = capsule(1.5, 0.5);
  const Surface open = test::select_faces(surface, [](std::size_t f) { return f % 10 != 0; });
  const Found found = medial_of(open, 64);
  EXPECT_EQ(piece_count(found.complex), 1);
  for (const Vec3& p : found.complex.positions) EXPECT_LT(p.head<2>().norm(), 3 * found.voxel);
}

// Moved and scaled, the complex is the same, moved and scaled; and so it is for any number of threads, bit for bit.
TEST(MedialComplex, SameAnywhereAndForAnyThreads) {
  const Surface surface = assemble(make_sample("elephant")).weld.surface;
  Surface moved = surface;
  for (Vec3& p : moved.positions) p = 4 * p + Vec3(8, -16, 32);
  const Found here = medial_of(surface, 64, 1), there = medial_of(moved, 64, 1), other = medial_of(surface, 64, 2);
  EXPECT_EQ(here.complex.triangles, other.complex.triangles);
  EXPECT_EQ(here.complex.segments, other.complex.segments);
  EXPECT_EQ(here.complex.positions, other.complex.positions);
  EXPECT_EQ(here.complex.radii, other.complex.radii);
  EXPECT_EQ(here.complex.triangles, there.complex.triangles);
  EXPECT_EQ(here.complex.segments, there.complex.segments);
  ASSERT_EQ(here.complex.vertex_count(), there.complex.vertex_count());
  for (std::size_t v = 0; v < here.complex.vertex_count(); ++v) {
    EXPECT_LT((4 * here.complex.positions[v] + Vec3(8, -16, 32) - there.complex.positions[v]).norm(), 1e-9);
    EXPECT_NEAR(4 * here.complex.radii[v], there.complex.radii[v], 1e-9);
  }
}

// The order of faces and vertices makes no difference.
TEST(MedialComplex, OrderOfFaces) {
  const Surface surface = assemble(make_sample("elephant")).weld.surface;
  const Found a = medial_of(surface, 64), b = medial_of(test::shuffled(surface, 7), 64);
  EXPECT_EQ(a.complex.triangles, b.complex.triangles);
  ASSERT_EQ(a.complex.vertex_count(), b.complex.vertex_count());
  for (std::size_t v = 0; v < a.complex.vertex_count(); ++v) {
    EXPECT_LT((a.complex.positions[v] - b.complex.positions[v]).norm(), 1e-9);
  }
}

// Hardly a mesh: a triangle, a point, nothing. No voxels, no complex; too many are refused with a sentence.
TEST(MedialComplex, HardlyAMesh) {
  Surface triangle;
  triangle.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  triangle.add_face({0, 1, 2});
  EXPECT_EQ(piece_count(medial_of(triangle, 32).complex), 1);
  Surface point;
  point.positions = {Vec3(1, 1, 1)};
  EXPECT_EQ(medial_of(point, 32).complex.points.size(), 1u);
  Context context;
  EXPECT_EQ(medial_complex({}, {}, {}, context).complex.vertex_count(), 0u);
  VoxelSolid fine;
  fine.grid.resolution = 512;
  EXPECT_THROW(medial_complex({}, fine, {}, context), Error);
}

// The balls of a segment are a cone with round ends: known distances inside, outside and beside it.
TEST(MedialComplex, DistancesToBalls) {
  MedialComplex complex;
  complex.positions = {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(0, 5, 0), Vec3(2, 5, 0), Vec3(0, 7, 0)};
  complex.radii = {1, 0.5, 0.5, 0.5, 0.5};
  complex.segments = {{0, 1}};
  complex.triangles = {{2, 3, 4}};
  const double lean = std::asin(0.25);
  const std::vector<Vec3> points = {Vec3(-2, 0, 0), Vec3(3, 0, 0), Vec3(1 + 2 * std::sin(lean), 0, 2 * std::cos(lean)),
                                    Vec3(0.5, 5.5, 2), Vec3(0.5, 5.5, 0)};
  const auto d = distances_to_balls(complex, points, Context(1));
  const std::array<double, 5> expected = {1, 0.5, 2 - 0.75, 1.5, -0.5};
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(d[i], expected[i], 1e-6) << i;
}

}  // namespace
}  // namespace isochor
