#pragma once

/// A character corrected in one pose after another by the class that ships, in every way that it can be.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isochor/bind/prepare_medial.h"
#include "isochor/sample/sample.h"
#include "isochor/volume/corrected_playback.h"

namespace isochor::test {

class Subject {
 public:
  explicit Subject(Character c, const VolumeSettings& settings = {}, std::vector<PaintedMap> painted = {})
      : character(std::move(c)), welded(character), settings_(settings), painted_(std::move(painted)) {}
  Subject(Character c, const VolumeOptions& options) : Subject(std::move(c), VolumeSettings{.options = options}) {}

  Character character;
  WeldedCharacter welded;
  Context context{1};
  // Of the last pose.
  PosedSkin posed;
  CorrectedFrame frame;

  void set_effect(const EffectSettings& effect) {
    settings_.otherwise = effect;
    players_.clear();
  }

  CorrectedPlayback& player(Deformer deformer = Deformer::lbs, JointTreatment treatment = JointTreatment::together) {
    auto& player = players_[{deformer, treatment}];
    if (!player) {
      PlaybackOptions options{.deformer = deformer, .volume = settings_, .painted = painted_};
      options.volume->options.treatment = treatment;
      if (deformer == Deformer::medial) options.medial = medial();
      player = std::make_unique<CorrectedPlayback>(welded, options, context);
    }
    return *player;
  }
  /// Of the deformer medial.
  std::shared_ptr<const MedialRig> medial() {
    if (!medial_) {
      BindOptions options{.method = BindMethod::medial};
      options.gvb.resolution = 64;
      medial_ = std::make_shared<MedialRig>(prepare_medial(welded, options, context).rig);
    }
    return medial_;
  }
  std::span<const VolumeCorrector::Region> regions() { return player().regions(); }

  void correct(const Pose& pose, Deformer deformer, JointTreatment treatment) {
    CorrectedPlayback::Frame played = player(deformer, treatment).play(pose, 0, context);
    posed = std::move(played.posed);
    frame = std::move(played.corrected);
  }
  void together(const Pose& pose, Deformer deformer = Deformer::lbs) {
    correct(pose, deformer, JointTreatment::together);
  }
  void sequence(const Pose& pose, Deformer deformer = Deformer::lbs) {
    correct(pose, deformer, JointTreatment::sequence);
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
  VolumeSettings settings_;
  std::vector<PaintedMap> painted_;
  std::shared_ptr<const MedialRig> medial_;
  std::map<std::pair<Deformer, JointTreatment>, std::unique_ptr<CorrectedPlayback>> players_;
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
