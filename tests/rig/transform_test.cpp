#include "isochor/rig/transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace isochor {
namespace {

Affine from_linear(const Mat3& linear, const Vec3& translation = Vec3(1, 2, 3)) {
  Affine a = Affine::Identity();
  a.linear() = linear;
  a.translation() = translation;
  return a;
}

void expect_round_trip(const Affine& matrix) {
  const Transform t = to_transform(matrix);
  EXPECT_NEAR((to_matrix(t).matrix() - matrix.matrix()).cwiseAbs().maxCoeff(), 0,
              1e-12 * matrix.matrix().cwiseAbs().maxCoeff());
  EXPECT_NEAR(t.rotation.norm(), 1, 1e-12);
}

const Mat3 kTurn = Eigen::AngleAxisd(2.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();

// Translation, rotation and scale are read off a matrix exactly, without shear.
TEST(Transform, RotationAndScale) {
  const Affine m = from_linear(kTurn * Vec3(2, 0.01, 100).asDiagonal());
  expect_round_trip(m);
  const Transform t = to_transform(m);
  EXPECT_NEAR((t.scale - Vec3(2, 0.01, 100)).norm(), 0, 1e-10);
  EXPECT_NEAR((t.shear - Mat3::Identity()).norm(), 0, 1e-10);
}

// A mirror becomes a negative scale.
TEST(Transform, Mirror) {
  const Affine m = from_linear(kTurn * Vec3(1, -1, 1).asDiagonal());
  expect_round_trip(m);
  EXPECT_LT(to_transform(m).scale.prod(), 0);
}

// Shear, which no translation-rotation-scale has, is kept.
TEST(Transform, Shear) {
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.7;
  expect_round_trip(from_linear(kTurn * shear));
}

// Zero scale in one, two or three axes survives and gives no NaN.
TEST(Transform, ZeroScale) {
  for (const Vec3& scale : {Vec3(0, 1, 2), Vec3(0, 0, 3), Vec3(0, 0, 0)}) {
    expect_round_trip(from_linear(kTurn * scale.asDiagonal()));
  }
}

// The identity is the identity, exactly.
TEST(Transform, Identity) {
  EXPECT_EQ(to_matrix(Transform{}).matrix(), Affine::Identity().matrix());
  const Transform t = to_transform(Affine::Identity());
  EXPECT_EQ(t.scale, Vec3(1, 1, 1));
  EXPECT_EQ(t.rotation.coeffs(), Quat::Identity().coeffs());
}

// The turn between two directions takes one to the other by the smallest angle, whatever their lengths, and near half
// a turn as well as elsewhere.
TEST(TurnBetween, SmallestTurn) {
  const Vec3 from(0.3, -2, 0.7);
  const Vec3 side = from.unitOrthogonal();
  for (const double angle : {0.0, 1e-9, 0.5, 2.0, std::numbers::pi - 1e-3, std::numbers::pi - 1e-6,
                             std::numbers::pi - 1e-8, std::numbers::pi}) {
    const Vec3 to = 5 * (std::cos(angle) * from.normalized() + std::sin(angle) * side);
    const Quat turn = turn_between(from, to);
    EXPECT_NEAR(turn.norm(), 1, 1e-10);
    EXPECT_NEAR((turn * from.normalized() - to.normalized()).norm(), 0, 1e-8) << angle;
    EXPECT_NEAR(turn.angularDistance(Quat::Identity()), angle, 1e-7);
  }
  // Exactly opposite, along each axis.
  for (const Vec3& v : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
    EXPECT_NEAR((turn_between(v, -v) * v + v).norm(), 0, 1e-12);
  }
}

}  // namespace
}  // namespace isochor
