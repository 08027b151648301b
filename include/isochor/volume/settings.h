#pragma once

/// Everything that a user says about volume: effects by joint, solver, and the volume to keep over time. Reads and
/// writes in isochor/io/volume_settings.h.

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
  EffectSettings otherwise;         ///< joints that no pattern matches ("default" in files)
  std::vector<JointEffect> joints;  ///< where several patterns match a joint, the last one counts, whole
  VolumeSolver solver = VolumeSolver::exact;
  JointTreatment treatment = JointTreatment::together;
  Profile volume;  ///< scale of the volume to keep, over seconds; empty: 1

  bool operator==(const VolumeSettings&) const = default;

  /// The least and the largest scale that `volume` may hold.
  static constexpr double kMinScale = 0.01, kMaxScale = 100;
};

/// Throws Error(bad_input) for effects out of range and for scales that are.
void check(const VolumeSettings& settings);

struct ResolvedEffects {
  std::vector<Index> entry;  ///< by joint of the skeleton: into VolumeSettings::joints, kNone for `otherwise`
  Problems problems;         ///< "effect-pattern-unmatched": a pattern that no joint has
};
ResolvedEffects resolve(const VolumeSettings& settings, const Skeleton& skeleton);

/// The effect of a joint.
const EffectSettings& effect_of(const VolumeSettings& settings, const ResolvedEffects& resolved, Index joint);

}  // namespace isochor
