#include "isochor/mesh/triangle_crossing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace isochor {
namespace {

const Triangle kFlat{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};

/// A spike whose tip is at (1, 1, -depth).
Triangle spike(double depth) { return {Vec3(1, 1, -depth), Vec3(1.2, 1, 5), Vec3(1, 1.2, 5)}; }

// A spike through a triangle crosses it, as deep as its tip has come; one above it does not.
TEST(TriangleCrossing, KnowsHowDeepASpikeHasCome) {
  EXPECT_FALSE(triangle_crossing(kFlat, spike(-0.1)));
  const auto crossing = triangle_crossing(kFlat, spike(0.1));
  ASSERT_TRUE(crossing);
  EXPECT_NEAR(crossing->depth, 0.1, 1e-12);
  EXPECT_NEAR(crossing->from.z(), 0, 1e-12);
  EXPECT_NEAR(crossing->to.z(), 0, 1e-12);
  EXPECT_GT((crossing->from - crossing->to).norm(), 1e-3);
  EXPECT_NEAR(triangle_crossing(spike(0.1), kFlat)->depth, 0.1, 1e-12);
}

// An edge over the border of a triangle crosses as deep as it is from the border.
TEST(TriangleCrossing, KnowsHowFarAnEdgeIsFromTheBorder) {
  const Triangle across{Vec3(1, 0.05, -3), Vec3(1, 0.05, 3), Vec3(1, -9, 0)};
  const auto crossing = triangle_crossing(kFlat, across);
  ASSERT_TRUE(crossing);
  EXPECT_NEAR(crossing->depth, 0.05, 1e-12);
}

// Triangles that touch in a point, along an edge or in their plane do not cross.
TEST(TriangleCrossing, DoesNotCountTouching) {
  EXPECT_FALSE(triangle_crossing(kFlat, spike(0)));
  EXPECT_FALSE(triangle_crossing(kFlat, kFlat));
  EXPECT_FALSE(triangle_crossing(kFlat, {Vec3(1, 0, 0), Vec3(3, 0, 0), Vec3(2, 0, 1)}));
  EXPECT_FALSE(triangle_crossing(kFlat, {Vec3(1, 1, 0), Vec3(1, 1, 0), Vec3(1, 1, 0)}));
}

/// By the line that both planes share, in long double: another way than the library's.
bool cross_by_intervals(const Triangle& a, const Triangle& b) {
  using Wide = Eigen::Matrix<long double, 3, 1>;
  const auto wide = [](const Vec3& p) { return p.cast<long double>().eval(); };
  const Wide n = (wide(a[1]) - wide(a[0])).cross(wide(a[2]) - wide(a[0]));
  const Wide m = (wide(b[1]) - wide(b[0])).cross(wide(b[2]) - wide(b[0]));
  const Wide line = n.cross(m);
  const auto interval = [&](const Triangle& t, const Wide& normal, const Wide& through, long double& low,
                            long double& high) {
    int count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Wide p = wide(t[k]), q = wide(t[(k + 1) % 3]);
      const long double sp = normal.dot(p - through), sq = normal.dot(q - through);
      if (sp * sq >= 0) continue;
      const long double at = line.dot(p + sp / (sp - sq) * (q - p));
      low = count == 0 ? at : std::min(low, at);
      high = count == 0 ? at : std::max(high, at);
      ++count;
    }
    return count == 2;
  };
  long double la = 0, ha = 0, lb = 0, hb = 0;
  return interval(a, m, wide(b[0]), la, ha) && interval(b, n, wide(a[0]), lb, hb) && la < hb && lb < ha;
}

// On many random pairs, in any order, the answer is that of an independent method; and pairs that cross have no
// distance.
TEST(TriangleCrossing, AgreesWithIntervalsOnRandomPairs) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  int crossing = 0;
  for (int i = 0; i < 20000; ++i) {
    Triangle a, b;
    for (Vec3& p : a) p = Vec3(coordinate(random), coordinate(random), coordinate(random));
    for (Vec3& p : b) p = Vec3(coordinate(random), coordinate(random), coordinate(random));
    const bool crosses = triangle_crossing(a, b).has_value();
    ASSERT_EQ(crosses, cross_by_intervals(a, b)) << i;
    ASSERT_EQ(crosses, triangle_crossing({b[1], b[2], b[0]}, a).has_value()) << i;
    ASSERT_EQ(crosses, triangle_distance(a, b) == 0) << i;
    crossing += crosses ? 1 : 0;
  }
  EXPECT_GT(crossing, 500);
  EXPECT_LT(crossing, 15000);
}

// The depth is continuous: it grows from nothing as two triangles move through each other.
TEST(TriangleCrossing, HasAContinuousDepth) {
  const Triangle moving{Vec3(0.3, 0.4, 0.2), Vec3(2, 1.5, 1.1), Vec3(0.5, 3, -1)};
  double last = 0, largest = 0;
  for (int i = 0; i <= 20000; ++i) {
    Triangle at = moving;
    for (Vec3& p : at) p += (i * 1e-3 - 8) * Vec3(0.3, 0.2, 0.5);
    const auto crossing = triangle_crossing(kFlat, at);
    const double depth = crossing ? crossing->depth : 0;
    ASSERT_NEAR(depth, last, 2e-3);
    last = depth;
    largest = std::max(largest, depth);
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_EQ(last, 0);
}

// Distances of known pairs: corner to face, edge to edge, corner to corner.
TEST(TriangleCrossing, MeasuresDistances) {
  EXPECT_NEAR(triangle_distance(kFlat, spike(-0.1)), 0.1, 1e-12);
  EXPECT_NEAR(triangle_distance(kFlat, {Vec3(1, -2, -3), Vec3(1, -2, 3), Vec3(1, -9, 0)}), 2, 1e-12);
  EXPECT_NEAR(triangle_distance(kFlat, {Vec3(-3, -4, 0), Vec3(-9, -9, 1), Vec3(-9, -8, -1)}), 5, 1e-12);
}

// The nearest point of a triangle beats all of a dense grid of its points.
TEST(TriangleCrossing, FindsTheNearestPoint) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  for (int i = 0; i < 200; ++i) {
    Triangle t;
    for (Vec3& p : t) p = Vec3(coordinate(random), coordinate(random), coordinate(random));
    const Vec3 p(coordinate(random), coordinate(random), coordinate(random));
    const Vec3 shares = nearest_shares(t, p);
    EXPECT_NEAR(shares.sum(), 1, 1e-12);
    EXPECT_GE(shares.minCoeff(), -1e-12);
    const double found = (nearest_point(t, p) - p).norm();
    double best = 1e9;
    for (int u = 0; u <= 40; ++u) {
      for (int v = 0; u + v <= 40; ++v) {
        best = std::min(best, ((40 - u - v) / 40.0 * t[0] + u / 40.0 * t[1] + v / 40.0 * t[2] - p).norm());
      }
    }
    EXPECT_LE(found, best + 1e-12);
    EXPECT_GE(found, best - 0.15);
  }
}

// In a triangle at right angles to an axis, the nearest point lies in its plane to the bit.
TEST(TriangleCrossing, TheNearestPointLiesInThePlane) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  for (int i = 0; i < 2000; ++i) {
    const double plane = coordinate(random);
    Triangle t;
    for (Vec3& p : t) p = Vec3(plane, coordinate(random), coordinate(random));
    EXPECT_EQ(nearest_point(t, Vec3(coordinate(random), coordinate(random), coordinate(random))).x(), plane);
  }
}

// Triangles whose corners fall together are lines, or points.
TEST(TriangleCrossing, NearestPointsOfLines) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  const auto any = [&] { return Vec3(coordinate(random), coordinate(random), coordinate(random)); };
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = any(), b = any(), p = any();
    const double share = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
    const double wanted = (a + share * (b - a) - p).norm();
    for (const Triangle& t : {Triangle{a, a, b}, Triangle{a, b, a}, Triangle{b, a, a}}) {
      EXPECT_NEAR((nearest_point(t, p) - p).norm(), wanted, 1e-12);
    }
    EXPECT_EQ(nearest_point({a, a, a}, p), a);
  }
}

}  // namespace
}  // namespace isochor
