#include "isochor/mesh/nearest_points.h"

#include <gtest/gtest.h>

#include <limits>

namespace isochor {
namespace {

/// A fixed sequence of numbers in [0, 1).
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) / static_cast<double>(1u << 24);
  }
  Vec3 point() {
    const double x = next(), y = next();
    return {x, y, next()};
  }

 private:
  std::uint64_t state_ = 7;
};

Index brute_force(std::span<const Vec3> points, const Vec3& p) {
  Index best = kNone;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double d2 = (points[i] - p).squaredNorm();
    if (d2 < least) {
      least = d2;
      best = static_cast<Index>(i);
    }
  }
  return best;
}

// The tree finds what looking at every point finds, inside and far outside the points' box.
TEST(NearestPoints, AgreesWithLookingAtAll) {
  Numbers numbers;
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(numbers.point());
  const NearestPoints nearest(points);
  for (int i = 0; i < 300; ++i) {
    const Vec3 p = 3 * numbers.point() - Vec3::Ones();
    EXPECT_EQ(nearest.find(p), brute_force(points, p)) << i;
  }
}

// Points on a lattice: of several that are equally near, the lowest is taken, whatever branch of the tree it is in.
TEST(NearestPoints, TiesGoToTheLowerIndex) {
  std::vector<Vec3> points;
  for (int i = 0; i < 6 * 6 * 6; ++i) points.emplace_back(i % 6, i / 6 % 6, i / 36);
  points.insert(points.end(), points.begin(), points.begin() + 36);
  const NearestPoints nearest(points);
  for (int i = 0; i < 5 * 5 * 5; ++i) {
    const Vec3 p = Vec3(i % 5, i / 5 % 5, i / 25) + Vec3::Constant(0.5);
    EXPECT_EQ(nearest.find(p), brute_force(points, p)) << i;
  }
}

// No point, one point, all in one place.
TEST(NearestPoints, FewPoints) {
  EXPECT_EQ(NearestPoints({}).find(Vec3::Zero()), kNone);
  EXPECT_TRUE(NearestPoints({}).empty());
  EXPECT_EQ(NearestPoints({Vec3::Ones()}).find(Vec3::Zero()), 0);
  EXPECT_EQ(NearestPoints(std::vector<Vec3>(50, Vec3::Ones())).find(Vec3::Zero()), 0);
}

}  // namespace
}  // namespace isochor
