#include "isochor/bake/rest_offsets.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

namespace isochor {
namespace {

Mat34 map(const Mat3& linear, const Vec3& translation) {
  Mat34 m;
  m << linear, translation;
  return m;
}

// Rest plus offset, moved by the map, lands on the target.
TEST(RestOffsets, LandOnTheTarget) {
  Mat3 linear = Eigen::AngleAxisd(1.0, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  linear *= 0.01;
  linear(0, 1) += 0.002;
  const std::vector<Mat34> maps = {map(linear, Vec3(5, 6, 7))};
  const std::vector<Vec3> rest = {Vec3(1, 2, 3)}, target = {Vec3(5.1, 6.2, 6.9)};
  const RestOffsets offsets = rest_offsets({.maps = maps, .rest = rest, .target = target});
  EXPECT_NEAR((linear * (rest[0] + offsets.positions[0]) + Vec3(5, 6, 7) - target[0]).norm(), 0, 1e-12);
  EXPECT_LT(offsets.max_residual, 1e-12);
  EXPECT_TRUE(offsets.normals.empty());
}

// A viewer that turns rest normal plus offset by the inverse transpose gets the target's normal.
TEST(RestOffsets, NormalsComeOutRight) {
  Mat3 linear = Vec3(1, 2, 4).asDiagonal() * Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix();
  const std::vector<Mat34> maps = {map(linear, Vec3::Zero())};
  const std::vector<Vec3> rest = {Vec3::Zero()}, n0 = {Vec3::UnitX()}, n1 = {Vec3(1, 1, -1).normalized()};
  const RestOffsets offsets =
      rest_offsets({.maps = maps, .rest = rest, .target = rest, .rest_normals = n0, .target_normals = n1});
  const Vec3 seen = (linear.inverse().transpose() * (n0[0] + offsets.normals[0])).normalized();
  EXPECT_NEAR((seen - n1[0]).norm(), 0, 1e-12);
}

// A flattened map gives a bounded offset and says how far it falls short; a zero map gives none.
TEST(RestOffsets, SingularMapsStayBounded) {
  const std::vector<Mat34> maps = {map(Vec3(1, 1, 1e-9).asDiagonal(), Vec3::Zero()), map(Mat3::Zero(), Vec3::Zero())};
  const std::vector<Vec3> rest(2, Vec3::Zero()), target(2, Vec3(0.1, 0, 0.1));
  const RestOffsets offsets = rest_offsets({.maps = maps, .rest = rest, .target = target});
  EXPECT_NEAR(offsets.positions[0].x(), 0.1, 1e-9);
  EXPECT_LT(offsets.positions[0].norm(), 1.0);
  EXPECT_EQ(offsets.positions[1], Vec3(0, 0, 0));
  EXPECT_GT(offsets.max_residual, 0.09);
}

}  // namespace
}  // namespace isochor
