// Bones as their author meant them: each rule on the smallest skeleton or mesh that shows it, and none of them where
// they are switched off.

#include "isochor/bind/bone_rules.h"

#include <cmath>
#include <numbers>

#include "bind/bind_cases.h"
#include "isochor/rig/joint_names.h"

namespace isochor {
namespace {

using test::joint_at;

Quat half_turn(const Vec3& axis) { return Quat(Eigen::AngleAxisd(std::numbers::pi, axis)); }

Handles handles_of(const Skeleton& skeleton, const HandleOptions& options = {.proven = true}) {
  return joint_handles(skeleton, global_transforms(skeleton, rest_pose(skeleton)), options);
}

std::vector<Index> joints_of(const AppliedBoneRules& rules, BoneRule rule) {
  for (const AppliedBoneRule& applied : rules.list()) {
    if (applied.rule == rule) return applied.joints;
  }
  return {};
}

/// A spine along +y from the hips, and two legs down, each bone along its own +y: as Blender writes rigs.
Skeleton blender_rig() {
  Skeleton skeleton;
  skeleton.joints = {joint_at("hips", kNone, Vec3(0, 1, 0)), joint_at("spine", 0, Vec3(0, 0.3, 0)),
                     joint_at("head", 1, Vec3(0, 0.5, 0))};
  for (const double side : {0.2, -0.2}) {
    const auto thigh = static_cast<Index>(skeleton.joints.size());
    skeleton.joints.push_back(joint_at("thigh", 0, Vec3(side, 0, 0)));
    skeleton.joints.back().rest.rotation = half_turn(Vec3::UnitX());
    skeleton.joints.push_back(joint_at("shin", thigh, Vec3(0, 0.5, 0)));
    skeleton.joints.push_back(joint_at("foot", thigh + 1, Vec3(0, 0.5, 0)));
  }
  return skeleton;
}

// Where every bone lies along +y, a joint has one bone, that along its axis: not one to each child.
TEST(BoneRules, OffAxis) {
  const Handles found = handles_of(blender_rig());
  EXPECT_EQ(joints_of(found.rules, BoneRule::off_axis), std::vector<Index>{0});
  double length = 0;
  for (const HandleShape& shape : found.handles[0].shapes) length += (shape.b - shape.a).norm();
  EXPECT_NEAR(length, 0.3, 1e-12) << "to the spine alone";
  const Handles plain = handles_of(blender_rig(), {.rules = BoneRules::off});
  EXPECT_TRUE(plain.rules.list().empty());
  EXPECT_EQ(plain.handles[0].shapes.size(), 3u);
  EXPECT_NEAR((plain.handles[0].shapes[1].b - plain.handles[0].shapes[1].a).norm(), 0.2, 1e-12);
}

// A finger that lies a few degrees off a hand's axis is not where the hand ends: that is known only to reach as far as
// the nearest of what hangs from it, here a thumb.
TEST(BoneRules, AHandEndsBeforeItsFingers) {
  Skeleton skeleton = blender_rig();
  const auto hand = static_cast<Index>(skeleton.joints.size());
  skeleton.joints.push_back(joint_at("hand", 1, Vec3(0, 0.5, 0)));
  skeleton.joints.push_back(joint_at("thumb", hand, Vec3(0.04, 0.03, 0)));
  for (const double degrees : {-12.0, -4.0, 4.0, 12.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    skeleton.joints.push_back(joint_at("finger", hand, 0.1 * Vec3(std::sin(angle), std::cos(angle), 0)));
    skeleton.joints.push_back(joint_at("tip", static_cast<Index>(skeleton.joints.size()) - 1, Vec3(0, 0.04, 0)));
  }
  const Handles found = handles_of(skeleton);
  ASSERT_EQ(found.handles[hand].shapes.size(), 1u);
  const Vec3 end = found.handles[hand].shapes[0].b - found.handles[hand].shapes[0].a;
  EXPECT_LT((end - Vec3(0, 0.05, 0)).norm(), 1e-12) << end.transpose();
}

// All joints hang from one: bones are read off the axes, as if there were no hierarchy.
TEST(BoneRules, Star) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("wrist", kNone, Vec3(0, 0, 0))};
  for (int finger = -1; finger <= 1; ++finger) {
    const Vec3 out = Vec3(0.3 * finger, 0, 1).normalized();
    for (int k = 1; k <= 4; ++k) {
      Joint joint = joint_at("f" + std::to_string(finger) + std::to_string(k), 0, k * out);
      joint.rest.rotation = Quat::FromTwoVectors(Vec3::UnitZ(), out);
      skeleton.joints.push_back(joint);
    }
  }
  const Handles found = handles_of(skeleton);
  EXPECT_EQ(joints_of(found.rules, BoneRule::star).size(), 10u) << "three of each finger, and the wrist";
  ASSERT_EQ(found.handles[1].shapes.size(), 1u);
  EXPECT_LT((found.handles[1].shapes[0].b - skeleton.joints[2].rest.translation).norm(), 1e-9);
  EXPECT_EQ(handles_of(skeleton, {.rules = BoneRules::off}).handles[1].shapes[0].kind, HandleShape::Kind::point);
}

// A leaf grows no farther than to a joint that lies on its way.
TEST(BoneRules, Stop) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("hips", kNone, Vec3(0, 0, 0)), joint_at("chest", 0, Vec3(0, 1, 0)),
                     joint_at("neck", kNone, Vec3(0.05, 1.8, 0)), joint_at("head", 2, Vec3(0, 0.4, 0))};
  const Handles found = handles_of(skeleton);
  EXPECT_NEAR(found.handles[1].growth.limit, Vec3(0.05, 0.8, 0).norm(), 1e-12);
  EXPECT_FALSE(std::isfinite(found.handles[3].growth.limit));
  EXPECT_FALSE(std::isfinite(handles_of(skeleton, {.rules = BoneRules::off}).handles[1].growth.limit));
}

// In a rig whose bones run along +x on one side and along -x on the mirrored one, the leaves of both grow outward.
TEST(BoneRules, Mirror) {
  Skeleton skeleton;
  skeleton.joints = {joint_at("chest", kNone, Vec3(0, 0, 0)), joint_at("arm.l", 0, Vec3(1, 0, 0)),
                     joint_at("fore.l", 1, Vec3(1, 0, 0)),    joint_at("hand.l", 2, Vec3(1, 0, 0)),
                     joint_at("arm.r", 0, Vec3(-1, 0, 0)),    joint_at("hand.r", 4, Vec3(-1, 0, 0))};
  const Handles found = handles_of(skeleton);
  EXPECT_EQ(found.handles[3].growth.direction, Vec3(1, 0, 0));
  EXPECT_EQ(found.handles[5].growth.direction, Vec3(-1, 0, 0));
  EXPECT_EQ(joints_of(found.rules, BoneRule::mirror), std::vector<Index>{5});
}

// A leaf that starts outside crosses the empty space to the mesh, if that is no wider than the bone before it is long.
TEST(BoneRules, Outside) {
  std::vector<Handle> handles(2);
  handles[0].joint = 0;
  handles[0].shapes = {HandleShape::segment(Vec3(0.2, 0.5, 0.5), Vec3(0.8, 0.5, 0.5))};
  handles[1].joint = 1;
  handles[1].shapes = {HandleShape::point(Vec3(1.3, 0.5, 0.5))};
  handles[1].growth = {.direction = Vec3(-1, 0, 0), .parent_bone = 0.5};
  Context context(1);
  const GvbBinding near(test::cube(), handles, {.resolution = 64}, context);
  EXPECT_EQ(joints_of(near.evidence().rules, BoneRule::outside), std::vector<Index>{1});
  EXPECT_LT(near.handles()[1].shapes[0].b.x(), 0.1);
  handles[1].growth.parent_bone = 0.2;
  const GvbBinding far(test::cube(), handles, {.resolution = 64}, context);
  EXPECT_NEAR(far.handles()[1].shapes[0].b.x(), 1.3 - 0.3 * 0.2, 1e-9) << "too far: a stump";
}

// Names of controls and ends, and of joints that are neither.
TEST(BoneRules, Names) {
  for (const char* name : {"kneeIK.l", "control-foot-roll.r", "PoleTarget.L", "handslot.r", "IK-toe", "foot_ctrl"}) {
    EXPECT_TRUE(names_control(name)) << name;
  }
  for (const char* name : {"Spike", "hips", "Trike.001", "Hand.R", "DEF-spine"})
    EXPECT_FALSE(names_control(name)) << name;
  for (const char* name : {"HeadTop_End", "tail_leaf", "index-finger-tip", "Nub01"})
    EXPECT_TRUE(names_end(name)) << name;
  for (const char* name : {"Bend", "hips", "tendon"}) EXPECT_FALSE(names_end(name)) << name;
}

// A root outside the mesh, a control by its name and a joint at the very end of a limb take no weight; known to be in
// use, they do.
TEST(BoneRules, ControlsAndEnds) {
  Character character = test::trousers(0.1, 600);
  auto& joints = character.skeleton.joints;
  joints.push_back(joint_at("kneeIK", 1, Vec3(0, -0.5, 0)));
  joints.push_back(joint_at("left foot_end", 2, Vec3(0, -0.14, 0)));
  for (Joint& joint : joints) joint.parent = joint.parent == kNone ? 0 : joint.parent + 1;
  joints[0].rest.translation -= Vec3(0, -0.5, 0);
  joints.insert(joints.begin(), joint_at("root", kNone, Vec3(0, -0.5, 0)));
  BindOptions options;
  options.gvb.resolution = 64;
  Context context(2);
  for (const BindMethod method : {BindMethod::gvb, BindMethod::heat}) {
    SCOPED_TRACE(enum_name(method));
    options.method = method;
    options.handles.rules = BoneRules::on;
    const BindResult result = bind(character, options, context);
    test::expect_all_bound(result, character);
    EXPECT_EQ(result.joints, 5u);
    EXPECT_EQ(joints_of(result.volumes[0].rules, BoneRule::control), (std::vector<Index>{0, 6}));
    EXPECT_EQ(joints_of(result.volumes[0].rules, BoneRule::end), std::vector<Index>{7});
    options.rigid = {{"skin", "kneeIK"}, {"skin", "left foot_end"}};
    EXPECT_EQ(bind(character, options, context).joints, 7u) << "joints that the user names take part";
    options.rigid.clear();
    options.handles.rules = BoneRules::off;
    EXPECT_EQ(bind(character, options, context).joints, 8u);
  }
}

// A sheet has no inside: the bones of a wing lie beside its skin, and all of them are bones.
TEST(BoneRules, SingleSheet) {
  Surface sheet;
  constexpr int kAlong = 32, kAcross = 12;
  for (int i = 0; i <= kAlong; ++i) {
    for (int k = 0; k <= kAcross; ++k) sheet.positions.emplace_back(0.1 * i, 0.1 * k - 0.6, 0.0);
  }
  for (int i = 0; i < kAlong; ++i) {
    for (int k = 0; k < kAcross; ++k) {
      const Index a = i * (kAcross + 1) + k, b = a + kAcross + 1;
      sheet.add_face({a, b, b + 1, a + 1});
    }
  }
  Skeleton skeleton;
  skeleton.joints = {joint_at("shoulder", kNone, Vec3(0.2, 0, 0.03)), joint_at("elbow", 0, Vec3(1, 0, 0)),
                     joint_at("wrist", 1, Vec3(1, 0, 0)), joint_at("feather", 2, Vec3(0.5, 0.1, 0))};
  const Character wing = test::character_of(sheet, skeleton);
  BindOptions options;
  options.gvb.resolution = 64;
  Context context(2);
  for (const BindMethod method : {BindMethod::automatic, BindMethod::heat, BindMethod::distance, BindMethod::gvb}) {
    SCOPED_TRACE(enum_name(method));
    options.method = method;
    const BindResult result = bind(wing, options, context);
    test::expect_all_bound(result, wing);
    EXPECT_EQ(result.joints, 4u);
    EXPECT_TRUE(joints_of(result.volumes[0].rules, BoneRule::control).empty());
  }
}

// A buckle beside the body that sees no bone follows one joint alone; one that has a joint of its own does not.
TEST(BoneRules, Shell) {
  Character character = test::trousers(0.1, 1500);
  Surface buckle = test::cube();
  for (Vec3& p : buckle.positions) p = 0.06 * p + Vec3(0.05, 0.97, 0.22);
  const auto first = static_cast<std::size_t>(append(character.parts[0].surface, buckle));
  BindOptions options;
  Context context(2);
  for (const BindMethod method : {BindMethod::gvb, BindMethod::automatic}) {
    SCOPED_TRACE(enum_name(method));
    options.method = method;
    options.gvb.resolution = 64;
    const BindResult result = bind(character, options, context);
    test::expect_all_bound(result, character);
    const SkinWeights& weights = result.parts[0].weights;
    for (std::size_t v = first; v < first + 8; ++v) {
      ASSERT_EQ(weights.row(v).size(), 1u) << v;
      EXPECT_EQ(weights.row(v)[0].joint, weights.row(first)[0].joint);
    }
    EXPECT_EQ(joints_of(result.volumes[0].rules, BoneRule::shell).size(), 1u);
  }
}

// Tiny weights and rows that the reader made up do not make a joint one in use.
TEST(BoneRules, InUse) {
  Character character = test::trousers(0.1, 600);
  character.skeleton.joints.push_back(joint_at("spare", 2, Vec3(0, 0.2, 0)));
  BindOptions options;
  options.method = BindMethod::gvb;
  options.gvb.resolution = 64;
  Context context(2);
  apply(bind(character, options, context), character);
  Part& part = character.parts[0];
  for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
    for (Influence& i : part.weights.row(v)) i.joint = part.skin.joints[i.joint] == 5 ? 2 : i.joint;
  }
  repair(part.weights, 6);
  part.weights.row(7)[0] = {5, 1.0};  // the reader's choice
  part.unweighted = {7};
  EXPECT_EQ(bind(character, options, context).joints, 5u);
  part.unweighted.clear();
  EXPECT_EQ(bind(character, options, context).joints, 6u);
}

}  // namespace
}  // namespace isochor
