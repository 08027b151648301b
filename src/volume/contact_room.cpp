#include "volume/contact_room.h"

#include <algorithm>
#include <cmath>

namespace isochor::volume {
namespace {

/// So far apart, in shares of the distance of their middles, triangles do not cross, whatever rounding does.
constexpr double kClearly = 1e-6;

/// How far the second triangle lies from the first along a direction, with all its corners; in lengths of that.
double gap_along(const Triangle& a, const Triangle& b, const Vec3& direction) {
  const Vec3& origin = a[0];
  const double from = std::max({0.0, (a[1] - origin).dot(direction), (a[2] - origin).dot(direction)});
  return std::min({(b[0] - origin).dot(direction), (b[1] - origin).dot(direction), (b[2] - origin).dot(direction)}) -
         from;
}

/// From the middle of one to that of the other, three times.
Vec3 between(const Triangle& a, const Triangle& b) { return (b[0] - a[0]) + (b[1] - a[1]) + (b[2] - a[2]); }

}  // namespace

double room_between(const Triangle& a, const Triangle& b, const Vec3& towards) {
  const Vec3 gap = triangle_gap(a, b);
  const double ahead = gap.dot(towards);
  return std::max(0.0, ahead) + (gap - ahead * towards).norm();
}

// Room is a v·t + |w| for the shortest way v from one to the other, w what of it is aside of t, a = 1 ahead and 0
// behind. For a unit vector s aside of t that is no less than v·t, than v·s, and than v·(a t + b s) with a and b from 0
// to 1; and v·d is no less than the gap along d.
bool has_room(const Triangle& a, const Triangle& b, const Vec3& towards, double enough) {
  enough *= kSurely;
  const double length = towards.norm();
  if (gap_along(a, b, towards) > enough * length) return true;
  const Vec3 way = between(a, b);
  const double ahead = way.dot(towards) / length;
  const Vec3 aside = way - ahead / length * towards;
  const double width = aside.norm();
  if (gap_along(a, b, aside) > enough * width) return true;
  return ahead > 0 && gap_along(a, b, way) > enough * std::max(ahead, width);
}

bool clearly_beyond(const Triangle& a, const Triangle& b) {
  const Vec3 way = between(a, b);
  return gap_along(a, b, way) > kClearly * way.squaredNorm();
}

}  // namespace isochor::volume
