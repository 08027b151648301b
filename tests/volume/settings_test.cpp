#include "isochor/volume/settings.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

Skeleton skeleton() {
  Skeleton s;
  for (const char* name : {"Hips", "Spine", "Spine1", "Neck", "Arm.L", "Arm.R"}) {
    s.joints.push_back({name, static_cast<Index>(s.size()) - 1, {}, true, {}});
  }
  return s;
}

// A joint takes the last pattern that matches it, and the default where none does.
TEST(VolumeSettings, LastPatternCounts) {
  VolumeSettings settings;
  settings.effects = {{"*", default_effect(Effect::rubber)},
                      {"Spine*", default_effect(Effect::belly)},
                      {"Spine1", default_effect(Effect::folds)}};
  const Skeleton s = skeleton();
  ResolvedEffects resolved = resolve(settings, s);
  EXPECT_TRUE(resolved.problems.empty());
  EXPECT_EQ(settings.effects[resolved.entry[s.find("Hips")]].effect.effect, Effect::rubber);
  EXPECT_EQ(settings.effects[resolved.entry[s.find("Spine")]].effect.effect, Effect::belly);
  EXPECT_EQ(settings.effects[resolved.entry[s.find("Spine1")]].effect.effect, Effect::folds);
  settings.effects.erase(settings.effects.begin());
  resolved = resolve(settings, s);
  EXPECT_EQ(resolved.entry[s.find("Neck")], kNone);
}

// A joint's own name counts wherever it stands, the later of two.
TEST(VolumeSettings, TheOwnNameCountsBeforePatterns) {
  VolumeSettings settings;
  settings.effects = {{"Spine1", default_effect(Effect::belly)},
                      {"Spine1", default_effect(Effect::folds)},
                      {"*", default_effect(Effect::rubber)}};
  const Skeleton s = skeleton();
  const ResolvedEffects resolved = resolve(settings, s);
  EXPECT_TRUE(resolved.problems.empty());
  EXPECT_EQ(resolved.entry[s.find("Spine1")], 1);
  EXPECT_EQ(resolved.entry[s.find("Spine")], 2);
}

// A pattern that no joint has is reported, once, with its text.
TEST(VolumeSettings, UnmatchedPatternIsAProblem) {
  VolumeSettings settings;
  settings.effects = {{"Arm.?", default_effect(Effect::muscle)}, {"Tail*", default_effect(Effect::rubber)}};
  const ResolvedEffects resolved = resolve(settings, skeleton());
  ASSERT_EQ(resolved.problems.size(), 1u);
  EXPECT_EQ(resolved.problems[0].code, "effect-pattern-unmatched");
  EXPECT_NE(resolved.problems[0].sentence.find("Tail*"), std::string::npos);
  EXPECT_EQ(resolved.problems[0].elements, std::vector<Index>{1});
}

// Effects out of range are refused with the pattern they belong to, scales with their range.
TEST(VolumeSettings, Check) {
  VolumeSettings settings;
  EXPECT_NO_THROW(check(settings));
  settings.volume = Profile({{0, 1}, {1, 1.06}});
  EXPECT_NO_THROW(check(settings));
  settings.volume = Profile({{0, 1}, {1, 0}});
  EXPECT_THROW(check(settings), Error);
  settings.volume = {};
  settings.effects = {{"Neck", default_effect(Effect::painted)}};
  try {
    check(settings);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Neck"), std::string::npos);
  }
}

// Breathing: the scale over time is smooth, and 1 where nothing is said.
TEST(VolumeSettings, VolumeOverTime) {
  VolumeSettings settings;
  EXPECT_EQ(settings.volume(12.0), 1);
  settings.volume = Profile({{0, 1}, {1.5, 1.06}, {3, 1}});
  EXPECT_DOUBLE_EQ(settings.volume(1.5), 1.06);
  EXPECT_DOUBLE_EQ(settings.volume(0.75), 1.03);
  EXPECT_EQ(settings.volume(9), 1);
}

}  // namespace
}  // namespace isochor
