#include "isochor/deform/shape_comparison.h"

#include <gtest/gtest.h>

#include "isochor/sample/sample.h"

namespace isochor {
namespace {

// A character equals itself; one that is moved by a known way is found to be that far away.
TEST(ShapeComparison, KnownDistance) {
  const Character a = make_sample("cylinder");
  Character b = a;
  for (Joint& joint : b.skeleton.joints) {
    if (joint.parent == kNone) joint.rest.translation += Vec3(0, 0, 0.25);
  }
  const WeldedCharacter welded_a(a), welded_b(b);
  const Correspondence correspondence = correspond(welded_a, welded_b);
  EXPECT_EQ(shape_distance(correspondence, welded_a.surface().positions, welded_b.surface().positions).max, 0);
  Context context(1);
  const ClipComparison same = compare_clip(welded_a, welded_a, correspondence, a.clips[0].name, 5, context);
  EXPECT_EQ(same.distance.max, 0);
  EXPECT_EQ(same.times.size(), 5u);
  EXPECT_EQ(same.volume_a, same.volume_b);
  const ClipComparison moved = compare_clip(welded_a, welded_b, correspondence, a.clips[0].name, 5, context);
  EXPECT_NEAR(moved.distance.max, 0.25, 1e-9);
  EXPECT_NEAR(moved.distance.mean, 0.25, 1e-9);
}

// What linear blend skinning loses in a bend is a change of volume; at rest there is none.
TEST(ShapeComparison, VolumeChange) {
  const Character character = make_sample("cylinder");
  const WeldedCharacter welded(character);
  Pose pose = rest_pose(character.skeleton);
  EXPECT_NEAR(total_volume_change(welded, play(welded, pose, Deformer::lbs, Context(1))), 0, 1e-12);
  pose.local[1].rotation = pose.local[1].rotation * Quat(Eigen::AngleAxisd(1.5, Vec3::UnitX()));
  EXPECT_LT(total_volume_change(welded, play(welded, pose, Deformer::lbs, Context(1))), -1e-3);
}

}  // namespace
}  // namespace isochor
