#include "isochor/voxel/winding.h"

#include <gtest/gtest.h>

#include "support/shapes.h"
#include "voxel/solids.h"

namespace isochor {
namespace {

using test::corners_of;

/// Points in and around a shape of about unit size.
std::vector<Vec3> probes(int n) {
  test::Numbers numbers(3);
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    points.push_back(3 * Vec3(numbers.unit() - 0.5, numbers.unit() - 0.5, numbers.unit() - 0.5));
  }
  return points;
}

// A triangle's solid angle: an octant seen from the origin is an eighth, with the sign of its side; none in its plane.
TEST(SolidAngle, OfAnOctant) {
  const TriangleCorners octant = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  EXPECT_NEAR(solid_angle(octant, Vec3::Zero()), 0.125, 1e-15);
  EXPECT_NEAR(solid_angle({octant[1], octant[0], octant[2]}, Vec3::Zero()), -0.125, 1e-15);
  EXPECT_EQ(solid_angle(octant, Vec3(3, -1, -1)), 0);
  EXPECT_EQ(solid_angle({octant[0], octant[0], octant[2]}, Vec3::Zero()), 0);
}

// In a closed surface the winding number is 1, outside 0, inside two shells 2.
TEST(WindingNumber, CountsShells) {
  Surface s = test::box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  append(s, test::ball(Vec3(0.2, 0, 0), 0.5, 24, 16));
  const auto triangles = corners_of(s);
  EXPECT_NEAR(test::winding_number_exact(triangles, Vec3(-0.9, 0.9, 0.9)), 1, 1e-12);
  EXPECT_NEAR(test::winding_number_exact(triangles, Vec3(0.2, 0.1, 0)), 2, 1e-12);
  EXPECT_NEAR(test::winding_number_exact(triangles, Vec3(2, 0, 0.1)), 0, 1e-12);
}

// The tree agrees with the sum over all triangles within the bound that it states, and to 0.005 by default, on closed,
// open and broken surfaces.
TEST(WindingTree, AgreesWithTheSumWithinItsBound) {
  const Surface closed = test::torus(1, 0.4, 64, 32);
  const Surface open = test::select_faces(closed, [](std::size_t f) { return f % 50 != 0 && f > 300; });
  Surface broken = test::soup(open, 0.05);
  for (std::size_t f = 0; f < broken.face_count(); f += 2) test::turn(broken, f);
  for (const Surface& s : {closed, open, broken}) {
    const auto triangles = corners_of(s);
    const WindingTree tree(triangles);
    double worst = 0;
    for (const Vec3& p : probes(400)) {
      const double exact = test::winding_number_exact(triangles, p);
      for (const double tolerance : {1e-2, 1e-3, 1e-5}) {
        const WindingTree::Estimate e = tree.estimate(p, tolerance);
        EXPECT_LE(std::abs(e.value - exact), e.error + 1e-12) << p.transpose();
      }
      worst = std::max(worst, std::abs(tree.estimate(p).value - exact));
      EXPECT_NEAR(tree.estimate(p, 0).value, exact, 1e-12);
    }
    EXPECT_LT(worst, 5e-3);
  }
}

// Whether the number is above a threshold is answered as the full sum does, also where the surface is open.
TEST(WindingTree, AboveAgreesWithTheSum) {
  const Surface open =
      test::select_faces(test::ball(Vec3::Zero(), 1, 48, 32), [](std::size_t f) { return f % 5 != 0 && f > 500; });
  const auto triangles = corners_of(open);
  const WindingTree tree(triangles);
  int inside = 0;
  for (const Vec3& p : probes(2000)) {
    const bool expected = test::winding_number_exact(triangles, p) > 0.5;
    EXPECT_EQ(tree.above(p), expected) << p.transpose();
    inside += expected ? 1 : 0;
  }
  EXPECT_GT(inside, 50);
}

// The order of the triangles, and of their corners, does not change a bit of the answer.
TEST(WindingTree, OrderMakesNoDifference) {
  const Surface s = test::torus(1, 0.4, 32, 16);
  const WindingTree a(corners_of(s));
  const WindingTree b(corners_of(test::shuffled(s, 5)));
  for (const Vec3& p : probes(200)) EXPECT_EQ(a.estimate(p).value, b.estimate(p).value);
}

// No triangle, one triangle, a thousand equal ones, triangles without area: all can be asked.
TEST(WindingTree, DegenerateInput) {
  EXPECT_EQ(WindingTree({}).estimate(Vec3(1, 2, 3)).value, 0);
  const TriangleCorners octant = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  EXPECT_NEAR(WindingTree(std::vector{octant}).estimate(Vec3::Zero()).value, 0.125, 1e-9);
  EXPECT_NEAR(WindingTree(std::vector(1000, octant)).estimate(Vec3::Zero()).value, 125, 1e-6);
  const TriangleCorners flat = {Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)};
  const WindingTree tree(std::vector(50, flat));
  EXPECT_EQ(tree.estimate(Vec3::Zero()).value, 0);
  EXPECT_EQ(tree.estimate(Vec3(1, 0, 0)).value, 0);
}

}  // namespace
}  // namespace isochor
