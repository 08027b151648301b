#include "isochor/bind/handles.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "bind/bind_cases.h"

namespace isochor {
namespace {

using test::joint_at;

std::vector<Affine> at_rest(const Skeleton& skeleton) { return global_transforms(skeleton, rest_pose(skeleton)); }

// A joint's bone goes to each of its children; a leaf is a point that may grow along the bone which leads to it.
TEST(Handles, SegmentsToChildrenAndLeaves) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("root", kNone, Vec3(0, 0, 0)), joint_at("a", 0, Vec3(1, 0, 0)),
                     joint_at("b", 0, Vec3(0, 2, 0))};
  const auto handles = joint_handles(skeleton, at_rest(skeleton)).handles;
  ASSERT_EQ(handles.size(), 3u);
  ASSERT_EQ(handles[0].shapes.size(), 2u);
  EXPECT_EQ(handles[0].shapes[0].b, Vec3(1, 0, 0));
  EXPECT_EQ(handles[0].shapes[1].b, Vec3(0, 2, 0));
  EXPECT_EQ(handles[1].shapes[0].kind, HandleShape::Kind::point);
  EXPECT_EQ(handles[1].growth.direction, Vec3(1, 0, 0));
  EXPECT_EQ(joint_handles(skeleton, at_rest(skeleton), {.leaves = LeafShape::point}).handles[1].growth.direction,
            Vec3(0, 0, 0));
}

// A plain node between two joints passes the bone on, and takes no weight itself.
TEST(Handles, PlainNodesPassTheBoneOn) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("root", kNone, Vec3(0, 0, 0)), joint_at("node", 0, Vec3(1, 0, 0)),
                     joint_at("tip", 1, Vec3(1, 0, 0))};
  skeleton.joints[1].deforms = false;
  const auto handles = joint_handles(skeleton, at_rest(skeleton)).handles;
  ASSERT_EQ(handles.size(), 2u);
  ASSERT_EQ(handles[0].shapes.size(), 1u);
  EXPECT_EQ(handles[0].shapes[0].b, Vec3(2, 0, 0));
  EXPECT_EQ(handles[1].joint, 2);
}

// A tail makes a leaf a bone, in the joint's own space.
TEST(Handles, TailOfALeaf) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("root", kNone, Vec3(1, 1, 1))};
  skeleton.joints[0].rest.rotation = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ());
  skeleton.joints[0].tail = Vec3(3, 0, 0);
  const auto handles = joint_handles(skeleton, at_rest(skeleton)).handles;
  EXPECT_LT((handles[0].shapes[0].b - Vec3(1, 4, 1)).norm(), 1e-12);
}

// Joints without a place, and those too far away to measure a distance, take no weight and are reported.
TEST(Handles, JointsTooFarAway) {
  for (const double far : {1e31, -1e308, std::numeric_limits<double>::infinity(), std::nan("")}) {
    Skeleton skeleton;
    skeleton.joints = {joint_at("near", kNone, Vec3(0, 0, 0)), joint_at("far", kNone, Vec3(0, far, 0))};
    const Handles found = joint_handles(skeleton, at_rest(skeleton));
    ASSERT_EQ(found.handles.size(), 1u) << far;
    EXPECT_EQ(found.handles[0].joint, 0) << far;
    ASSERT_FALSE(found.problems.empty()) << far;
    EXPECT_EQ(found.problems.back().code, "joint-not-finite") << far;
  }
}

// An excluded end bone still ends its parent's bone; an excluded branch beside a kept one does not lengthen it.
TEST(Handles, ExcludedJoints) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("arm", kNone, Vec3(0, 0, 0)), joint_at("hand", 0, Vec3(1, 0, 0)),
                     joint_at("hand_end", 1, Vec3(0.5, 0, 0)), joint_at("sword", 0, Vec3(0, 9, 0))};
  const Handles found = joint_handles(skeleton, at_rest(skeleton), {.exclude = {"*_end", "sw?rd"}});
  ASSERT_EQ(found.handles.size(), 2u);
  ASSERT_EQ(found.handles[0].shapes.size(), 1u);
  EXPECT_EQ(found.handles[0].shapes[0].b, Vec3(1, 0, 0));
  EXPECT_EQ(found.handles[1].shapes[0].b, Vec3(1.5, 0, 0));
  EXPECT_TRUE(test::has_problem(found.problems, "joints-excluded"));
}

// Joints on top of each other and bones without length become points; nothing to bind to is an error with a sentence.
TEST(Handles, DegenerateSkeletons) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("a", kNone, Vec3(1, 2, 3)), joint_at("b", 0, Vec3(0, 0, 0)),
                     joint_at("c", 1, Vec3(0, 0, 0))};
  for (const Handle& handle : joint_handles(skeleton, at_rest(skeleton)).handles) {
    ASSERT_EQ(handle.shapes.size(), 1u);
    EXPECT_EQ(handle.shapes[0].kind, HandleShape::Kind::point);
    EXPECT_EQ(handle.growth.direction, Vec3(0, 0, 0));
  }
  EXPECT_THROW(joint_handles(skeleton, at_rest(skeleton), {.exclude = {"*"}}), Error);
  EXPECT_THROW(joint_handles(Skeleton{}, {}), Error);
}

// Where most bones lie along an axis of their own joint, a leaf grows along that axis and not along the bone before it.
TEST(Handles, LeavesGrowAlongTheRigsAxis) {
  Skeleton skeleton;
  for (int j = 0; j < 5; ++j) skeleton.joints.push_back(joint_at(std::to_string(j), j - 1, Vec3(0, j == 0 ? 0 : 1, 0)));
  skeleton.joints.back().rest.rotation = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX());
  const auto handles = joint_handles(skeleton, at_rest(skeleton)).handles;
  EXPECT_LT((handles.back().growth.direction - Vec3(0, 0, 1)).norm(), 1e-12);
}

// Joints without any hierarchy, as WebXR has hands, get bones along the axis that leads from joint to joint, away from
// where the chains are close together.
TEST(Handles, FlatListsOfJoints) {
  Skeleton skeleton;
  const Quat back(Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitY()));
  for (int finger = -1; finger <= 1; ++finger) {
    const Vec3 out = Vec3(0.3 * finger, 0, 1).normalized();
    for (int k = 1; k <= 4; ++k) {
      Joint joint = joint_at("f" + std::to_string(finger) + std::to_string(k), kNone, k * out);
      joint.rest.rotation = turn_between(Vec3::UnitZ(), out) * back;  // -z points outward
      skeleton.joints.push_back(joint);
    }
  }
  const Handles found = joint_handles(skeleton, at_rest(skeleton));
  EXPECT_TRUE(test::has_problem(found.problems, "bones-inferred"));
  for (std::size_t h = 0; h < 12; ++h) {
    const HandleShape& shape = found.handles[h].shapes[0];
    if (h % 4 == 3) {
      EXPECT_EQ(shape.kind, HandleShape::Kind::point);
      EXPECT_GT(found.handles[h].growth.direction.z(), 0.9);
    } else {
      ASSERT_EQ(shape.kind, HandleShape::Kind::segment);
      EXPECT_LT((shape.b - skeleton.joints[h + 1].rest.translation).norm(), 1e-12);
    }
  }
}

// Distances to points, segments, boxes and ellipsoids.
TEST(Handles, Distances) {
  EXPECT_DOUBLE_EQ(distance(HandleShape::point(Vec3(1, 0, 0)), Vec3(4, 4, 0)), 5);
  const HandleShape bone = HandleShape::segment(Vec3(0, 0, 0), Vec3(2, 0, 0));
  EXPECT_DOUBLE_EQ(distance(bone, Vec3(1, 3, 0)), 3);
  EXPECT_DOUBLE_EQ(distance(bone, Vec3(5, 4, 0)), 5);
  const HandleShape box = HandleShape::box(Vec3(0, 0, 0), Vec3(1, 2, 3).asDiagonal());
  EXPECT_DOUBLE_EQ(distance(box, Vec3(0.5, -1, 2)), 0);
  EXPECT_DOUBLE_EQ(distance(box, Vec3(4, 6, 0)), 5);
  const HandleShape ball = HandleShape::ellipsoid(Vec3(0, 0, 0), 2 * Mat3::Identity());
  EXPECT_DOUBLE_EQ(distance(ball, Vec3(0, 0, 1.9)), 0);
  EXPECT_DOUBLE_EQ(distance(ball, Vec3(0, 0, 5)), 3);
  Handle both;
  both.shapes = {bone, ball};
  EXPECT_DOUBLE_EQ(distance(both, Vec3(0, 0, 5)), 3);
}

}  // namespace
}  // namespace isochor
