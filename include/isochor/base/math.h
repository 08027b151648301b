#pragma once

/// Small formulas that several modules need.

#include <algorithm>
#include <cmath>

#include "isochor/base/types.h"

namespace isochor {

/// 0 up to `low`, 1 from `high`, a cubic without corners between them.
inline double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// The direction of v; `otherwise` where it has none: its length is zero or not finite.
inline Vec3 unit_or(const Vec3& v, const Vec3& otherwise = Vec3::Zero()) {
  const double length = v.norm();
  return length > 0 && std::isfinite(length) ? Vec3(v / length) : otherwise;
}

inline double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double square = along.squaredNorm();
  const double t = square > 0 ? std::clamp((p - a).dot(along) / square, 0.0, 1.0) : 0.0;
  return (p - a - t * along).norm();
}

}  // namespace isochor
