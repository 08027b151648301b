#include "isochor/bake/between_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

/// A volume over time, and the lines that keys make of it.
struct Curve {
  std::function<double(double)> volume;
  std::vector<double> keys;
  std::vector<double> asked = {};

  BetweenError error(double time) const {
    const auto after = std::upper_bound(keys.begin(), keys.end(), time);
    const double a = *(after - 1), b = *after, s = (time - a) / (b - a);
    const double line = (1 - s) * volume(a) + s * volume(b);
    return {std::abs(line - volume(time)), 2 * std::abs(line - volume(time))};
  }
  BetweenKeys refine(double allowed) {
    const std::vector<double> given = keys;
    return add_keys_between(
        given, {.volume_error = allowed},
        {.errors =
             [&](std::span<const double> times, double) {
               asked.assign(times.begin(), times.end());
               std::vector<BetweenError> errors;
               for (const double time : times) errors.push_back(error(time));
               return errors;
             },
         .add = [&](std::size_t i) { keys.insert(std::upper_bound(keys.begin(), keys.end(), asked[i]), asked[i]); }});
  }
  double worst() const {
    double most = 0;
    for (double t = keys.front(); t < keys.back(); t += 1e-3) most = std::max(most, error(t).volume);
    return most;
  }
};

// Keys come where the curve bends, until lines keep within what is allowed everywhere; what is left is told.
TEST(BetweenKeys, FollowTheCurve) {
  Curve curve{[](double t) { return t < 1 ? 1 : 1 + 0.1 * std::pow(std::sin(3 * (t - 1)), 2); }, {0, 0.5, 1, 1.5, 2}};
  const double before = curve.worst();
  const BetweenKeys found = curve.refine(1e-3);
  EXPECT_GT(before, 0.01);
  EXPECT_LE(curve.worst(), 1e-3);
  EXPECT_GT(found.max_error.volume, 1e-5);
  EXPECT_LE(found.max_error.volume, 1e-3);
  EXPECT_DOUBLE_EQ(found.max_error.position, 2 * found.max_error.volume);
  EXPECT_EQ(found.gaps_beyond, 0u);
  EXPECT_EQ(curve.keys.size(), 5 + found.added.size());
  EXPECT_TRUE(std::is_sorted(found.added.begin(), found.added.end()));
  EXPECT_GT(found.added.front(), 1);
}

// A face that is turned over between two keys asks for no key; the moment is told, of gaps that are left alone.
TEST(BetweenKeys, TurnedFacesAskForNoKey) {
  std::vector<double> added;
  std::vector<double> asked;
  // The volume asks for a key at 0.5; a face is turned over wherever it is looked at but near the end.
  const auto errors = [&](std::span<const double> times, double) {
    asked.assign(times.begin(), times.end());
    std::vector<BetweenError> out;
    for (const double time : times) out.push_back({.volume = time == 0.5 ? 0.1 : 0, .turned = time < 0.7 ? 3u : 0u});
    return out;
  };
  const auto add = [&](std::size_t i) { added.push_back(asked[i]); };
  const BetweenKeys found = add_keys_between(std::vector<double>{0, 1}, {}, {.errors = errors, .add = add});
  EXPECT_EQ(added, (std::vector<double>{0.5}));
  EXPECT_EQ(found.turned, (std::vector<double>{0.25}));
  EXPECT_EQ(found.max_error.turned, 3u);
  EXPECT_EQ(found.gaps_beyond, 0u);
}

// A jump is halved as often as allowed and no more, and the gap that holds it is counted.
TEST(BetweenKeys, JumpsEnd) {
  Curve curve{[](double t) { return t < 0.3 ? 1 : 2; }, {0, 1}};
  const BetweenKeys found = curve.refine(1e-3);
  EXPECT_EQ(found.added.size(), static_cast<std::size_t>(kMostHalvings));
  EXPECT_EQ(found.gaps_beyond, 1u);
  EXPECT_GT(found.max_error.volume, 0.4);
}

// A jump between neighbouring floats is no gap at all.
TEST(BetweenKeys, NeighbouringFloatsAreNoGap) {
  const double last = std::nextafter(0.3f, 0.0f);
  Curve curve{[&](double t) { return t <= last ? 1 : 2; }, {0, last, 0.3f, 1}};
  const BetweenKeys found = curve.refine(1e-3);
  EXPECT_TRUE(found.added.empty());
  EXPECT_EQ(found.max_error.volume, 0);
}

// Zero adds no key and looks at nothing; an error that is not a number counts as beyond; ranges are checked.
TEST(BetweenKeys, Limits) {
  const std::vector<double> keys = {0, 1};
  std::size_t asked = 0, added = 0;
  const KeyedClip clip{.errors =
                           [&](std::span<const double> times, double) {
                             asked += times.size();
                             return std::vector<BetweenError>(times.size(), {std::nan(""), 0});
                           },
                       .add = [&](std::size_t) { ++added; }};
  add_keys_between(keys, {.volume_error = 0}, clip);
  EXPECT_EQ(asked, 0u);
  const BetweenKeys found = add_keys_between(keys, {.volume_error = 0.1}, clip);
  EXPECT_EQ(added, (1u << kMostHalvings) - 1);
  EXPECT_EQ(found.gaps_beyond, 1u << kMostHalvings);
  EXPECT_THROW(add_keys_between(keys, {.volume_error = -1}, clip), Error);
}

// Nothing is shown between neighbouring floats, as before a joint steps.
TEST(BetweenKeys, NeighbouringFloats) {
  const float one = 1;
  EXPECT_FALSE(moment_between(one, std::nextafter(one, 2.0F)).has_value());
  EXPECT_EQ(moment_between(1, 2), 1.5);
}

}  // namespace
}  // namespace isochor
