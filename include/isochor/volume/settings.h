#pragma once

/// Everything that a user says about volume: how it is held, effects by joint, and the volume to keep over time. Read
/// and written by isochor/io/volume_settings.h.

#include <string>
#include <vector>

#include "isochor/base/problem.h"
#include "isochor/rig/skeleton.h"
#include "isochor/volume/corrector.h"
#include "isochor/volume/effect.h"
#include "isochor/volume/profile.h"

namespace isochor {

struct JointEffect {
  std::string pattern;  ///< a joint's name, or a glob with * and ?
  EffectSettings effect;

  bool operator==(const JointEffect&) const = default;
};

struct VolumeSettings {
  EffectSettings otherwise;  ///< joints that no pattern matches ("default" in files)
  /// A joint's own name counts before patterns, and of several patterns that match it the last one, whole ("joints" in
  /// files, whose order programs may change: JavaScript puts names that are numbers first).
  std::vector<JointEffect> effects;
  VolumeOptions options;
  Profile volume;  ///< scale of the volume to keep, over seconds; empty: 1

  bool operator==(const VolumeSettings&) const = default;

  /// The least and the largest scale that `volume` may hold.
  static constexpr double kMinScale = 0.01, kMaxScale = 100;
};

/// Throws Error(bad_input) for effects or scales out of range.
void check(const VolumeSettings& settings);

struct ResolvedEffects {
  std::vector<Index> entry;  ///< by joint of the skeleton: into VolumeSettings::effects, kNone for `otherwise`
  Problems problems;         ///< "effect-pattern-unmatched": a pattern that no joint has
};
ResolvedEffects resolve(const VolumeSettings& settings, const Skeleton& skeleton);

}  // namespace isochor
