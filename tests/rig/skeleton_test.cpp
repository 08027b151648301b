#include "isochor/rig/skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor {
namespace {

Joint joint(const char* name, Index parent, const Vec3& offset) {
  Joint j;
  j.name = name;
  j.parent = parent;
  j.rest.translation = offset;
  return j;
}

Skeleton arm() {
  Skeleton s;
  s.joints = {joint("shoulder", kNone, {0, 1, 0}), joint("elbow", 0, {1, 0, 0}), joint("wrist", 1, {1, 0, 0})};
  return s;
}

// Global transforms compose from the root outward.
TEST(Skeleton, GlobalTransformsCompose) {
  const Skeleton s = arm();
  Pose pose = rest_pose(s);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(EIGEN_PI / 2, Vec3::UnitZ()));
  const auto global = global_transforms(s, pose);
  EXPECT_NEAR((global[2].translation() - Vec3(1, 2, 0)).norm(), 0, 1e-12);
}

// Joints are found by name; plain nodes are not counted as deforming.
TEST(Skeleton, FindAndCount) {
  Skeleton s = arm();
  s.joints[0].deforms = false;
  EXPECT_EQ(s.find("wrist"), 2);
  EXPECT_EQ(s.find("nose"), kNone);
  EXPECT_EQ(s.deforming_count(), 2u);
}

// A child before its parent, a NaN and a repeated name are all reported, each with its joint.
TEST(Skeleton, ValidateGivesReasons) {
  EXPECT_TRUE(validate(arm()).empty());
  Skeleton s = arm();
  s.joints[1].parent = 2;
  s.joints[2].rest.translation.x() = std::nan("");
  s.joints[2].name = "shoulder";
  const Problems problems = validate(s);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].code, "joint-order");
  EXPECT_EQ(problems[0].elements, std::vector<Index>{1});
  EXPECT_EQ(problems[1].code, "joint-not-finite");
  EXPECT_EQ(problems[2].code, "joint-names");
}

// Parents come first, and the given order is kept otherwise.
TEST(ParentsFirst, OrdersAndKeeps) {
  const std::vector<Index> parents = {2, kNone, 3, kNone, 0};
  const auto order = parents_first(parents);
  std::vector<std::size_t> place(parents.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (parents[j] != kNone) {
      EXPECT_LT(place[parents[j]], place[j]);
    }
  }
  EXPECT_EQ(parents_first(std::vector<Index>{kNone, 0, 0, 1}), (std::vector<Index>{0, 1, 2, 3}));
}

// A cycle and a parent that does not exist are refused with the joint's number.
TEST(ParentsFirst, RefusesCyclesAndStrangers) {
  EXPECT_THROW(parents_first(std::vector<Index>{1, 2, 0}), Error);
  EXPECT_THROW(parents_first(std::vector<Index>{0}), Error);
  EXPECT_THROW(parents_first(std::vector<Index>{7}), Error);
}

// A chain of a million joints does not exhaust the stack.
TEST(ParentsFirst, LongChains) {
  std::vector<Index> parents(1000000);
  for (std::size_t i = 0; i < parents.size(); ++i) parents[i] = static_cast<Index>(i) + 1;
  parents.back() = kNone;
  EXPECT_EQ(parents_first(parents).front(), 999999);
}

// Globs: stars match any run, question marks one character.
TEST(Glob, Matches) {
  EXPECT_TRUE(matches_glob("mixamorig:Spine2", "*Spine*"));
  EXPECT_TRUE(matches_glob("hand_L", "hand_?"));
  EXPECT_TRUE(matches_glob("", "*"));
  EXPECT_TRUE(matches_glob("aXbXc", "a*X*c"));
  EXPECT_FALSE(matches_glob("hand_LL", "hand_?"));
  EXPECT_FALSE(matches_glob("Spine", "spine"));
  EXPECT_FALSE(matches_glob("abc", "a*d"));
}

}  // namespace
}  // namespace isochor
