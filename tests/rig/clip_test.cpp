#include "isochor/rig/clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"

namespace isochor {
namespace {

Skeleton one_joint() {
  Skeleton s;
  s.joints.resize(1);
  s.joints[0].name = "joint";
  s.joints[0].rest.translation = Vec3(7, 8, 9);
  return s;
}

Channel slide(Interpolation interpolation) {
  return {.joint = 0,
          .path = ChannelPath::translation,
          .interpolation = interpolation,
          .times = {1, 3},
          .values = {0, 0, 0, 2, 4, 6},
          .width = 3};
}

Vec3 translation_at(const Channel& channel, double time) {
  return sample(Clip{"clip", {channel}}, one_joint(), time).local[0].translation;
}

// Linear keys are joined by straight lines, and the ends are held.
TEST(Sample, LinearTranslation) {
  const Channel c = slide(Interpolation::linear);
  EXPECT_EQ(translation_at(c, 0), Vec3(0, 0, 0));
  EXPECT_EQ(translation_at(c, 1.5), Vec3(0.5, 1, 1.5));
  EXPECT_EQ(translation_at(c, 3), Vec3(2, 4, 6));
  EXPECT_EQ(translation_at(c, 9), Vec3(2, 4, 6));
}

// A step holds the earlier key until the next one is reached.
TEST(Sample, StepTranslation) {
  const Channel c = slide(Interpolation::step);
  EXPECT_EQ(translation_at(c, 2.999), Vec3(0, 0, 0));
  EXPECT_EQ(translation_at(c, 3), Vec3(2, 4, 6));
}

// A cubic spline follows the specification's Hermite form, tangents scaled by the time between keys.
TEST(Sample, CubicSpline) {
  Channel c{.joint = 0,
            .path = ChannelPath::translation,
            .interpolation = Interpolation::cubic_spline,
            .times = {0, 2},
            .values = {9, 9, 9, 1, 0, 0, 3, 0, 0, /* second key */ -1, 0, 0, 5, 0, 0, 9, 9, 9},
            .width = 3};
  const double t = 0.25;
  const double expected = (2 * t * t * t - 3 * t * t + 1) * 1 + 2 * (t * t * t - 2 * t * t + t) * 3 +
                          (-2 * t * t * t + 3 * t * t) * 5 + 2 * (t * t * t - t * t) * -1;
  EXPECT_NEAR(translation_at(c, 0.5).x(), expected, 1e-14);
  EXPECT_EQ(translation_at(c, -1).x(), 1);
  EXPECT_EQ(translation_at(c, 2).x(), 5);
}

// Rotations are slerped along the shorter arc, although the file's quaternions point away from each other.
TEST(Sample, RotationTakesTheShorterArc) {
  const Quat a(Eigen::AngleAxisd(0.2, Vec3::UnitY()));
  const Quat b(Eigen::AngleAxisd(1.4, Vec3::UnitY()));
  Clip clip{"turn",
            {{.joint = 0,
              .path = ChannelPath::rotation,
              .interpolation = Interpolation::linear,
              .times = {0, 1},
              .values = {a.x(), a.y(), a.z(), a.w(), -b.x(), -b.y(), -b.z(), -b.w()},
              .width = 4}}};
  const Quat q = sample(clip, one_joint(), 0.5).local[0].rotation;
  EXPECT_NEAR(q.angularDistance(Quat(Eigen::AngleAxisd(0.8, Vec3::UnitY()))), 0, 1e-12);
}

// Joints and properties without a channel stay at rest; morph weights come out by joint.
TEST(Sample, RestAndMorphWeights) {
  Clip clip{"smile",
            {{.joint = 0,
              .path = ChannelPath::morph_weights,
              .interpolation = Interpolation::linear,
              .times = {0, 1},
              .values = {0, 1, 1, 0},
              .width = 2}}};
  const Pose pose = sample(clip, one_joint(), 0.25);
  EXPECT_EQ(pose.local[0].translation, Vec3(7, 8, 9));
  ASSERT_EQ(pose.morph_weights.size(), 1u);
  EXPECT_EQ(pose.morph_weights[0], (std::vector<double>{0.25, 0.75}));
}

// Sampling into an earlier pose gives what a fresh sample gives.
TEST(Sample, ReusedPoseIsTheSame) {
  const Clip clip{"clip", {slide(Interpolation::linear)}};
  Pose pose = sample(clip, one_joint(), 2.7);
  sample(clip, one_joint(), 1.2, pose);
  EXPECT_EQ(pose.local[0].translation, sample(clip, one_joint(), 1.2).local[0].translation);
}

// Frames: all distinct key times, or a fixed rate that includes the end.
TEST(FrameTimes, KeysOrRate) {
  Clip clip{"clip", {slide(Interpolation::linear), slide(Interpolation::linear)}};
  clip.channels[1].times = {1, 2.5};
  EXPECT_EQ(frame_times(clip), (std::vector<double>{1, 2.5, 3}));
  EXPECT_EQ(frame_times(clip, 1), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(frame_times(clip, 0.8).back(), 3);
  EXPECT_EQ(clip.duration(), 2);
  EXPECT_TRUE(frame_times(Clip{}).empty());
}

// A clip without end, as a broken file may have one, is refused, not unrolled.
TEST(FrameTimes, RefusesClipsWithoutEnd) {
  Clip clip{"clip", {slide(Interpolation::linear)}};
  for (const double end : {1e6, 1e30, 1e308}) {
    clip.channels[0].times.back() = end;
    EXPECT_THROW(frame_times(clip, 24), Error) << end;
    EXPECT_NO_THROW(frame_times(clip));
  }
  clip.channels[0].times.front() = -1e308;  // the length itself is no number any more
  EXPECT_THROW(frame_times(clip, 1e-300), Error);
}

// Each way in which a channel can be broken has its own code.
TEST(ValidateClip, GivesReasons) {
  const auto code = [](auto&& breakage) {
    Clip clip{"clip", {slide(Interpolation::linear)}};
    breakage(clip.channels[0]);
    const Problems problems = validate(clip, one_joint());
    return problems.empty() ? std::string() : problems[0].code;
  };
  EXPECT_EQ(code([](Channel&) {}), "");
  EXPECT_EQ(code([](Channel& c) { c.joint = 1; }), "channel-joint");
  EXPECT_EQ(code([](Channel& c) { c.values.pop_back(); }), "channel-size");
  EXPECT_EQ(code([](Channel& c) { c.times[1] = c.times[0]; }), "channel-times");
  EXPECT_EQ(code([](Channel& c) { c.values[2] = std::nan(""); }), "channel-not-finite");
}

// A clip is found by name, then by number; the sentence of a refusal has the names.
TEST(Clip, FoundByNameOrNumber) {
  std::vector<Clip> clips(3);
  clips[0].name = "walk";
  clips[1].name = "run";
  clips[2].name = "0";
  EXPECT_EQ(find_clip(clips, "run"), 1);
  EXPECT_EQ(find_clip(clips, "1"), 1);
  EXPECT_EQ(find_clip(clips, "0"), 2);
  for (const char* name : {"jump", "3", "-1", "1x", ""}) EXPECT_THROW(find_clip(clips, name), Error) << name;
  try {
    find_clip(clips, "jump", "a.glb");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no clip jump; a.glb has walk, run, 0");
  }
}

}  // namespace
}  // namespace isochor
