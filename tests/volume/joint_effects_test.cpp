#include "isochor/volume/joint_effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "deform/allocation_count.h"
#include "isochor/deform/posed_skin.h"
#include "isochor/sample/sample.h"
#include "limb.h"

namespace isochor {
namespace {

constexpr double kPerDegree = std::numbers::pi / 180;

/// A sample that can be posed, with what effects need.
struct Stage {
  Character character;
  WeldedCharacter welded;
  RestSpace space;

  explicit Stage(const char* name) : character(make_sample(name)), welded(character), space(welded.rest_space()) {}
  Stage(const Stage&) = delete;

  JointEffects prepare(const VolumeSettings& settings, std::span<const PaintedMap> painted = {}) const {
    return JointEffects::prepare({space, character.skeleton, painted}, settings);
  }
};

struct Posed {
  std::vector<Affine> maps;
  std::vector<Vec3> positions;
  EffectPose view() const { return {maps, positions}; }
};

Posed posed(const Stage& stage, const JointEffects& effects, const Pose& pose) {
  Posed result;
  result.maps.resize(stage.character.skeleton.size());
  effects.joint_maps(global_transforms(stage.character.skeleton, pose), result.maps);
  result.positions = play(stage.welded, pose, Deformer::lbs, Context()).positions;
  return result;
}

Pose bend(const Stage& stage, double degrees) {
  Pose pose = rest_pose(stage.character.skeleton);
  pose.local[1].rotation = pose.local[1].rotation * Eigen::AngleAxisd(degrees * kPerDegree, Vec3::UnitZ());
  return pose;
}

Pose twist(const Stage& stage, double degrees) {
  Pose pose = rest_pose(stage.character.skeleton);
  pose.local[1].rotation = pose.local[1].rotation * Eigen::AngleAxisd(degrees * kPerDegree, Vec3::UnitY());
  return pose;
}

VolumeSettings all(const EffectSettings& effect) {
  VolumeSettings settings;
  settings.otherwise = effect;
  return settings;
}

CorrectionField field_of(const JointEffects& effects, std::size_t i, const Posed& pose) {
  AxesTrack track(effects.axes());
  CorrectionField field;
  effects.evaluate(i, pose.view(), track, field);
  return field;
}

std::vector<EffectSettings> every_effect() {
  std::vector<EffectSettings> effects;
  for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) {
    effects.push_back(default_effect(static_cast<Effect>(e)));
    EffectSettings& s = effects.back();
    s.map = "paint";
    if (s.effect == Effect::curve) s.x = s.z = Profile({{-1, 0}, {0.2, 1}, {1, 0}});
    if (s.effect == Effect::combined) s.maps = {default_effect(Effect::blend), default_effect(Effect::muscle)};
  }
  return effects;
}

PaintedMap paint(const Stage& stage) {
  PaintedMap map{"paint", {}};
  for (const Vec3& p : stage.space.rest) map.values.push_back(std::max(0.0, p.y()));
  return map;
}

// Fields are what the contract says: vertices increasing and in range, γ positive and finite, shares summing to 1, the
// axes orthonormal; for every effect of every joint of every sample in motion, and in degenerate poses.
TEST(JointEffects, FieldsKeepTheContract) {
  for (const char* name : {"cylinder", "giraffe", "knight"}) {
    const Stage stage(name);
    const std::vector<PaintedMap> painted = {paint(stage)};
    std::vector<Pose> poses = {rest_pose(stage.character.skeleton)};
    for (const Clip& clip : stage.character.clips) {
      poses.push_back(sample(clip, stage.character.skeleton, clip.start() + 0.6 * clip.duration()));
    }
    poses.push_back(poses.back());
    for (Transform& t : poses.back().local) t.scale.setZero();
    for (const EffectSettings& effect : every_effect()) {
      const JointEffects effects = stage.prepare(all(effect), painted);
      for (const Pose& pose : poses) {
        const Posed p = posed(stage, effects, pose);
        for (std::size_t i = 0; i < effects.axes().size(); ++i) {
          const CorrectionField field = field_of(effects, i, p);
          ASSERT_EQ(field.vertices.size(), field.gamma.size());
          for (std::size_t k = 0; k < field.vertices.size(); ++k) {
            ASSERT_TRUE(field.gamma[k] > 0 && std::isfinite(field.gamma[k]));
            ASSERT_TRUE(k == 0 || field.vertices[k - 1] < field.vertices[k]);
          }
          ASSERT_NEAR(field.shares.sum(), 1, 1e-12);
          ASSERT_GE(field.shares.minCoeff(), 0);
          ASSERT_TRUE((field.axes.transpose() * field.axes).isIdentity(1e-9));
          ASSERT_EQ(field.direction, effect.direction);
        }
      }
    }
  }
}

// γ of a posed vertex is the map's formula at its local coordinates, in units of the bones; c counts in parent bones.
TEST(JointEffects, FormulaAtLocalCoordinates) {
  const Stage stage("cylinder");
  for (const Effect kind : {Effect::isotropic, Effect::muscle, Effect::folds, Effect::belly}) {
    EffectSettings effect = default_effect(kind);
    effect.center = -0.3;
    const JointEffects effects = stage.prepare(all(effect));
    const Posed p = posed(stage, effects, bend(stage, 60));
    const CorrectionField field = field_of(effects, 0, p);
    ASSERT_GT(field.vertices.size(), 100u);
    // By hand: the upper bone turned by 60 degrees about z, towards -x; both bones are 1 long, the joint at (0, 1, 0).
    const Vec3 e0(0, 1, 0), e1(0, 0, 1), e2(-1, 0, 0);
    EXPECT_LT((field.axes.col(0) - e0).norm() + (field.axes.col(1) - e1).norm() + (field.axes.col(2) - e2).norm(),
              1e-9);
    int compared = 0;
    for (std::size_t k = 0; k < field.vertices.size(); ++k) {
      const Vec3 d = p.positions[field.vertices[k]] - Vec3(0, 1, 0);
      const double expected = pose_map(effect, {.local = Vec3(d.dot(e0), d.dot(e1), d.dot(e2)),
                                                .center = -0.3,
                                                .share = std::pow(std::sin(30 * kPerDegree), 2) / 0.5});
      ASSERT_NEAR(field.gamma[k], expected, 1e-5);
      compared += expected > 1e-3 ? 1 : 0;
    }
    EXPECT_GT(compared, 50);
  }
}

// By hand, with a parent bone of 2 and a bone of 1: lengths count in 1.5, the centre in parent bones, so c = -0.5 is
// the middle of the parent bone, whatever the whole is scaled by.
TEST(JointEffects, UnitsOfUnequalBones) {
  test::Limb limb = test::limb(Vec3(-2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  limb.space.weights = {};
  limb.space.rest = {Vec3(-1, 0, 0), Vec3(-1, 0.75, 0), Vec3(0.5, 0, 0)};
  for (const Index joint : {0, 0, 1}) {
    const Influence row[] = {{joint, 1.0}};
    limb.space.weights.add_row(row);
  }
  EffectSettings effect = default_effect(Effect::isotropic);
  effect.sigma = Vec3::Constant(0.5);
  effect.center = -0.5;
  const JointEffects effects = JointEffects::prepare({limb.space, limb.skeleton}, all(effect));
  for (const double scale : {1.0, 0.01}) {
    Affine map = Affine::Identity();
    map.scale(scale);
    Posed p{std::vector<Affine>(3, map), limb.space.rest};
    for (Vec3& position : p.positions) position *= scale;
    const CorrectionField field = field_of(effects, 0, p);
    ASSERT_EQ(field.vertices.size(), 3u);
    EXPECT_NEAR(field.gamma[0], 1, 1e-12);
    EXPECT_NEAR(field.gamma[1], std::exp(-1), 1e-12);
    EXPECT_NEAR(field.gamma[2], std::exp(-4), 1e-12);
  }
}

// Values below a millionth of the largest are no part of the support.
TEST(JointEffects, SupportsAreCompact) {
  const Stage stage("cylinder");
  EffectSettings effect = default_effect(Effect::isotropic);
  effect.sigma = Vec3::Constant(0.1);
  const JointEffects effects = stage.prepare(all(effect));
  const CorrectionField field = field_of(effects, 0, posed(stage, effects, bend(stage, 40)));
  const double largest = *std::max_element(field.gamma.begin(), field.gamma.end());
  EXPECT_GT(*std::min_element(field.gamma.begin(), field.gamma.end()), 1e-6 * largest);
  EXPECT_LT(field.vertices.size(), stage.space.rest.size() / 2);
  EXPECT_GT(field.vertices.size(), 20u);
}

// A pure twist is corrected round about the bone: equal shares across it, and no side.
TEST(JointEffects, PureTwistIsRound) {
  const Stage stage("cylinder");
  for (const Effect kind : {Effect::rubber, Effect::muscle}) {
    const JointEffects effects = stage.prepare(all(default_effect(kind)));
    const Posed p = posed(stage, effects, twist(stage, 90));
    const CorrectionField field = field_of(effects, 0, p);
    EXPECT_NEAR(field.shares[1], field.shares[2], 1e-3);
    std::map<long, std::pair<double, double>> rings;  // by height: least and largest γ
    for (std::size_t k = 0; k < field.vertices.size(); ++k) {
      const Vec3& q = p.positions[field.vertices[k]];
      const Vec3& rest = stage.space.rest[field.vertices[k]];
      if (std::abs(std::hypot(rest.x(), rest.z()) - 0.25) > 1e-6) continue;
      auto [it, fresh] = rings.try_emplace(std::lround(q.y() * 1e6), field.gamma[k], field.gamma[k]);
      it->second.first = std::min(it->second.first, field.gamma[k]);
      it->second.second = std::max(it->second.second, field.gamma[k]);
    }
    EXPECT_GT(rings.size(), 10u);
    for (const auto& [height, range] : rings) EXPECT_LT(range.second - range.first, 2e-3 * range.second + 1e-12);
  }
}

// A rigid motion and a scale of the whole character change nothing but the axes, which go along.
TEST(JointEffects, Equivariant) {
  const Stage stage("giraffe");
  for (const EffectSettings& effect : every_effect()) {
    const std::vector<PaintedMap> painted = {paint(stage)};
    const JointEffects effects = stage.prepare(all(effect), painted);
    const Clip& clip = stage.character.clips[0];
    const Posed here =
        posed(stage, effects, sample(clip, stage.character.skeleton, clip.start() + clip.duration() / 3));
    Affine world = test::somewhere();
    world.scale(7);
    Posed there = here;
    for (Affine& m : there.maps) m = world * m;
    for (Vec3& p : there.positions) p = world * p;
    for (std::size_t i = 0; i < effects.axes().size(); ++i) {
      const CorrectionField a = field_of(effects, i, here), b = field_of(effects, i, there);
      const double largest = a.gamma.empty() ? 0 : *std::max_element(a.gamma.begin(), a.gamma.end());
      std::map<Index, double> difference;
      for (std::size_t k = 0; k < a.vertices.size(); ++k) difference[a.vertices[k]] += a.gamma[k];
      for (std::size_t k = 0; k < b.vertices.size(); ++k) difference[b.vertices[k]] -= b.gamma[k];
      for (const auto& [v, d] : difference) ASSERT_LT(std::abs(d), 2e-6 * largest);
      ASSERT_LT((a.shares - b.shares).norm(), 1e-9);
      if (effect.direction == CorrectionDirection::axes) {
        ASSERT_LT((world.linear() / 7 * a.axes - b.axes).norm(), 1e-9);
      }
    }
  }
}

// A limb bent the other way has the mirrored field: the muscle bulges on the mirrored side.
TEST(JointEffects, MirroredBend) {
  const Stage stage("cylinder");
  const JointEffects effects = stage.prepare(all(default_effect(Effect::muscle)));
  const Posed left = posed(stage, effects, bend(stage, 50)), right = posed(stage, effects, bend(stage, -50));
  const CorrectionField a = field_of(effects, 0, left), b = field_of(effects, 0, right);
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  const auto key = [](const Vec3& p) {
    return std::array{std::lround(p.x() * 1e7), std::lround(p.y() * 1e7), std::lround(p.z() * 1e7)};
  };
  std::map<std::array<long, 3>, double> gamma;
  for (std::size_t k = 0; k < a.vertices.size(); ++k) gamma[key(left.positions[a.vertices[k]])] = a.gamma[k];
  for (std::size_t k = 0; k < b.vertices.size(); ++k) {
    Vec3 p = right.positions[b.vertices[k]];
    p.x() = -p.x();
    const auto it = gamma.find(key(p));
    ASSERT_NE(it, gamma.end());
    ASSERT_NEAR(it->second, b.gamma[k], 1e-9);
  }
}

// Fields change continuously while a joint bends through straight, twists, and bends back: the finer the sampling, the
// smaller the largest change of γ and of the tensor of shares.
TEST(JointEffects, NoPopping) {
  const Stage stage("cylinder");
  const JointEffects effects = stage.prepare(all(default_effect(Effect::muscle)));
  const auto largest_change = [&](int samples) {
    AxesTrack track(effects.axes());
    CorrectionField field;
    std::vector<double> last, now(stage.space.rest.size());
    Mat3 last_tensor = Mat3::Zero();
    double largest = 0;
    for (int i = 0; i <= samples; ++i) {
      const double t = static_cast<double>(i) / samples;
      Pose pose = bend(stage, 12 - 24 * t);
      pose.local[1].rotation = pose.local[1].rotation * Eigen::AngleAxisd(20 * t * kPerDegree, Vec3::UnitY());
      const Posed p = posed(stage, effects, pose);
      effects.evaluate(0, p.view(), track, field);
      std::fill(now.begin(), now.end(), 0.0);
      for (std::size_t k = 0; k < field.vertices.size(); ++k) now[field.vertices[k]] = field.gamma[k];
      const Mat3 tensor = field.axes * field.shares.asDiagonal() * field.axes.transpose();
      if (i > 0) {
        for (std::size_t v = 0; v < now.size(); ++v) largest = std::max(largest, std::abs(now[v] - last[v]));
        largest = std::max(largest, (tensor - last_tensor).norm());
      }
      last = now;
      last_tensor = tensor;
    }
    return largest;
  };
  const double coarse = largest_change(100), fine = largest_change(800);
  EXPECT_LT(coarse, 0.25);
  EXPECT_LT(fine, coarse / 5);
}

// product, sum and blend, by hand, of maps scaled to a largest value of 1.
TEST(JointEffects, Combinations) {
  const Stage stage("cylinder");
  const auto count = static_cast<Index>(stage.space.rest.size());
  std::vector<PaintedMap> painted = {{"a", {}}, {"b", {}}};
  for (Index v = 0; v < count; ++v) {
    painted[0].values.push_back(v < 3 ? 2.0 * (v + 1) : 0);    // 2 4 6 0 …
    painted[1].values.push_back(v == 0 ? 0 : v < 4 ? 10 : 0);  // 0 10 10 10 0 …
  }
  EffectSettings effect = default_effect(Effect::combined);
  effect.maps.assign(2, default_effect(Effect::painted));
  effect.maps[0].map = "a";
  effect.maps[1].map = "b";
  const auto gamma = [&](MapCombination combination) {
    effect.combine = combination;
    effect.mix = combination == MapCombination::blend ? std::vector<double>{3, 1} : std::vector<double>{};
    const JointEffects effects = stage.prepare(all(effect), painted);
    EXPECT_TRUE(effects.fixed(0));
    const CorrectionField field = field_of(effects, 0, posed(stage, effects, bend(stage, 10)));
    std::map<Index, double> result;
    for (std::size_t k = 0; k < field.vertices.size(); ++k) result[field.vertices[k]] = field.gamma[k];
    return result;
  };
  const auto expect = [](const std::map<Index, double>& is, const std::map<Index, double>& ought) {
    ASSERT_EQ(is.size(), ought.size());
    for (const auto& [v, value] : ought) EXPECT_NEAR(is.at(v), value, 1e-12);
  };
  expect(gamma(MapCombination::product), {{1, 2.0 / 3}, {2, 1}});
  expect(gamma(MapCombination::sum), {{0, 1.0 / 3}, {1, 5.0 / 3}, {2, 2}, {3, 1}});
  expect(gamma(MapCombination::blend), {{0, 1}, {1, 3}, {2, 4}, {3, 1}});
}

// A combination of a map that follows the pose with one that does not is their product in every pose.
TEST(JointEffects, CombinesPosedWithFixed) {
  const Stage stage("cylinder");
  EffectSettings effect = default_effect(Effect::combined);
  effect.maps = {default_effect(Effect::blend), default_effect(Effect::muscle)};
  const JointEffects both = stage.prepare(all(effect)), blend = stage.prepare(all(effect.maps[0])),
                     muscle = stage.prepare(all(effect.maps[1]));
  const Posed p = posed(stage, both, bend(stage, 70));
  const CorrectionField c = field_of(both, 0, p), a = field_of(blend, 0, p), b = field_of(muscle, 0, p);
  std::map<Index, double> product;
  const double la = *std::max_element(a.gamma.begin(), a.gamma.end()),
               lb = *std::max_element(b.gamma.begin(), b.gamma.end());
  for (std::size_t k = 0; k < a.vertices.size(); ++k) product[a.vertices[k]] = a.gamma[k] / la;
  std::map<Index, double> expected;
  for (std::size_t k = 0; k < b.vertices.size(); ++k) {
    if (product.count(b.vertices[k])) expected[b.vertices[k]] = product[b.vertices[k]] * b.gamma[k] / lb;
  }
  ASSERT_FALSE(c.vertices.empty());
  for (std::size_t k = 0; k < c.vertices.size(); ++k) ASSERT_NEAR(c.gamma[k], expected[c.vertices[k]], 1e-9);
}

// belly takes a from the bend against the largest one of the clip that it was shown.
TEST(JointEffects, BellyKnowsTheLargestBend) {
  const Stage stage("cylinder");
  EffectSettings effect = default_effect(Effect::belly);
  JointEffects effects = stage.prepare(all(effect));
  const Posed p = posed(stage, effects, bend(stage, 60));
  const auto gamma_at = [&] {
    const CorrectionField field = field_of(effects, 0, p);
    return field.gamma[field.gamma.size() / 2];
  };
  const double unseen = gamma_at();
  effects.observe(p.maps);
  const double largest = gamma_at();  // now a = 1: no waves at all
  effect.min_share = {1, 1};
  const JointEffects smooth = stage.prepare(all(effect));
  const CorrectionField field = field_of(smooth, 0, p);
  EXPECT_NEAR(largest, field.gamma[field.gamma.size() / 2], 1e-12);
  EXPECT_NE(unseen, largest);
  effects.forget();
  EXPECT_EQ(gamma_at(), unseen);
}

// evaluate() allocates nothing once its output has been used, in all poses of a clip, for every effect.
TEST(JointEffects, AllocationFree) {
  const Stage stage("giraffe");
  const std::vector<PaintedMap> painted = {paint(stage)};
  const Clip& clip = stage.character.clips[0];
  for (const EffectSettings& effect : every_effect()) {
    EffectSettings along_axes = effect;
    along_axes.direction = CorrectionDirection::axes;
    JointEffects effects = stage.prepare(all(along_axes), painted);
    AxesTrack track(effects.axes());
    std::vector<JointField> fields;
    std::vector<Posed> poses;
    for (const double time : frame_times(clip, 4))
      poses.push_back(posed(stage, effects, sample(clip, stage.character.skeleton, time)));
    const auto global = global_transforms(stage.character.skeleton, rest_pose(stage.character.skeleton));
    effects.evaluate(poses[0].view(), track, fields);
    const std::size_t before = test::allocation_count();
    for (const Posed& p : poses) {
      effects.observe(p.maps);
      effects.evaluate(p.view(), track, fields);
    }
    effects.joint_maps(global, poses[0].maps);
    track.reset(effects.axes());
    EXPECT_EQ(test::allocation_count(), before) << enum_name(effect.effect);
  }
}

// Joints with the default effect are left to the corrector; the others come in the skeleton's order.
TEST(JointEffects, OnlyWhatIsNotPlain) {
  const Stage stage("elephant");
  VolumeSettings settings;
  settings.effects = {
      {stage.character.skeleton.joints[stage.prepare({}).axes()[3].joint].name, default_effect(Effect::rubber)}};
  const JointEffects effects = stage.prepare(settings);
  const Posed p = posed(stage, effects, rest_pose(stage.character.skeleton));
  AxesTrack track(effects.axes());
  std::vector<JointField> fields;
  effects.evaluate(p.view(), track, fields);
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].joint, effects.axes()[3].joint);
  EXPECT_EQ(effects.find(fields[0].joint), 3);
  EXPECT_TRUE(effects.problems().empty());
}

// Patterns for joints that move no skin, or that do not exist, are reported.
TEST(JointEffects, ReportsIdleEffects) {
  const Stage stage("cylinder");
  VolumeSettings settings;
  const std::string root = stage.character.skeleton.joints[0].name;
  settings.effects = {{root, default_effect(Effect::rubber)}, {"nobody", default_effect(Effect::rubber)}};
  const JointEffects effects = stage.prepare(settings);
  ASSERT_EQ(effects.problems().size(), 2u);
  EXPECT_EQ(effects.problems()[0].code, "effect-pattern-unmatched");
  EXPECT_EQ(effects.problems()[1].code, "effect-without-skin");
}

// The vertices looked at do not grow with the rest of the character: a chain of twice the joints has twice the
// candidates in all, not four times.
TEST(JointEffects, CostIsLocal) {
  const auto candidates = [](int bones) {
    CylinderOptions options;
    options.bones = bones;
    options.length = bones;
    options.rings = 24 * bones + 1;
    const Character character = make_cylinder(options, Context());
    const RestSpace space = WeldedCharacter(character).rest_space();
    const auto axes = joint_axes(character.skeleton, space);
    const EffectSubject subject{space, character.skeleton};
    const MapSupports supports(subject, axes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < axes.size(); ++i)
      count += supports.build(i, default_effect(Effect::isotropic)).vertices.size();
    return static_cast<double>(count) / static_cast<double>(axes.size());
  };
  EXPECT_NEAR(candidates(8) / candidates(4), 1, 0.25);
}

}  // namespace
}  // namespace isochor
