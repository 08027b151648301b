#include "isochor/volume/settings.h"

namespace isochor {

void check(const VolumeSettings& settings) {
  check_ranges(settings.options);
  check(settings.otherwise);
  for (const JointEffect& entry : settings.effects) {
    try {
      check(entry.effect);
    } catch (const Error& error) {
      throw Error(error.kind(), "the effect of the joints " + entry.pattern + ": " + error.what());
    }
  }
  for (const ProfilePoint& point : settings.volume.points()) {
    if (!(point.y >= VolumeSettings::kMinScale && point.y <= VolumeSettings::kMaxScale)) {
      throw_bad_input(
          "the volume over time must be scaled by factors " +
          range_text({.name = "", .help = "", .min = VolumeSettings::kMinScale, .max = VolumeSettings::kMaxScale}));
    }
  }
}

ResolvedEffects resolve(const VolumeSettings& settings, const Skeleton& skeleton) {
  ResolvedEffects resolved;
  resolved.entry.assign(skeleton.size(), kNone);
  for (std::size_t e = 0; e < settings.effects.size(); ++e) {
    const std::string& pattern = settings.effects[e].pattern;
    bool found = false;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      const std::string& name = skeleton.joints[j].name;
      if (!matches_glob(name, pattern)) continue;
      found = true;
      const Index before = resolved.entry[j];
      const bool by_name = before != kNone && settings.effects[before].pattern == name;
      if (pattern == name || !by_name) resolved.entry[j] = static_cast<Index>(e);
    }
    if (!found) {
      resolved.problems.push_back({.severity = Severity::warning,
                                   .code = "effect-pattern-unmatched",
                                   .sentence = "no joint has the name " + pattern + " that the volume settings give",
                                   .elements = {static_cast<Index>(e)},
                                   .count = 1});
    }
  }
  return resolved;
}

}  // namespace isochor
