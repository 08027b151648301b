#include "isochor/bake/bake_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"

namespace isochor {
namespace {

Clip clip_with(Interpolation interpolation, std::vector<double> times) {
  std::vector<double> values;
  for (std::size_t k = 0; k < times.size(); ++k) values.insert(values.end(), {static_cast<double>(k), 0, 0});
  return {"clip", {{0, ChannelPath::translation, interpolation, std::move(times), std::move(values)}}};
}

// Keys that are near stay alone, keys far apart get others between them, and all are floats.
TEST(BakeTimes, FillsLongGaps) {
  const auto times = bake_times(clip_with(Interpolation::linear, {0, 0.04, 0.3}), 0);
  ASSERT_GT(times.size(), 3u);
  EXPECT_EQ(times.front(), 0);
  EXPECT_EQ(times[1], static_cast<double>(0.04f));
  EXPECT_EQ(times.back(), static_cast<double>(0.3f));
  for (std::size_t k = 1; k < times.size(); ++k) {
    EXPECT_LE(times[k] - times[k - 1], kLongestGap + 1e-6);
    EXPECT_EQ(times[k], static_cast<double>(static_cast<float>(times[k])));
  }
}

// Frames per second are taken as they are.
TEST(BakeTimes, FramesPerSecond) {
  const auto times = bake_times(clip_with(Interpolation::linear, {0, 1}), 10);
  EXPECT_EQ(times.size(), 11u);
}

// Keys that are too far apart to be filled are refused; where nothing needs to be filled they are taken.
TEST(BakeTimes, RefusesClipsWithoutEnd) {
  for (const double end : {1e5, 1e30, 3e38}) {
    EXPECT_THROW(bake_times(clip_with(Interpolation::linear, {0, 1, end}), 0), Error) << end;
    EXPECT_EQ(bake_times(clip_with(Interpolation::step, {0, 1, end}), 0).size(), 3u) << end;
  }
}

// A clip that steps throughout needs its keys alone; where others do not step, the moment before each step too.
TEST(BakeTimes, Steps) {
  Clip clip = clip_with(Interpolation::step, {0, 1});
  EXPECT_TRUE(steps_throughout(clip));
  EXPECT_EQ(bake_times(clip, 0), (std::vector<double>{0, 1}));
  clip.channels.push_back(clip_with(Interpolation::linear, {0, 1}).channels[0]);
  EXPECT_FALSE(steps_throughout(clip));
  const auto times = bake_times(clip, 0);
  const double before = std::nextafter(1.0f, 0.0f);
  EXPECT_NE(std::find(times.begin(), times.end(), before), times.end());
  EXPECT_FALSE(steps_throughout(Clip{}));
}

// The moments of a clip are its poses at these times.
TEST(BakeTimes, Moments) {
  const Clip clip = clip_with(Interpolation::linear, {0, 1});
  Skeleton skeleton;
  skeleton.joints.emplace_back();
  const auto times = bake_times(clip, 4);
  const auto moments = bake_moments(clip, skeleton, 4);
  ASSERT_EQ(moments.size(), times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(moments[k].time, times[k]);
    EXPECT_NEAR(moments[k].pose.local[0].translation.x(), times[k], 1e-12);
  }
}

}  // namespace
}  // namespace isochor
