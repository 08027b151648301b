#include "isochor/io/pose_file.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"

namespace isochor {
namespace {

Skeleton two_fingers() {
  Skeleton s;
  s.joints.resize(3);
  s.joints[0].name = "hand";
  s.joints[1].name = "finger.1";
  s.joints[1].parent = 0;
  s.joints[1].rest.rotation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
  s.joints[2].name = "finger.2";
  s.joints[2].parent = 0;
  return s;
}

// A turn comes on top of the rest rotation; other joints stay at rest.
TEST(PoseFile, TurnIsOnTopOfRest) {
  const Pose pose = parse_pose(R"({"joints": {"finger.1": {"turn": [90, 0, 0]}}})", two_fingers());
  EXPECT_NEAR(pose.local[1].rotation.angularDistance(Quat(Eigen::AngleAxisd(0.5 + EIGEN_PI / 2, Vec3::UnitX()))), 0,
              1e-12);
  EXPECT_EQ(pose.local[2].rotation.coeffs(), Quat::Identity().coeffs());
}

// Globs reach several joints, and the last entry wins.
TEST(PoseFile, GlobsAndTheLastEntryWins) {
  const Pose pose = parse_pose(
      R"({"joints": {"finger*": {"scale": [2, 2, 2]}, "finger.2": {"translation": [1, 2, 3]}}})", two_fingers());
  EXPECT_EQ(pose.local[1].scale, Vec3(2, 2, 2));
  EXPECT_EQ(pose.local[2].scale, Vec3(1, 1, 1));
  EXPECT_EQ(pose.local[2].translation, Vec3(1, 2, 3));
}

// Three axes of a turn multiply as x·y·z.
TEST(PoseFile, TurnMultipliesXyz) {
  const Pose pose = parse_pose(R"({"joints": {"hand": {"turn": [90, 90, 0]}}})", two_fingers());
  EXPECT_NEAR((pose.local[0].rotation * Vec3::UnitZ() - Vec3::UnitX()).norm(), 0, 1e-12);
}

// Everything that is not understood is refused with the name concerned.
TEST(PoseFile, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"", "[", "[]", "{}", R"({"joints": 3})", R"({"joints": {"nose": {}}})", R"({"joints": {"hand": 1}})",
        R"({"joints": {"hand": {"turn": [1, 2]}}})", R"({"joints": {"hand": {"turn": "x"}}})",
        R"({"joints": {"hand": {"rotation": [0, 0, 0, 0]}}})", R"({"joints": {"hand": {"twist": [0, 0, 0]}}})",
        R"({"joints": {"hand": {"scale": [1e999, 1, 1]}}})"}) {
    EXPECT_THROW(parse_pose(text, two_fingers()), Error) << text;
  }
}

}  // namespace
}  // namespace isochor
