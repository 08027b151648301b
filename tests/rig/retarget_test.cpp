#include "isochor/rig/retarget.h"

#include <cmath>

#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

Quat about(const Vec3& axis, double degrees) { return Quat(Eigen::AngleAxisd(degrees * std::acos(-1.0) / 180, axis)); }

Index add(Skeleton& skeleton, const std::string& name, Index parent, const Vec3& offset,
          const Quat& rotation = Quat::Identity()) {
  Joint joint;
  joint.name = name;
  joint.parent = parent;
  joint.rest.translation = offset;
  joint.rest.rotation = rotation;
  skeleton.joints.push_back(joint);
  return static_cast<Index>(skeleton.size() - 1);
}

/// Hips, a leg of two bones, a spine, and an arm of two bones with a hand that points along `arm`.
Skeleton figure(const Vec3& arm, double size = 1) {
  Skeleton s;
  const Index hips = add(s, "Hips", kNone, Vec3(0, 10, 0) * size);
  const Index thigh = add(s, "UpLeg", hips, Vec3(1, 0, 0) * size);
  const Index shin = add(s, "Leg", thigh, Vec3(0, -5, 0) * size);
  add(s, "Foot", shin, Vec3(0, -5, 0) * size);
  const Index spine = add(s, "Spine", hips, Vec3(0, 4, 0) * size);
  const Index upper = add(s, "Arm", spine, Vec3(1, 1, 0) * size);
  const Index lower = add(s, "ForeArm", upper, arm * 3 * size);
  const Index hand = add(s, "Hand", lower, arm * 3 * size);
  s.joints[hand].tail = arm * size;
  return s;
}

void add_rotation(Clip& clip, Index joint, const std::vector<Quat>& keys) {
  Channel channel;
  channel.joint = joint;
  channel.path = ChannelPath::rotation;
  channel.width = 4;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    channel.times.push_back(static_cast<double>(k));
    channel.values.insert(channel.values.end(), keys[k].coeffs().data(), keys[k].coeffs().data() + 4);
  }
  clip.channels.push_back(channel);
}

void add_translation(Clip& clip, Index joint, const std::vector<Vec3>& keys) {
  Channel channel;
  channel.joint = joint;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    channel.times.push_back(static_cast<double>(k));
    channel.values.insert(channel.values.end(), keys[k].data(), keys[k].data() + 3);
  }
  clip.channels.push_back(channel);
}

Clip wild_motion(const Skeleton& skeleton) {
  Clip clip;
  clip.name = "wild";
  add_translation(clip, 0, {Vec3(0, 10, 0), Vec3(3, 9, 1), Vec3(5, 12, -2)});
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const auto x = static_cast<double>(j);
    add_rotation(
        clip, static_cast<Index>(j),
        {skeleton.joints[j].rest.rotation, about(Vec3(1, x, 2).normalized(), 40 + 10 * x), about(Vec3::UnitY(), 160)});
  }
  return clip;
}

std::vector<Affine> global_at(const Skeleton& skeleton, const Clip& clip, double time) {
  return global_transforms(skeleton, sample(clip, skeleton, time));
}

// Onto its own skeleton a motion comes back as it was, whatever the options that bring different rest poses together.
TEST(Retarget, OntoItself) {
  Skeleton skeleton = figure(Vec3(1, 0, 0));
  skeleton.joints[1].rest.rotation = about(Vec3::UnitZ(), 30);
  skeleton.joints[5].rest.rotation = about(Vec3::UnitX(), 70);
  const Clip motion = wild_motion(skeleton);
  for (const SourceRest rest : {SourceRest::skeleton, SourceRest::first_frame}) {
    for (const BoneAlignment alignment : {BoneAlignment::off, BoneAlignment::on}) {
      const Retargeted result = retarget(skeleton, motion, skeleton, {.source_rest = rest, .alignment = alignment});
      EXPECT_DOUBLE_EQ(result.scale, 1);
      EXPECT_EQ(result.matched.size(), skeleton.size());
      EXPECT_TRUE(result.unmatched_source.empty());
      EXPECT_TRUE(result.unmatched_target.empty());
      EXPECT_TRUE(validate(result.clip, skeleton).empty());
      for (const double time : {0.0, 0.5, 1.0, 1.3, 2.0}) {
        const auto before = global_at(skeleton, motion, time);
        const auto after = global_at(skeleton, result.clip, time);
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
          EXPECT_TRUE(after[j].isApprox(before[j], 1e-12)) << skeleton.joints[j].name << " at " << time;
        }
      }
    }
  }
}

// A twice as large figure takes steps twice as long.
TEST(Retarget, ScalesRootTranslation) {
  const Skeleton small = figure(Vec3(1, 0, 0));
  const Skeleton large = figure(Vec3(1, 0, 0), 2);
  const Retargeted result = retarget(small, wild_motion(small), large);
  EXPECT_DOUBLE_EQ(result.scale, 2);
  const auto from = global_at(small, wild_motion(small), 2);
  const auto to = global_at(large, result.clip, 2);
  for (std::size_t j = 0; j < small.size(); ++j)
    EXPECT_TRUE(to[j].translation().isApprox(2 * from[j].translation(), 1e-12));
  EXPECT_TRUE(
      global_at(large, retarget(small, wild_motion(small), large, {.scale = 3}).clip, 2)[0].translation().isApprox(
          Vec3(15, 20 + 3 * 2, -6)));
}

Vec3 bone(const std::vector<Affine>& global, Index from, Index to) {
  return (global[to].translation() - global[from].translation()).normalized();
}

// Arms that hang at rest point where the source's arms point, though the source was recorded with arms stretched out.
TEST(Retarget, AlignsRestPoses) {
  const Skeleton stretched = figure(Vec3(1, 0, 0));
  const Skeleton hanging = figure(Vec3(0.6, -0.8, 0));
  const Clip motion = wild_motion(stretched);
  const Clip aligned = retarget(stretched, motion, hanging).clip;
  const Clip turned = retarget(stretched, motion, hanging, {.alignment = BoneAlignment::off}).clip;
  for (const double time : {0.0, 1.0, 2.0}) {
    const auto source = global_at(stretched, motion, time);
    const auto target = global_at(hanging, aligned, time);
    EXPECT_TRUE(bone(target, 5, 6).isApprox(bone(source, 5, 6), 1e-9)) << time;
    EXPECT_TRUE(bone(target, 6, 7).isApprox(bone(source, 6, 7), 1e-9)) << time;
    // The hand is short: it follows its forearm instead of its own direction, which here is the same.
    EXPECT_TRUE(
        (target[7].linear() * *hanging.joints[7].tail).isApprox(source[7].linear() * *stretched.joints[7].tail, 1e-9));
  }
  // Without alignment, the arm at the source's rest is at its own rest.
  EXPECT_TRUE(bone(global_at(hanging, turned, 0), 5, 6).isApprox(Vec3(0.6, -0.8, 0), 1e-12));
}

// Short bones that only lie differently (a bent spine, a foot) keep their rest direction.
TEST(Retarget, ShortBonesKeepTheirBuild) {
  Skeleton source = figure(Vec3(1, 0, 0));
  Skeleton target = source;
  add(source, "Toe", 3, Vec3(0, -0.2, 1));
  add(target, "Toe", 3, Vec3(0, -0.6, 0.8));
  Clip still;
  add_rotation(still, 0, {Quat::Identity()});
  const auto posed = global_at(target, retarget(source, still, target).clip, 0);
  EXPECT_TRUE(posed[3].linear().isIdentity(1e-12));
}

// Joints of the target without a partner stay at rest relative to their parents; those below them still get their turn.
TEST(Retarget, PassesOverUnmatchedJoints) {
  const Skeleton source = figure(Vec3(1, 0, 0));
  Skeleton target;
  const Index root = add(target, "Root", kNone, Vec3(0, 1, 0), about(Vec3::UnitX(), -90));
  target.joints[root].deforms = false;
  const Index hips = add(target, "Hips", root, Vec3(0, 0, 9), about(Vec3::UnitX(), 90));
  const Index twist = add(target, "Twist", hips, Vec3(0, 2, 0), about(Vec3::UnitY(), 25));
  const Index spine = add(target, "Spine", twist, Vec3(0, 2, 0));
  const Clip motion = wild_motion(source);
  const Retargeted result = retarget(source, motion, target);
  EXPECT_EQ(result.matched, (std::vector<JointPair>{{0, hips}, {4, spine}}));
  EXPECT_EQ(result.unmatched_target, std::vector<Index>{twist});
  EXPECT_EQ(result.unmatched_source, (std::vector<Index>{1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(result.problems.size(), 2U);
  const auto from = global_at(source, motion, 1);
  const auto to = global_at(target, result.clip, 1);
  const auto rest = global_transforms(target, rest_pose(target));
  EXPECT_TRUE(to[spine].linear().isApprox(from[4].linear() * rest[spine].linear(), 1e-12));
  EXPECT_TRUE(
      to[twist].linear().isApprox(to[hips].linear() * target.joints[twist].rest.rotation.toRotationMatrix(), 1e-12));
  EXPECT_TRUE(to[hips].translation().isApprox(from[0].translation(), 1e-12));
}

// A target whose nodes carry a scale of 100 moves as one without.
TEST(Retarget, ScaledTarget) {
  const Skeleton source = figure(Vec3(1, 0, 0));
  Skeleton target;
  add(target, "Armature", kNone, Vec3::Zero(), about(Vec3::UnitX(), -90));
  target.joints[0].rest.scale *= 100;
  for (Joint joint : source.joints) {
    joint.parent += 1;
    if (joint.parent == 0) {
      joint.rest.translation = about(Vec3::UnitX(), 90) * joint.rest.translation;
      joint.rest.rotation = about(Vec3::UnitX(), 90);
    }
    joint.rest.translation /= 100;
    target.joints.push_back(joint);
  }
  const Retargeted result = retarget(source, wild_motion(source), target);
  EXPECT_NEAR(result.scale, 1, 1e-12);
  const auto from = global_at(source, wild_motion(source), 2);
  const auto to = global_at(target, result.clip, 2);
  for (std::size_t j = 0; j < source.size(); ++j) {
    EXPECT_TRUE(to[j + 1].translation().isApprox(from[j].translation(), 1e-9)) << source.joints[j].name;
  }
}

// The first frame may serve as the source's rest, and the character may begin where it stands.
TEST(Retarget, FirstFrameAndPlacement) {
  const Skeleton source = figure(Vec3(0, -1, 0));
  const Skeleton target = figure(Vec3(1, 0, 0));
  Clip motion;
  add_translation(motion, 0, {Vec3(50, 10, 0), Vec3(52, 10, 0)});
  add_rotation(motion, 5, {about(Vec3::UnitZ(), 90), about(Vec3::UnitZ(), 60)});
  const Retargeted first = retarget(source, motion, target, {.source_rest = SourceRest::first_frame});
  EXPECT_TRUE(global_at(target, first.clip, 0)[0].translation().isApprox(Vec3(0, 10, 0)));
  EXPECT_TRUE(bone(global_at(target, first.clip, 0), 5, 6).isApprox(Vec3(1, 0, 0), 1e-9));
  EXPECT_TRUE(bone(global_at(target, first.clip, 1), 5, 6).isApprox(about(Vec3::UnitZ(), -30) * Vec3(1, 0, 0), 1e-9));
  const Retargeted recorded = retarget(source, motion, target);
  EXPECT_TRUE(global_at(target, recorded.clip, 1)[0].translation().isApprox(Vec3(52, 10, 0)));
  const Retargeted placed = retarget(source, motion, target, {.placement = RootPlacement::at_rest});
  EXPECT_TRUE(global_at(target, placed.clip, 1)[0].translation().isApprox(Vec3(2, 10, 0)));
}

// A motion with z up drives a character with y up.
TEST(Retarget, TurnsAxes) {
  const Skeleton target = figure(Vec3(1, 0, 0));
  Skeleton source = target;
  const Quat up = about(Vec3::UnitX(), 90);
  for (Joint& joint : source.joints) joint.rest.translation = up * joint.rest.translation;
  Clip motion;
  add_translation(motion, 0, {Vec3(0, -3, 12)});
  add_rotation(motion, 5, {about(Vec3::UnitZ(), 40)});
  const auto posed =
      global_at(target, retarget(source, motion, target, {.source_axes = SourceAxes::z_up_to_y_up}).clip, 0);
  EXPECT_TRUE(posed[0].translation().isApprox(Vec3(0, 12, 3), 1e-9));
  EXPECT_TRUE(bone(posed, 5, 6).isApprox(about(Vec3::UnitY(), 40) * Vec3(1, 0, 0), 1e-9));
}

Skeleton named(const std::vector<std::string>& names) {
  Skeleton skeleton;
  for (const std::string& name : names) add(skeleton, name, kNone, Vec3::Zero());
  return skeleton;
}

/// Each joint below the one before.
Skeleton chain_of(const std::vector<std::string>& names) {
  Skeleton skeleton;
  for (const std::string& name : names) {
    add(skeleton, name, static_cast<Index>(skeleton.size()) - 1, Vec3(0, 1, 0));
  }
  return skeleton;
}

std::vector<std::string> pairs_in_words(const Skeleton& source, const Skeleton& target) {
  std::vector<std::string> result;
  for (const JointPair& pair : match_joints(source, target)) {
    result.push_back(source.joints[pair.source].name + " " + target.joints[pair.target].name);
  }
  return result;
}

// Names match exactly, then without prefix, case and separators, where that is unique; a map goes before both.
TEST(Retarget, MatchesNames) {
  constexpr auto map = MatchedBy::map;
  constexpr auto spelling = MatchedBy::spelling;
  const Skeleton source = named({"Hips", "mixamorig:LeftArm", "spine.001", "Head", "HEAD", "LeftHandIndex1"});
  const Skeleton target = named({"left_arm", "Spine001", "head", "Hips", "LeftHandFinger1"});
  EXPECT_EQ(match_joints(source, target), (std::vector<JointPair>{{1, 0, spelling}, {2, 1, spelling}, {0, 3}}));
  EXPECT_EQ(match_joints(source, target, {{"LeftHandIndex1", "LeftHandFinger1"}, {"Hips", ""}, {"Head", "head"}}),
            (std::vector<JointPair>{{1, 0, spelling}, {2, 1, spelling}, {3, 2, map}, {5, 4, map}}));
  EXPECT_THROW(match_joints(source, target, {{"Tail", "head"}}), Error);
  EXPECT_THROW(match_joints(source, target, {{"Head", "Tail"}}), Error);
  EXPECT_THROW(match_joints(source, target, {{"Head", "head"}, {"HEAD", "head"}}), Error);
  EXPECT_THROW(retarget(named({"a"}), Clip(), named({"b"})), TooFewMatches);
}

// What no name fits is paired by the part of the body; a joint that has a partner by its name keeps it, and so does one
// that the map leaves out.
TEST(Retarget, MatchesParts) {
  const Skeleton source = named({"mixamorig:LeftUpLeg", "LeftLeg", "Head"});
  const Skeleton target = named({"thigh_l", "calf_l", "head"});
  constexpr auto part = MatchedBy::part;
  EXPECT_EQ(match_joints(source, target),
            (std::vector<JointPair>{{0, 0, part}, {1, 1, part}, {2, 2, MatchedBy::spelling}}));
  EXPECT_EQ(match_joints(source, target, {{"LeftLeg", ""}, {"Head", "calf_l"}}),
            (std::vector<JointPair>{{0, 0, part}, {2, 1, MatchedBy::map}}));
}

// Equal names that mean different parts are no pair: the shoulder of one is the collar bone of the other.
TEST(Retarget, EqualNamesOfDifferentMeaning) {
  EXPECT_EQ(pairs_in_words(chain_of({"LeftShoulder", "LeftArm", "LeftForeArm"}),
                           chain_of({"LeftCollar", "LeftShoulder", "LeftElbow"})),
            (std::vector<std::string>{"LeftShoulder LeftCollar", "LeftArm LeftShoulder", "LeftForeArm LeftElbow"}));
}

// Spines of different length are paired end to end, the joints between by their place. A single joint of the character
// follows the last of the motion, a single one of the motion bends where the character's spine begins.
TEST(Retarget, SpinesOfDifferentLength) {
  const Skeleton one = chain_of({"Hips", "torso", "Neck"});
  const Skeleton three = chain_of({"Hips", "abdomen", "waist", "chest", "Neck"});
  const Skeleton five = chain_of({"Hips", "spine_01", "spine_02", "spine_03", "spine_04", "spine_05", "Neck"});
  using Words = std::vector<std::string>;
  EXPECT_EQ(pairs_in_words(three, five),
            (Words{"Hips Hips", "abdomen spine_01", "waist spine_03", "chest spine_05", "Neck Neck"}));
  EXPECT_EQ(pairs_in_words(five, three),
            (Words{"Hips Hips", "spine_01 abdomen", "spine_03 waist", "spine_05 chest", "Neck Neck"}));
  EXPECT_EQ(pairs_in_words(five, one), (Words{"Hips Hips", "spine_05 torso", "Neck Neck"}));
  EXPECT_EQ(pairs_in_words(one, five), (Words{"Hips Hips", "torso spine_01", "Neck Neck"}));
  // Pairs by name cut the chains: what is below them on one side finds nothing above them on the other.
  EXPECT_EQ(pairs_in_words(chain_of({"LowerBack", "Spine", "Spine1", "Head"}),
                           chain_of({"Spine", "Spine1", "Spine2", "Head"})),
            (Words{"Spine Spine", "Spine1 Spine1", "Head Head"}));
}

/// A motion that turns each of the joints.
Clip turning(const Skeleton& skeleton) {
  Clip clip;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    add_rotation(clip, static_cast<Index>(j), {Quat::Identity(), about(Vec3::UnitX(), 30)});
  }
  return clip;
}

std::vector<std::string> bones(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("part" + std::string(1, static_cast<char>('a' + i)));
  return names;
}

// More than half of what moves must find a partner, or more than half of what deforms must be moved.
TEST(Retarget, RefusesTooFew) {
  const auto carried = [](const std::vector<std::string>& source, const std::vector<std::string>& target) {
    return retarget(chain_of(source), turning(chain_of(source)), chain_of(target)).matched.size();
  };
  std::vector<std::string> motion = bones(20);
  motion.insert(motion.end(), {"Hips", "Spine", "Head"});
  std::vector<std::string> body{"u", "v", "w", "x", "y", "z", "Hips", "Spine", "Head"};
  EXPECT_THROW(carried(motion, body), TooFewMatches);
  try {
    carried(motion, body);
  } catch (const TooFewMatches& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("of the motion have none: parta, partb"), std::string::npos) << said;
    EXPECT_NE(said.find("and 12 more; of the character: u, v, w, x, y, z"), std::string::npos) << said;
  }
  // A small rig, a motion for a part of a large one, a large motion for a small one.
  EXPECT_EQ(carried({"Bone", "Bone.001"}, {"Bone", "Bone.001"}), 2U);
  EXPECT_EQ(carried({"Hips", "Spine", "Head"}, body), 3U);
  EXPECT_EQ(carried(motion, {"Hips", "Spine", "Head", "tail", "hat"}), 3U);
  EXPECT_THROW(carried({"Bone", "other"}, {"Bone", "another"}), TooFewMatches);  // half is not enough
}

// Joints that the motion leaves at rest do not count, nor do fingers and controls, unless there is nothing else.
TEST(Retarget, CountsWhatMatters) {
  const std::vector<std::string> hand{"wrist", "thumb-metacarpal", "index-finger-phalanx-proximal"};
  const Skeleton target = chain_of({"LeftHand", "LeftHandThumb1", "LeftHandIndex1", "a", "b", "c", "d", "IK-hand.l"});
  Skeleton source = chain_of({"LeftHand", "LeftHandThumb1", "LeftHandIndex1", "x", "y", "z"});
  Clip motion;
  add_rotation(motion, 0, {Quat::Identity(), about(Vec3::UnitX(), 30)});
  const MatchCount count = retarget(source, motion, target).count;
  EXPECT_EQ(count.moving, 1U);
  EXPECT_EQ(count.moving_matched, 1U);
  EXPECT_EQ(count.deforming, 5U);
  EXPECT_EQ(count.deforming_matched, 1U);
  const Skeleton fingers = chain_of({"thumb1", "thumb2"});
  EXPECT_EQ(retarget(fingers, turning(fingers), fingers).count.moving, 2U);
  EXPECT_EQ(retarget(named(hand), turning(named(hand)), named(hand)).matched.size(), 3U);
}

// Who gives a map has decided what is enough; a map that only leaves joints out has not.
TEST(Retarget, AMapDecides) {
  std::vector<std::string> source = bones(20);
  source.push_back("trunk");
  const Clip motion = turning(chain_of(source));
  const Skeleton target = chain_of({"a", "b", "c", "Trunk3"});
  EXPECT_EQ(retarget(chain_of(source), motion, target, {.names = {{"trunk", "Trunk3"}}}).matched.size(), 1U);
  EXPECT_THROW(retarget(chain_of(source), motion, target, {.names = {{"trunk", ""}}}), TooFewMatches);
}

// Below a root that both have, the hips still rise and sink as recorded.
TEST(Retarget, HipsTranslateBelowARoot) {
  Skeleton skeleton;
  add(skeleton, "root", kNone, Vec3::Zero());
  add(skeleton, "pelvis", 0, Vec3(0, 10, 0));
  add(skeleton, "thigh_l", 1, Vec3(1, 0, 0));
  Clip motion;
  add_translation(motion, 0, {Vec3::Zero(), Vec3(7, 0, 0)});
  add_translation(motion, 1, {Vec3(0, 10, 0), Vec3(0, 6, 0)});
  const Retargeted result = retarget(skeleton, motion, skeleton);
  const auto posed = global_at(skeleton, result.clip, 1);
  EXPECT_TRUE(posed[0].translation().isApprox(Vec3(7, 0, 0)));
  EXPECT_TRUE(posed[1].translation().isApprox(Vec3(7, 6, 0)));
  EXPECT_TRUE(result.problems.empty());
}

/// Hips and a leg; the foot hangs from the leg, or, before it, from the root.
Skeleton leg(bool detached) {
  Skeleton s;
  add(s, "Bone", kNone, Vec3::Zero());
  if (detached) add(s, "Foot.L", 0, Vec3(1, 0, 0));
  const Index hips = add(s, "Hips", 0, Vec3(0, 10, 0));
  const Index thigh = add(s, "UpperLeg.L", hips, Vec3(1, 0, 0));
  const Index shin = add(s, "LowerLeg.L", thigh, Vec3(0, -5, 0));
  if (!detached) add(s, "Foot.L", shin, Vec3(0, -5, 0));
  return s;
}

// A foot that hangs from the root goes along with its leg.
TEST(Retarget, DetachedFoot) {
  const Skeleton source = leg(false);
  const Skeleton target = leg(true);
  Clip motion;
  add_translation(motion, 1, {Vec3(0, 10, 0), Vec3(7, 9, 0)});
  for (const Index j : {1, 2, 3, 4}) add_rotation(motion, j, {Quat::Identity(), about(Vec3::UnitX(), 10.0 * (j + 1))});
  const Retargeted result = retarget(source, motion, target);
  EXPECT_EQ(result.matched.size(), source.size());
  const auto from = global_at(source, motion, 1);
  const auto to = global_at(target, result.clip, 1);
  for (std::size_t j = 0; j < target.size(); ++j) {
    EXPECT_TRUE(to[j].isApprox(from[source.find(target.joints[j].name)], 1e-9)) << target.joints[j].name;
  }
  // From a motion whose foot hangs from the root, too: where that foot goes.
  Clip led;
  add_translation(led, 1, {Vec3(1, 0, 0), Vec3(1, 0, 4)});
  const Retargeted onto_itself = retarget(target, led, target);
  EXPECT_TRUE(global_at(target, onto_itself.clip, 1)[1].translation().isApprox(Vec3(1, 0, 4)));
}

// A motion that moves nothing is carried over, and that is said.
TEST(Retarget, StillMotion) {
  const Skeleton skeleton = figure(Vec3(1, 0, 0));
  Clip still;
  add_rotation(still, 0, {Quat::Identity()});
  const Retargeted result = retarget(skeleton, still, skeleton);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].code, "motion-still");
  EXPECT_EQ(result.count.moving, skeleton.size());
}

// Joints that were passed over because another has a name of the same meaning are told.
TEST(Retarget, ReportsSurplus) {
  const Skeleton source = chain_of({"LeftArm", "LeftForeArm"});
  const Skeleton target = chain_of({"upperarm01.L", "upperarm02.L", "lowerarm01.L"});
  const Retargeted result = retarget(source, turning(source), target);
  EXPECT_EQ(result.matched, (std::vector<JointPair>{{0, 0, MatchedBy::part}, {1, 2, MatchedBy::part}}));
  ASSERT_EQ(result.problems.size(), 2U);
  EXPECT_EQ(result.problems[1].code, "joints-surplus");
  EXPECT_EQ(result.problems[1].elements, std::vector<Index>{1});
}

// A single source may drive one target only once; an option out of range is refused.
TEST(Retarget, ChecksOptions) {
  const Skeleton skeleton = figure(Vec3(1, 0, 0));
  EXPECT_THROW(retarget(skeleton, Clip(), skeleton, {.scale = -1}), Error);
  EXPECT_THROW(retarget(skeleton, Clip(), skeleton, {.align_from = 2}), Error);
  EXPECT_TRUE(retarget(skeleton, Clip(), skeleton).clip.channels.at(0).times.empty());
}

// Translations below the topmost joint are not carried over, and that is said.
TEST(Retarget, ReportsLostChannels) {
  const Skeleton skeleton = figure(Vec3(1, 0, 0));
  Clip motion;
  add_translation(motion, 6, {skeleton.joints[6].rest.translation, Vec3(4, 0, 0)});
  const Retargeted result = retarget(skeleton, motion, skeleton);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].code, "motion-channels-lost");
}

// Neighbouring rotations lie in one hemisphere.
TEST(Retarget, RotationsAreContinuous) {
  const Skeleton skeleton = figure(Vec3(1, 0, 0));
  Clip motion;
  std::vector<Quat> keys(40);
  for (int k = 0; k < 40; ++k) keys[static_cast<std::size_t>(k)] = about(Vec3::UnitY(), 20.0 * k);
  add_rotation(motion, 0, keys);
  for (const Channel& channel : retarget(skeleton, motion, skeleton).clip.channels) {
    if (channel.path != ChannelPath::rotation) continue;
    for (std::size_t k = 4; k < channel.values.size(); k += 4) {
      EXPECT_GT(Eigen::Map<const Eigen::Vector4d>(&channel.values[k])
                    .dot(Eigen::Map<const Eigen::Vector4d>(&channel.values[k - 4])),
                0);
    }
  }
}

}  // namespace
}  // namespace isochor
