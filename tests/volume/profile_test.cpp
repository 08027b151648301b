#include "isochor/volume/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "isochor/base/error.h"

namespace isochor {
namespace {

// The curve passes through its points, and is constant beyond both ends.
TEST(Profile, InterpolatesAndStaysConstantOutside) {
  const Profile p({{-1, 0}, {0, 1}, {0.5, 0.25}, {2, 0.5}});
  for (const ProfilePoint& point : p.points()) EXPECT_DOUBLE_EQ(p(point.x), point.y);
  EXPECT_EQ(p(-100), 0);
  EXPECT_EQ(p(100), 0.5);
}

// No point: 1 everywhere. One point: its value everywhere.
TEST(Profile, FewPoints) {
  EXPECT_EQ(Profile()(3.0), 1);
  EXPECT_EQ(Profile({{2, 0.5}})(-7), 0.5);
}

// Between two points with flat ends it is the cubic step: by hand, 3t² - 2t³.
TEST(Profile, CubicStepBetweenTwoPoints) {
  const Profile p({{1, 0}, {3, 4}});
  EXPECT_NEAR(p(1.5), 4 * (3 * 0.0625 - 2 * 0.015625), 1e-15);
  EXPECT_NEAR(p(2), 2, 1e-15);
}

// With three rising points the inner slope is the weighted harmonic mean: by hand, for rises 1 and 3 over equal steps,
// 6 / (3/1 + 3/3) = 1.5, so the middle of the first piece is (0 + 1)/2 - 1.5/8.
TEST(Profile, HarmonicSlopeByHand) {
  const Profile p({{0, 0}, {1, 1}, {2, 4}});
  EXPECT_NEAR(p(0.5), 0.5 - 1.5 / 8, 1e-15);
}

// It never leaves the range of two neighbouring points, and rises where they rise, however uneven they are.
TEST(Profile, Monotone) {
  const Profile p({{0, 0}, {0.01, 0.9}, {1, 0.91}, {1.001, 5}, {7, 5}, {8, 2}});
  double last = p(-1);
  for (int i = 0; i <= 70000; ++i) {
    const double x = i * 1e-4, y = p(x);
    ASSERT_GE(y, last - 1e-12) << x;
    last = y;
  }
  for (int i = 70000; i <= 80000; ++i) {
    const double y = p(i * 1e-4);
    ASSERT_LE(y, last + 1e-12);
    last = y;
  }
}

// The slope has no jump, at the ends neither.
TEST(Profile, SmoothEverywhere) {
  const Profile p({{-1, 0}, {0, 1}, {0.5, 0.2}, {2, 0.1}, {3, 0}});
  const double h = 1e-5;
  double last = 0;
  for (double x = -1.5; x < 3.5; x += h) {
    const double slope = (p(x + h) - p(x)) / h;
    ASSERT_NEAR(slope, last, 3e-3) << x;
    last = slope;
  }
}

// Zero at both ends and beyond: a bounded curve.
TEST(Profile, Bounded) {
  EXPECT_TRUE(Profile({{-1, 0}, {0, 1}, {1, 0}}).bounded());
  EXPECT_FALSE(Profile({{-1, 0}, {0, 1}}).bounded());
  EXPECT_FALSE(Profile().bounded());
}

// Points out of order or not finite are refused, with the point.
TEST(Profile, RefusesBrokenPoints) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<ProfilePoint>> broken = {
      {{0, 0}, {0, 1}}, {{0, 0}, {-1, 1}}, {{0, 0}, {nan, 1}}, {{0, 0}, {1, inf}}};
  for (const auto& points : broken) {
    try {
      Profile p(points);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(error.element(), 1);
    }
  }
  EXPECT_THROW(Profile(std::vector<ProfilePoint>(Profile::kMaxPoints + 1)), Error);
}

// Points almost on each other and far apart give finite values within their range.
TEST(Profile, ExtremePointsStayFinite) {
  const Profile p({{0, 0}, {1e-300, 1e6}, {1e300, 0}});
  for (const double x : {1e-301, 1e-299, 1.0, 1e299, 1e301}) {
    EXPECT_GE(p(x), 0);
    EXPECT_LE(p(x), 1e6);
  }
}

}  // namespace
}  // namespace isochor
