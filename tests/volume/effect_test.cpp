#include "isochor/volume/effect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace isochor {
namespace {

EffectSettings with(Effect effect, double sigma) {
  EffectSettings settings = default_effect(effect);
  settings.sigma = Vec3::Constant(sigma);
  return settings;
}

double at(const EffectSettings& settings, const Vec3& local) { return pose_map(settings, {.local = local}); }

// isotropic, by hand: one σ away it is 1/e in every direction, at the joint 1, two σ away e^-4.
TEST(Effect, Isotropic) {
  const EffectSettings s = with(Effect::isotropic, 0.5);
  EXPECT_DOUBLE_EQ(at(s, Vec3::Zero()), 1);
  EXPECT_NEAR(at(s, Vec3(0.5, 0, 0)), 0.36787944117144233, 1e-15);
  EXPECT_NEAR(at(s, Vec3(0, -0.3, 0.4)), 0.36787944117144233, 1e-15);
  EXPECT_NEAR(at(s, Vec3(0, 0, 1)), 0.018315638888734179, 1e-15);
}

// rubber is the same map, given along the bend axis alone.
TEST(Effect, Rubber) {
  const Vec3 p(0.1, -0.2, 0.3);
  EXPECT_EQ(at(with(Effect::rubber, 0.5), p), at(with(Effect::isotropic, 0.5), p));
  EXPECT_EQ(default_effect(Effect::rubber).mu, Vec3(0, 1, 0));
}

// muscle, by hand: z times the bell about c on the parent bone; nothing on the other side.
TEST(Effect, Muscle) {
  const EffectSettings s = with(Effect::muscle, 0.5);
  const auto gamma = [&](const Vec3& p, double c) { return pose_map(s, {.local = p, .center = c}); };
  EXPECT_NEAR(gamma(Vec3(-0.4, 0, 0.2), -0.4), 0.2 * std::exp(-0.16), 1e-15);
  EXPECT_NEAR(gamma(Vec3(-0.4, 0.3, 0.2), -0.7), 0.2 * std::exp(-(0.09 + 0.09 + 0.04) / 0.25), 1e-15);
  EXPECT_EQ(gamma(Vec3(-0.4, 0, -0.2), -0.4), 0);
  EXPECT_EQ(gamma(Vec3(-0.4, 0.3, 0), -0.4), 0);
}

// The extensor side is the flexor's mirror image in z, both is their sum.
TEST(Effect, Sides) {
  for (const Effect effect : {Effect::muscle, Effect::belly}) {
    EffectSettings flexor = default_effect(effect), extensor = flexor, both = flexor;
    extensor.side = BendSide::extensor;
    both.side = BendSide::both;
    for (const double z : {-0.3, 0.0, 0.2}) {
      const Vec3 p(0.1, 0.05, z), mirrored(0.1, 0.05, -z);
      EXPECT_EQ(at(extensor, p), at(flexor, mirrored));
      EXPECT_NEAR(at(both, p), at(flexor, p) + at(extensor, p), 1e-15);
    }
  }
}

// Where the axes cannot tell the sides (radial = 1), a sided map is round about the bone; in between it is a mean.
TEST(Effect, RadialHasNoSide) {
  const EffectSettings s = with(Effect::muscle, 0.5);
  const double r = 0.2;
  for (int k = 0; k < 8; ++k) {
    const double turn = k * std::numbers::pi / 4;
    const Vec3 p(0.1, r * std::cos(turn), r * std::sin(turn));
    EXPECT_NEAR(pose_map(s, {.local = p, .radial = 1}), r * std::exp(-(0.01 + 0.04) / 0.25), 1e-15);
    EXPECT_NEAR(pose_map(s, {.local = p, .radial = 0.25}),
                0.75 * pose_map(s, {.local = p}) + 0.25 * pose_map(s, {.local = p, .radial = 1}), 1e-15);
  }
}

// folds, by hand: sin²(ωπx) times the bell; zero at the joint and every 1/ω from it.
TEST(Effect, Folds) {
  EffectSettings s = with(Effect::folds, 0.5);
  s.frequency = 2;
  EXPECT_NEAR(at(s, Vec3(0.25, 0.1, 0)), std::exp(-(0.0625 + 0.01) / 0.25), 1e-15);
  EXPECT_NEAR(at(s, Vec3(0.125, 0, 0.1)), 0.5 * std::exp(-(0.015625 + 0.01) / 0.25), 1e-15);
  for (const double x : {-0.5, 0.0, 0.5}) EXPECT_NEAR(at(s, Vec3(x, 0.1, 0)), 0, 1e-15);
}

// belly, by hand: [a + (1 - a) sin²(ωπx)] times an ellipsoid's bell times z.
TEST(Effect, Belly) {
  EffectSettings s = default_effect(Effect::belly);
  s.sigma = Vec3(0.6, 0.4, 0.3);
  s.frequency = 2;
  const Vec3 p(0.125, 0.2, 0.15);
  const double bell = std::exp(-(0.125 * 0.125 / 0.36 + 0.04 / 0.16 + 0.0225 / 0.09));
  EXPECT_NEAR(pose_map(s, {.local = p, .share = 0}), 0.5 * bell * 0.15, 1e-15);
  EXPECT_NEAR(pose_map(s, {.local = p, .share = 0.4}), (0.4 + 0.6 * 0.5) * bell * 0.15, 1e-15);
  EXPECT_NEAR(pose_map(s, {.local = p, .share = 1}), bell * 0.15, 1e-15);
  s.min_share = {1, 0};  // the other way round: one bulge first, folds at the end
  EXPECT_NEAR(pose_map(s, {.local = p, .share = 1}), 0.5 * bell * 0.15, 1e-15);
}

// curve, by hand: the product of the three profiles; an axis without one counts as 1.
TEST(Effect, Curve) {
  EffectSettings s = default_effect(Effect::curve);
  s.x = Profile({{-1, 0}, {0, 1}, {1, 0}});
  s.z = Profile({{0, 0}, {2, 4}});
  EXPECT_NEAR(at(s, Vec3(-0.5, 17, 1)), 0.5 * 2, 1e-15);
  EXPECT_NEAR(at(s, Vec3(0, 0, 3)), 4, 1e-15);
  EXPECT_EQ(at(s, Vec3(1.5, 0, 1)), 0);
}

// Maps that come from the weights or from the file do not depend on the pose.
TEST(Effect, FixedMaps) {
  for (const Effect effect : {Effect::blend, Effect::skin, Effect::organic, Effect::painted}) {
    EXPECT_FALSE(follows_pose(effect));
    EXPECT_EQ(at(default_effect(effect), Vec3(1, 2, 3)), 1);
    EXPECT_EQ(default_effect(effect).direction, CorrectionDirection::normal);
  }
}

// The defaults are the design's: blend along normals; shares, reach and centre of the others.
TEST(Effect, Defaults) {
  EXPECT_EQ(EffectSettings(), default_effect(Effect::blend));
  EXPECT_EQ(EffectSettings().direction, CorrectionDirection::normal);
  EXPECT_EQ(default_effect(Effect::isotropic).mu, Vec3::Constant(1.0 / 3));
  EXPECT_EQ(default_effect(Effect::isotropic).sigma, Vec3::Constant(0.25));
  EXPECT_EQ(default_effect(Effect::muscle).mu, Vec3(0.1, 0.1, 0.8));
  EXPECT_EQ(default_effect(Effect::muscle).center, -0.5);
  EXPECT_EQ(default_effect(Effect::folds).mu, Vec3(0, 0.5, 0.5));
  for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) {
    EffectSettings settings = default_effect(static_cast<Effect>(e));
    settings.map = "m";
    if (settings.effect == Effect::combined) settings.maps = {EffectSettings()};
    EXPECT_NO_THROW(check(settings));
    EXPECT_NEAR(settings.mu.sum(), 1, 1e-12);
  }
}

// A value out of range is refused with the field's name; one that the effect does not use is not looked at.
TEST(Effect, RefusesValuesOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto sentence = [](const EffectSettings& settings) -> std::string {
    try {
      check(settings);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EffectSettings s = default_effect(Effect::isotropic);
  s.sigma.y() = 0;
  EXPECT_NE(sentence(s).find("sigma"), std::string::npos);
  s.sigma.y() = nan;
  EXPECT_NE(sentence(s).find("sigma"), std::string::npos);
  s = default_effect(Effect::blend);
  s.sigma.y() = nan;
  EXPECT_EQ(sentence(s), "");
  s.mu = Vec3(0.5, 0.5, 0.5);
  EXPECT_NE(sentence(s).find("sum to 1"), std::string::npos);
  s.mu = Vec3(1.5, -0.5, 0);
  EXPECT_NE(sentence(s).find("mu"), std::string::npos);
  s = default_effect(Effect::curve);
  s.y = Profile({{0, -1}, {1, 1}});
  EXPECT_NE(sentence(s).find("curve y"), std::string::npos);
  EXPECT_NE(sentence(default_effect(Effect::painted)).find("name"), std::string::npos);
  EXPECT_NE(sentence(default_effect(Effect::combined)).find("maps"), std::string::npos);
  s = default_effect(Effect::combined);
  s.maps = {s};
  EXPECT_NE(sentence(s).find("combined"), std::string::npos);
  s.maps = {EffectSettings(), EffectSettings()};
  s.mix = {1};
  EXPECT_NE(sentence(s).find("mix"), std::string::npos);
}

// Every field is used by some effect.
TEST(Effect, EveryFieldHasItsUse) {
  const EffectSettings settings;
  describe(settings, [](const auto&, const FieldInfo& info) {
    bool used = false;
    for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) {
      used = used || effect_uses(static_cast<Effect>(e), info.name);
    }
    EXPECT_TRUE(used) << info.name;
  });
}

}  // namespace
}  // namespace isochor
