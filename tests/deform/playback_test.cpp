#include "isochor/deform/playback.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace isochor {
namespace {

/// A cube that follows a joint, and a second cube carried by a plain node beside it.
Character two_cubes() {
  Character c;
  c.skeleton.joints.resize(2);
  c.skeleton.joints[0].name = "joint";
  c.skeleton.joints[1].name = "node";
  c.skeleton.joints[1].deforms = false;
  c.skeleton.joints[1].rest.translation = Vec3(5, 0, 0);
  c.skeleton.joints[1].rest.scale = Vec3(2, 2, 2);
  c.parts.resize(2);
  c.parts[0].surface = test::cube();
  c.parts[0].skin.joints = {0};
  c.parts[0].skin.inverse_bind = {Affine(Eigen::Scaling(0.01))};
  for (int v = 0; v < 8; ++v) c.parts[0].weights.add_row(std::vector<Influence>{{0, 1.0}});
  c.parts[1].surface = test::cube();
  c.parts[1].node = 1;
  return c;
}

// A scale of 0.01 between bind space and world scales the target with it: a rigid pose has no volume error.
TEST(Playback, ScaleBetweenBindAndWorldIsNoError) {
  const Character c = two_cubes();
  const Playback playback(c);
  Pose pose = rest_pose(c.skeleton);
  pose.local[0].rotation = Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  const auto frame = playback.pose(pose, Deformer::lbs, Context());
  ASSERT_EQ(frame.volumes.size(), 2u);
  EXPECT_NEAR(playback.rest_volumes()[0], 1, 1e-14);
  EXPECT_NEAR(frame.volumes[0], 1e-6, 1e-18);
  EXPECT_LT(relative_volume_error(frame.volumes[0], frame.target_volumes[0]), 1e-12);
}

// An unskinned part is measured where its node puts it, and follows the node's scale.
TEST(Playback, UnskinnedPartFollowsItsNode) {
  const Character c = two_cubes();
  const Playback playback(c);
  EXPECT_NEAR(playback.rest_volumes()[1], 8, 1e-12);
  Pose pose = rest_pose(c.skeleton);
  pose.local[1].scale = Vec3(3, 2, 2);
  const auto frame = playback.pose(pose, Deformer::lbs, Context());
  EXPECT_NEAR(frame.volumes[1], 12, 1e-12);
  EXPECT_NEAR(frame.target_volumes[1], 12, 1e-12);
  EXPECT_NEAR((frame.positions[15] - Vec3(8, 2, 2)).norm(), 0, 1e-12);
}

// Sheets have no volume to lose; solids have.
TEST(Playback, SheetsHaveNoVolume) {
  Character c = two_cubes();
  c.parts[1].surface = Surface();
  c.parts[1].surface.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  c.parts[1].surface.add_face({0, 1, 2, 3});
  const Playback playback(c);
  EXPECT_TRUE(playback.has_volume(0));
  EXPECT_FALSE(playback.has_volume(1));
  EXPECT_EQ(relative_volume_error(3, 0), 0);
  EXPECT_EQ(relative_volume_error(3, 2), 0.5);
}

}  // namespace
}  // namespace isochor
