#include "isochor/sample/shoulder.h"

#include <gtest/gtest.h>

#include "sample/checks.h"

namespace isochor {
namespace {

// One closed surface with good weights.
TEST(Shoulder, IsWellFormed) {
  const Character torso = make_shoulder({}, Context(0));
  test::expect_no_errors(torso);
  ASSERT_EQ(torso.parts.size(), 1u);
  test::expect_one_closed_surface(torso.parts[0].surface);
  test::expect_good_weights(torso.parts[0], 4);
}

// The clips turn the left arm at the shoulder and nothing else, and by as much as is said.
TEST(Shoulder, ClipsTurnTheArm) {
  const Character torso = make_shoulder({}, Context(0));
  ASSERT_EQ(torso.clips.size(), 3u);
  const Index arm = torso.skeleton.find("LeftArm"), forearm = torso.skeleton.find("LeftForearm");
  const double degrees[] = {120, 60, 60};
  for (std::size_t c = 0; c < 3; ++c) {
    const Clip& clip = torso.clips[c];
    for (const auto& channel : clip.channels) EXPECT_EQ(channel.joint, arm) << clip.name;
    const Pose pose = sample(clip, torso.skeleton, 0.25 * clip.duration());
    const auto angle = Quat(pose.local[arm].rotation).angularDistance(torso.skeleton.joints[arm].rest.rotation);
    EXPECT_NEAR(angle * 180 / 3.14159265358979, degrees[c], 0.5) << clip.name;
    const auto rest = global_transforms(torso.skeleton, rest_pose(torso.skeleton));
    const auto global = global_transforms(torso.skeleton, pose);
    const double moved = (global[forearm].translation() - rest[forearm].translation()).norm();
    if (clip.name == "twist") {
      EXPECT_LT(moved, 1e-9);  // about itself
    } else {
      EXPECT_GT(moved, 0.1) << clip.name;
    }
  }
}

}  // namespace
}  // namespace isochor
