#include "isochor/volume/profile.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "isochor/base/error.h"

namespace isochor {
namespace {

void check(std::span<const ProfilePoint> points) {
  if (points.size() > Profile::kMaxPoints) {
    throw_bad_input("a curve has more than " + std::to_string(Profile::kMaxPoints) + " points");
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto index = static_cast<Index>(i);
    if (!std::isfinite(points[i].x) || !std::isfinite(points[i].y)) {
      throw_bad_input("point " + std::to_string(i + 1) + " of a curve is not a number", index);
    }
    if (i > 0 && !(points[i].x > points[i - 1].x)) {
      throw_bad_input("point " + std::to_string(i + 1) + " of a curve does not lie after the one before it", index);
    }
  }
}

/// Fritsch and Carlson 1980 in the harmonic form of Fritsch and Butland 1984: zero where the data turns, and never more
/// than three times the smaller of the two neighbouring slopes, which is what keeps each piece monotone.
double interior_slope(const ProfilePoint& a, const ProfilePoint& b, const ProfilePoint& c) {
  const double before = b.x - a.x, after = c.x - b.x;
  const double rise = (b.y - a.y) / before, next = (c.y - b.y) / after;
  if (!(rise * next > 0)) return 0;
  const double w1 = 2 * after + before, w2 = after + 2 * before;
  const double slope = (w1 + w2) / (w1 / rise + w2 / next);
  return std::isfinite(slope) ? slope : 0;
}

}  // namespace

Profile::Profile(std::vector<ProfilePoint> points) : points_(std::move(points)) {
  check(points_);
  slopes_.assign(points_.size(), 0.0);
  for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
    slopes_[i] = interior_slope(points_[i - 1], points_[i], points_[i + 1]);
  }
}

double Profile::operator()(double x) const {
  if (std::isnan(x)) return x;
  if (points_.empty()) return 1;
  if (x <= points_.front().x) return points_.front().y;
  if (x >= points_.back().x) return points_.back().y;
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), x, [](double v, const ProfilePoint& p) { return v < p.x; });
  const auto i = static_cast<std::size_t>(after - points_.begin()) - 1;
  const ProfilePoint& a = points_[i];
  const ProfilePoint& b = points_[i + 1];
  const double h = b.x - a.x, t = (x - a.x) / h, s = 1 - t;
  // Cubic Hermite in a form that stays between a and b: both ends are weighted by numbers that sum to 1.
  const double value =
      s * s * (1 + 2 * t) * a.y + t * t * (1 + 2 * s) * b.y + h * s * t * (s * slopes_[i] - t * slopes_[i + 1]);
  return std::clamp(value, std::min(a.y, b.y), std::max(a.y, b.y));
}

bool Profile::bounded() const { return points_.size() > 1 && points_.front().y == 0 && points_.back().y == 0; }

}  // namespace isochor
