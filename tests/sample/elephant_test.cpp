#include "isochor/sample/elephant.h"

#include <gtest/gtest.h>

#include "sample/checks.h"

namespace isochor {
namespace {

const Character& shared_elephant() {
  static const Character character = make_elephant({}, Context(0));
  return character;
}

class Elephant : public testing::Test {
 protected:
  const Character& elephant_ = shared_elephant();
  const Part& part_ = elephant_.parts.front();
};

// It has the paper's number of vertices, within 5 %.
TEST_F(Elephant, HasThePapersSize) { EXPECT_NEAR(elephant_.vertex_count(), 6646, 0.05 * 6646); }

// It is one closed, oriented manifold of quads, with valid weights, skeleton and clips.
TEST_F(Elephant, IsWellFormed) {
  test::expect_one_closed_surface(part_.surface);
  test::expect_quads(part_.surface);
  test::expect_good_weights(part_, 4);
  test::expect_no_errors(elephant_);
}

// Its right side is the reflection of its left, in shape and in weights.
TEST_F(Elephant, IsSymmetric) { test::expect_symmetric(elephant_, part_); }

// At least the paper's 17 joints turn in each clip.
TEST_F(Elephant, ManyJointsTurn) {
  for (const char* name : {"walk", "sit"}) {
    ASSERT_NE(elephant_.find_clip(name), nullptr);
    EXPECT_GE(test::turning_joints(elephant_, *elephant_.find_clip(name)), 17) << name;
  }
}

// The walk ends where it begins.
TEST_F(Elephant, WalkIsACycle) {
  const Clip& walk = *elephant_.find_clip("walk");
  const std::vector<Vec3> first = test::posed(elephant_, part_, sample(walk, elephant_.skeleton, walk.start()));
  const std::vector<Vec3> last = test::posed(elephant_, part_, sample(walk, elephant_.skeleton, walk.end()));
  for (std::size_t v = 0; v < first.size(); ++v) ASSERT_LT((first[v] - last[v]).norm(), 1e-6);
}

// Feet that stand do not slide: they move back at one speed, on the ground.
TEST_F(Elephant, FeetStandWhileWalking) {
  const Clip& walk = *elephant_.find_clip("walk");
  const Index foot = elephant_.skeleton.find("LeftHindFoot");
  const double rest = global_transforms(elephant_.skeleton, rest_pose(elephant_.skeleton))[foot].translation().y();
  for (double u = 0.35; u < 0.99; u += 0.05) {
    const Pose pose = sample(walk, elephant_.skeleton, u * walk.duration());
    EXPECT_NEAR(global_transforms(elephant_.skeleton, pose)[foot].translation().y(), rest, 0.03) << u;
  }
}

// Neither clip pushes the body into the ground; sitting brings the hips down by more than a metre.
TEST_F(Elephant, StaysOnTheGround) {
  for (const Clip& clip : elephant_.clips) EXPECT_GT(test::lowest_point(elephant_, part_, clip), -0.06) << clip.name;
  const Clip& sit = *elephant_.find_clip("sit");
  const Pose pose = sample(sit, elephant_.skeleton, sit.end());
  EXPECT_LT(global_transforms(elephant_.skeleton, pose)[0].translation().y(), 0.95);
}

// Raising the trunk moves no leg.
TEST_F(Elephant, TrunkWeightsDoNotBleed) {
  Pose pose = rest_pose(elephant_.skeleton);
  for (int t = 1; t <= 6; ++t) {
    const Index joint = elephant_.skeleton.find("Trunk" + std::to_string(t));
    pose.local[joint].rotation = Quat(Eigen::AngleAxisd(-0.5, Vec3::UnitX()));
  }
  const std::vector<Vec3> moved = test::posed(elephant_, part_, pose);
  for (std::size_t v = 0; v < moved.size(); ++v) {
    if (part_.surface.positions[v].z() < 1.2) {
      ASSERT_LT((moved[v] - part_.surface.positions[v]).norm(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace isochor
