#include "isochor/sample/implicit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isochor {
namespace {

const std::vector<Vec3> kPoints{
    {0.3, 0.2, -0.4}, {1.4, -0.3, 0.2}, {-0.7, 0.9, 1.1}, {0.05, 2.1, 0.3}, {2.4, 0.4, -0.2}};

void expect_gradient(const ImplicitShape& shape, double tolerance) {
  for (const Vec3& p : kPoints) {
    const FieldSample field = evaluate(shape, p);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 step = 1e-6 * Vec3::Unit(axis);
      const double slope = (distance(shape, p + step) - distance(shape, p - step)) / 2e-6;
      EXPECT_NEAR(field.gradient[axis], slope, tolerance);
    }
  }
}

// The distance to a round cone is exact: on its two spheres, on its side, and inside.
TEST(Implicit, RoundConeIsADistance) {
  const ImplicitShape capsule{.blobs = {{RoundCone{{0, 0, 0}, {2, 0, 0}, 0.5, 0.5}}}};
  EXPECT_NEAR(distance(capsule, {-1.5, 0, 0}), 1.0, 1e-12);
  EXPECT_NEAR(distance(capsule, {3.5, 0, 0}), 1.0, 1e-12);
  EXPECT_NEAR(distance(capsule, {1, 2, 0}), 1.5, 1e-12);
  EXPECT_NEAR(distance(capsule, {1, 0, 0}), -0.5, 1e-12);
  const ImplicitShape cone{.blobs = {{RoundCone{{0, 0, 0}, {2, 0, 0}, 1, 0.25}}}};
  const double s = 0.75 / 2;
  const Vec3 normal(s, std::sqrt(1 - s * s), 0);
  EXPECT_NEAR(distance(cone, Vec3(normal + 0.7 * Vec3(normal.y(), -s, 0) + 0.4 * normal)), 0.4, 1e-12);
}

// A sphere that holds the other one is all that is left of a round cone.
TEST(Implicit, SwallowedEndLeavesASphere) {
  const ImplicitShape shape{.blobs = {{RoundCone{{0, 0, 0}, {0.1, 0, 0}, 1, 0.2}}}};
  EXPECT_NEAR(distance(shape, {0, 3, 0}), 2, 1e-12);
}

// Ellipsoids and plates vanish on their surfaces.
TEST(Implicit, SurfacesAreWhereTheyShouldBe) {
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const Vec3 c(0.1, 0.2, 0.3);
  const ImplicitShape ellipsoid{.blobs = {{Ellipsoid{c, {0.5, 0.8, 0.2}, turn}}}};
  EXPECT_NEAR(distance(ellipsoid, c + turn * Vec3(0.5, 0, 0)), 0, 1e-12);
  EXPECT_NEAR(distance(ellipsoid, c + turn * Vec3(0, 0, -0.2)), 0, 1e-12);
  const ImplicitShape plate{.blobs = {{RoundPlate{c, 0.5, 0.8, 0.1, turn}}}};
  EXPECT_NEAR(distance(plate, c + turn * Vec3(0.2, 0.1, 0.1)), 0, 1e-12);
  EXPECT_NEAR(distance(plate, c + turn * Vec3(0, -0.9, 0)), 0, 1e-12);
}

// The gradient that is returned is that of the value.
TEST(Implicit, GradientsAgreeWithDifferences) {
  ImplicitShape shape{.blobs = {{RoundCone{{0, 0, 0}, {2, 0.5, 0}, 0.5, 0.3}},
                                {RoundCone{{0.5, 0, 0.3}, {0.5, 2, 0.3}, 0.2, 0.4}, 0.6, true}}};
  expect_gradient(shape, 1e-6);
  shape.floor = -0.35;
  shape.floor_blend = 0.2;
  expect_gradient(shape, 1e-6);
}

// The smooth minimum is the minimum where values differ by more than its width, and never above it.
TEST(Implicit, SmoothMinimum) {
  EXPECT_EQ(smooth_min(1, 3, 1), 1);
  EXPECT_EQ(smooth_min(3, 1, 0), 1);
  EXPECT_NEAR(smooth_min(2, 2, 0.6), 2 - 0.1, 1e-12);
  EXPECT_EQ(smooth_min(1.0, 1.2, 0.5), smooth_min(1.2, 1.0, 0.5));
  EXPECT_LT(smooth_min(1.0, 1.2, 0.5), 1.0);
}

// Leaving out blobs that are out of reach changes no bit of the value.
TEST(Implicit, CullingIsExact) {
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const ImplicitShape shape{.blobs = {{RoundCone{{0, 0, 0}, {1, 0.5, 0}, 0.5, 0.3}},
                                      {Ellipsoid{{1.2, 0.3, 0.2}, {0.9, 0.2, 0.4}, turn}, 0.3, true},
                                      {RoundPlate{{0.3, 1.1, 0.5}, 0.7, 0.2, 0.1, turn}, 0.2},
                                      {RoundCone{{0.7, 1, 0}, {0.7, -1, 0.4}, 0.2, 0.1}, 0.4, true}}};
  for (double x = -3; x < 3; x += 0.23) {
    for (double y = -3; y < 3; y += 0.23) {
      for (double z = -3; z < 3; z += 0.23) {
        double whole = 1e30;
        for (const Blob& blob : shape.blobs) whole = smooth_min(whole, evaluate(blob, {x, y, z}).value, blob.blend);
        ASSERT_EQ(distance(shape, {x, y, z}), whole);
        ASSERT_EQ(evaluate(shape, {x, y, z}).value, whole);
      }
    }
  }
}

// Mirrored blobs make a shape symmetric, a single one off the plane does not.
TEST(Implicit, Symmetry) {
  ImplicitShape shape{.blobs = {{RoundCone{{0, 0, 0}, {0, 1, 0}, 0.5, 0.5}}, {Ellipsoid{{1, 0, 0}}, 0.2, true}}};
  EXPECT_TRUE(is_symmetric(shape));
  for (const Vec3& p : kPoints) EXPECT_NEAR(distance(shape, p), distance(shape, {-p.x(), p.y(), p.z()}), 1e-14);
  shape.blobs.push_back({Ellipsoid{{1, 0, 0}}});
  EXPECT_FALSE(is_symmetric(shape));
}

// The box holds every point of the surface, blends included.
TEST(Implicit, BoxHoldsTheShape) {
  const ImplicitShape shape{.blobs = {{RoundCone{{0, 0, 0}, {1, 0, 0}, 0.5, 0.5}},
                                      {RoundCone{{0.5, -0.2, 0}, {0.5, 0.2, 0}, 0.4, 0.4}, 0.5, true}}};
  const Box box = bounding_box(shape);
  for (double x = -2; x < 2; x += 0.11) {
    for (double y = -2; y < 2; y += 0.11) {
      for (double z = -2; z < 2; z += 0.11) {
        if (distance(shape, {x, y, z}) < 0) {
          EXPECT_TRUE(box.contains(Vec3(x, y, z)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace isochor
