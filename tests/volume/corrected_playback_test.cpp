#include "isochor/volume/corrected_playback.h"

#include <gtest/gtest.h>

#include <numbers>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct Played : testing::Test {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  Context context{1};

  Pose bent(double degrees) const {
    Pose pose = rest_pose(character.skeleton);
    pose.local[1].rotation =
        pose.local[1].rotation * Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitX()));
    return pose;
  }
};

// Without settings the volume is held; with none asked for, every vertex stays where the deformer puts it, and the
// error is told all the same.
TEST_F(Played, HeldOrLeft) {
  CorrectedPlayback held(welded, {}, context), left(welded, {.volume = std::nullopt}, context);
  EXPECT_TRUE(held.corrects());
  EXPECT_FALSE(left.corrects());
  EXPECT_TRUE(left.regions().empty());
  const auto corrected = held.play(bent(80), 0, context), plain = left.play(bent(80), 0, context);
  EXPECT_EQ(plain.corrected.positions, plain.posed.positions);
  EXPECT_EQ(plain.posed.positions, corrected.posed.positions);
  EXPECT_NE(corrected.corrected.positions, corrected.posed.positions);
  EXPECT_LT(held.report().max_error_after(), 1e-9);
  EXPECT_GT(left.report().max_error_after(), 1e-3);
  EXPECT_NEAR(left.report().max_error_after(), held.report().max_error_before(), 1e-12);
  EXPECT_TRUE(left.problems().empty());
}

// A look leaves no trace: no evidence, no past. What is kept afterwards is what play() would have given.
TEST_F(Played, LookThenKeep) {
  VolumeSettings settings;
  settings.otherwise = default_effect(Effect::muscle);
  const PlaybackOptions options{.volume = settings};
  CorrectedPlayback one(welded, options, context), two(welded, options, context);
  const Pose first = bent(60), straight = bent(0);
  one.play(first, 0, context);
  two.play(first, 0, context);
  one.look(bent(-60), 0.5, context);
  EXPECT_EQ(one.report().frames(), 1u);
  const auto looked = one.look(straight, 1, context);
  one.keep(looked);
  const auto played = two.play(straight, 1, context);
  EXPECT_EQ(looked.corrected.positions, played.corrected.positions);
  EXPECT_EQ(one.report().frames(), 2u);
  EXPECT_EQ(one.play(bent(20), 2, context).corrected.positions, two.play(bent(20), 2, context).corrected.positions);
}

// Many moments at once are what they are one after another, with effects that know the past too, whatever the number
// of threads; and so is the evidence.
TEST_F(Played, ManyMomentsAtOnce) {
  std::vector<CorrectedPlayback::Moment> moments;
  std::vector<Pose> poses;
  for (const double degrees : {0, 5, 40, 2, -3, -40, -1, 1, 30, 0, 12}) {
    moments.push_back({0.1 * static_cast<double>(moments.size()), bent(degrees)});
    poses.push_back(moments.back().pose);
  }
  VolumeSettings muscle, paper;
  muscle.otherwise = default_effect(Effect::muscle);
  paper.otherwise = default_effect(Effect::muscle);
  paper.options.treatment = JointTreatment::sequence;
  for (const PlaybackOptions& options : {PlaybackOptions{}, PlaybackOptions{.volume = muscle},
                                         PlaybackOptions{.volume = paper}, PlaybackOptions{.volume = std::nullopt}}) {
    CorrectedPlayback alone(welded, options, context);
    alone.begin(poses);
    std::vector<std::vector<Vec3>> expected;
    for (const auto& moment : moments) {
      expected.push_back(alone.play(moment.pose, moment.time, context).corrected.positions);
    }
    for (const int threads : {1, 2, 4}) {
      Context many(threads);
      CorrectedPlayback together(welded, options, many);
      together.begin(poses);
      std::vector<std::vector<Vec3>> found(moments.size());
      const auto show = [&](std::size_t i, const CorrectedPlayback::Frame& frame, Context&) {
        found[i] = frame.corrected.positions;
      };
      together.play(std::span(moments).first(4), show, many);
      EXPECT_EQ(found[3], expected[3]);
      together.play(
          std::span(moments).subspan(4),
          [&](std::size_t i, const CorrectedPlayback::Frame& frame, Context& own) { show(i + 4, frame, own); }, many);
      EXPECT_EQ(found, expected);
      EXPECT_EQ(together.report().frames(), moments.size());
      EXPECT_EQ(together.report().max_error_before(), alone.report().max_error_before());
      EXPECT_EQ(together.report().max_displacement(), alone.report().max_displacement());
    }
  }
}

// What is asked to stop does, however many moments are left.
TEST_F(Played, StopsWhenAsked) {
  CorrectedPlayback playback(welded, {}, context);
  const std::vector<CorrectedPlayback::Moment> moments(50, {0, bent(30)});
  std::size_t shown = 0;
  const auto show = [&](std::size_t, const CorrectedPlayback::Frame&, Context&) {
    ++shown;
    context.set_stop([] { return true; });
  };
  EXPECT_THROW(playback.play(moments, show, context), Error);
  EXPECT_EQ(shown, 1u);
}

// The volume to keep changes in time as the settings say, together and in sequence.
TEST_F(Played, BreathesInTime) {
  for (const JointTreatment treatment : {JointTreatment::together, JointTreatment::sequence}) {
    VolumeSettings settings;
    settings.options.treatment = treatment;
    settings.volume = Profile({{0, 1}, {1, 1.1}});
    CorrectedPlayback playback(welded, {.volume = settings}, context);
    for (const double time : {0.0, 0.5, 1.0}) {
      const auto frame = playback.play(bent(70), time, context);
      EXPECT_NEAR(frame.corrected.components[0].after, settings.volume(time) * welded.rest_volumes()[0], 1e-9)
          << enum_name(treatment) << time;
    }
  }
}

// Settings that name nobody are a warning; settings out of range and maps that are not there are refused.
TEST_F(Played, Settings) {
  VolumeSettings unknown;
  unknown.effects = {{"Nobody", default_effect(Effect::rubber)}};
  const CorrectedPlayback playback(welded, {.volume = unknown}, context);
  ASSERT_FALSE(playback.problems().empty());
  EXPECT_EQ(playback.problems()[0].code, "effect-pattern-unmatched");

  VolumeSettings wrong;
  wrong.options.stiffness = -1;
  EXPECT_THROW(CorrectedPlayback(welded, {.volume = wrong}, context), Error);
  VolumeSettings painted;
  painted.otherwise = default_effect(Effect::painted);
  painted.otherwise.map = "fat";
  EXPECT_THROW(CorrectedPlayback(welded, {.volume = painted}, context), Error);
}

// Settings that change and weights that change give what a new playback with them gives; bad settings change nothing.
TEST_F(Played, ChangesAsIfNew) {
  VolumeSettings muscle, stiff;
  muscle.otherwise = default_effect(Effect::muscle);
  stiff.options.stiffness = 3;
  CorrectedPlayback playback(welded, {}, context);
  playback.play(bent(30), 0, context);
  for (const VolumeSettings& settings : {muscle, stiff, VolumeSettings{}, muscle}) {
    playback.change_settings(settings, {}, context);
    EXPECT_EQ(playback.report().frames(), 0u);
    CorrectedPlayback fresh(welded, {.volume = settings}, context);
    EXPECT_EQ(playback.look(bent(70), 0, context).corrected.positions,
              fresh.look(bent(70), 0, context).corrected.positions);
  }
  VolumeSettings wrong;
  wrong.options.stiffness = -1;
  EXPECT_THROW(playback.change_settings(wrong, {}, context), Error);
  for (Influence& i : character.parts[0].weights.influences) i.weight = i.weight > 0.5 ? 0.8 : 0.2;
  normalise(character.parts[0].weights);
  welded.take_weights();
  playback.take_weights({}, context);
  CorrectedPlayback fresh(welded, {.volume = muscle}, context);
  EXPECT_EQ(playback.look(bent(70), 0, context).corrected.positions,
            fresh.look(bent(70), 0, context).corrected.positions);
}

}  // namespace
}  // namespace isochor
