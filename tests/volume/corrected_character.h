#pragma once

/// A character with its effects, corrected in one pose after another by any deformer and treatment.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "isochor/sample/sample.h"
#include "isochor/volume/corrector.h"
#include "isochor/volume/joint_effects.h"

namespace isochor::test {

class CorrectedCharacter {
 public:
  explicit CorrectedCharacter(Character c, const VolumeSettings& settings = {}, std::vector<PaintedMap> painted = {})
      : character(std::move(c)),
        playback(character),
        skin(playback),
        corrector(VolumeCorrector::prepare(skin, {.solve = {.solver = settings.solver}})),
        painted_(std::move(painted)) {
    set_effect(settings.otherwise);
  }

  Character character;
  Playback playback;
  WeldedSkin skin;
  VolumeCorrector corrector;
  PosedSkin posed;
  CorrectedFrame frame;

  void set_effect(const EffectSettings& effect) {
    VolumeSettings settings;
    settings.otherwise = effect;
    const JointBinding binding = joint_binding(character, playback.whole());
    effects_.assign(1, JointEffects::prepare({binding, character.skeleton, painted_}, settings));
    maps_.resize(character.skeleton.size());
    track_.reset(effects_[0].axes());
  }

  void correct(const Pose& pose, Deformer deformer, JointTreatment treatment) {
    skin.pose(pose, deformer, posed, context_);
    if (treatment == JointTreatment::together) {
      effects_[0].joint_maps(posed.global, maps_);
      effects_[0].evaluate({.maps = maps_, .positions = posed.positions}, track_, fields_);
      corrector.apply(posed, fields_, frame);
      return;
    }
    const auto at = [&](const Pose& p, PosedSkin& out) { skin.pose(p, deformer, out, context_); };
    const auto own = [&](Index joint, const Pose&, const PosedSkin& partial, std::vector<JointField>& out) {
      const Index i = effects_[0].find(joint);
      if (i == kNone || effects_[0].plain(static_cast<std::size_t>(i))) return;
      effects_[0].joint_maps(partial.global, maps_);
      out.push_back({.joint = joint, .field = {}});
      effects_[0].evaluate(static_cast<std::size_t>(i), {.maps = maps_, .positions = partial.positions}, track_,
                           out.back().field);
    };
    corrector.apply_in_sequence(pose, {.skin = at, .fields = own}, frame);
  }

  /// Nothing is NaN, offsets belong to positions, and what is not exact says so with its residual.
  void expect_sound(const std::string& what) const {
    const double size = bounding_box(posed.positions).diagonal().norm();
    for (std::size_t v = 0; v < frame.positions.size(); ++v) {
      const Mat34& m = posed.maps[v];
      const Vec3 played = m.leftCols<3>() * (posed.rest[v] + frame.offsets[v]) + m.col(3);
      ASSERT_TRUE(frame.positions[v].allFinite() && frame.offsets[v].allFinite()) << what << " vertex " << v;
      ASSERT_LE((played - frame.positions[v]).norm(), 1e-9 * size) << what << " vertex " << v;
    }
    for (const ComponentVolume& c : frame.components) {
      if (!c.has_volume || c.error_after() <= 1e-9) continue;
      EXPECT_TRUE(c.outcome == VolumeOutcome::no_root || c.outcome == VolumeOutcome::no_hold ||
                  c.outcome == VolumeOutcome::nothing)
          << what << " is off by " << c.error_after() << " and says " << enum_name(c.outcome);
      EXPECT_NEAR(c.residual, c.target - c.after, 1e-12 * std::abs(c.target)) << what;
    }
  }
  double largest_error() const {
    double largest = 0;
    for (const ComponentVolume& c : frame.components) {
      if (c.has_volume) largest = std::max(largest, c.error_after());
    }
    return largest;
  }

 private:
  std::vector<PaintedMap> painted_;
  std::vector<JointEffects> effects_;  // one
  FrameTrack track_;
  std::vector<Affine> maps_;
  std::vector<JointField> fields_;
  Context context_{1};
};

/// Every effect as its defaults have it; `painted` takes the map "all", and `combined` two others.
inline EffectSettings some_effect(Effect effect) {
  EffectSettings settings = default_effect(effect);
  if (effect == Effect::curve) settings.x = Profile({{-1, 0}, {0, 1}, {1, 0}});
  if (effect == Effect::painted) settings.map = "all";
  if (effect == Effect::combined) {
    settings.combine = MapCombination::blend;
    settings.maps = {default_effect(Effect::blend), default_effect(Effect::muscle)};
  }
  return settings;
}

}  // namespace isochor::test
