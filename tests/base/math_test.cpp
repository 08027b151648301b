#include "isochor/base/math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isochor {
namespace {

// Flat outside, half-way in the middle, the same from both sides.
TEST(SmoothStep, KnownValues) {
  EXPECT_EQ(smooth_step(1, 3, 0.5), 0);
  EXPECT_EQ(smooth_step(1, 3, 2), 0.5);
  EXPECT_EQ(smooth_step(1, 3, 4), 1);
  EXPECT_NEAR(smooth_step(0, 1, 0.3) + smooth_step(0, 1, 0.7), 1, 1e-15);
}

// To the inside of a segment, to its ends, and to one without length.
TEST(DistanceToSegment, KnownValues) {
  const Vec3 a(0, 0, 0), b(2, 0, 0);
  EXPECT_EQ(distance_to_segment(Vec3(1, 3, 0), a, b), 3);
  EXPECT_EQ(distance_to_segment(Vec3(-3, 4, 0), a, b), 5);
  EXPECT_EQ(distance_to_segment(Vec3(5, 4, 0), a, b), 5);
  EXPECT_EQ(distance_to_segment(Vec3(0, 0, 7), a, a), 7);
}

// A direction has length 1; what has none gives what stands in for it.
TEST(Math, UnitOr) {
  EXPECT_NEAR((unit_or(Vec3(3, 0, 4)) - Vec3(0.6, 0, 0.8)).norm(), 0, 1e-15);
  EXPECT_EQ(unit_or(Vec3::Zero()), Vec3::Zero());
  EXPECT_EQ(unit_or(Vec3::Zero(), Vec3::UnitY()), Vec3::UnitY());
  EXPECT_EQ(unit_or(Vec3(std::nan(""), 0, 0), Vec3::UnitY()), Vec3::UnitY());
  EXPECT_EQ(unit_or(Vec3(HUGE_VAL, 0, 0), Vec3::UnitY()), Vec3::UnitY());
}

}  // namespace
}  // namespace isochor
