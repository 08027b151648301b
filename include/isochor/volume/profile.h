#pragma once

/// A free curve of one variable through control points: what a person draws (Rohmer 2009, 3.3), and how the volume to
/// keep changes in time.

#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

struct ProfilePoint {
  double x = 0;
  double y = 0;

  bool operator==(const ProfilePoint&) const = default;
};

/// Cubic pieces with the slopes of Fritsch and Carlson: it never overshoots between two points, and if the points
/// rise, so does the curve. The slope is zero at both ends, and the value constant beyond them, so that the curve is
/// smooth everywhere. Without any point it is 1.
class Profile {
 public:
  Profile() = default;
  /// Throws Error(bad_input), with the point, if x does not increase strictly, a number is not finite, or there are
  /// more than kMaxPoints.
  explicit Profile(std::vector<ProfilePoint> points);

  /// NaN in, NaN out; allocates nothing.
  double operator()(double x) const;

  bool empty() const { return points_.empty(); }
  std::span<const ProfilePoint> points() const { return points_; }
  /// Zero outside a bounded range: both ends are at zero.
  bool bounded() const;

  bool operator==(const Profile& other) const { return points_ == other.points_; }

  static constexpr std::size_t kMaxPoints = 4096;

 private:
  std::vector<ProfilePoint> points_;
  std::vector<double> slopes_;  // #points
};

}  // namespace isochor
