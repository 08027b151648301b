#include "isochor/mesh/triangle_crossing.h"

#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

/// Six times the volume of a tetrahedron is known to within this share of the product of its edges from one corner.
constexpr double kRounding = 4e-15;

/// Six times the signed volume of the tetrahedron; 0 if rounding hides its sign.
double six_volumes(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  const double volume = u.cross(v).dot(w);
  const double sizes = u.squaredNorm() * v.squaredNorm() * w.squaredNorm();
  return volume * volume > kRounding * kRounding * sizes ? volume : 0;
}

/// On which side of a plane the corners of a triangle lie.
struct Sides {
  std::array<double, 3> of;  ///< signed, in six volumes

  bool both() const {
    const double low = std::min({of[0], of[1], of[2]}), high = std::max({of[0], of[1], of[2]});
    return low < 0 && high > 0;
  }
};

/// As six_volumes() of the plane's corners with each of the others, bit for bit.
Sides sides_of(const Triangle& plane, const Triangle& corners) {
  const Vec3 u = plane[1] - plane[0], v = plane[2] - plane[0], normal = u.cross(v);
  const double sizes = u.squaredNorm() * v.squaredNorm();
  Sides sides{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 w = corners[k] - plane[0];
    const double volume = normal.dot(w);
    sides.of[k] = volume * volume > kRounding * kRounding * (sizes * w.squaredNorm()) ? volume : 0;
  }
  return sides;
}

/// Where an edge comes through a triangle, and how far.
struct Pierced {
  Vec3 at;
  double depth = 0;
};

std::optional<Pierced> pierce(const Triangle& triangle, const Vec3& p, const Vec3& q, double side_p, double side_q) {
  if (!(side_p * side_q < 0)) return std::nullopt;
  std::array<double, 3> beside{};
  for (std::size_t k = 0; k < 3; ++k) beside[k] = six_volumes(p, q, triangle[k], triangle[(k + 1) % 3]);
  const double low = std::min({beside[0], beside[1], beside[2]}), high = std::max({beside[0], beside[1], beside[2]});
  if (low < 0 && high > 0) return std::nullopt;
  const double twice_area = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).norm();
  const double sum = beside[0] + beside[1] + beside[2];
  if (!(twice_area > 0) || sum == 0) return std::nullopt;
  Pierced pierced{.at = p + side_p / (side_p - side_q) * (q - p),
                  .depth = std::min(std::abs(side_p), std::abs(side_q)) / twice_area};
  for (std::size_t k = 0; k < 3; ++k) {
    const double edge = (triangle[(k + 1) % 3] - triangle[k]).norm();
    pierced.depth = std::min(pierced.depth, beside[k] / sum * twice_area / edge);
  }
  return pierced;
}

/// The ways in which edges of `corners` come through `triangle`, added to `out`.
void pierce_all(const Triangle& triangle, const Triangle& corners, const Sides& sides, TriangleCrossing& out,
                int& count) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    const auto pierced = pierce(triangle, corners[k], corners[next], sides.of[k], sides.of[next]);
    if (!pierced) continue;
    (count == 0 ? out.from : out.to) = pierced->at;
    if (count == 0) out.to = pierced->at;
    ++count;
    out.depth = std::max(out.depth, pierced->depth);
  }
}

/// From one edge to the other.
Vec3 edge_gap(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = d - c, w = a - c;
  const double uu = u.squaredNorm(), uv = u.dot(v), vv = v.squaredNorm(), uw = u.dot(w), vw = v.dot(w);
  const double determinant = uu * vv - uv * uv;
  const auto share = [](double above, double below) { return below > 0 ? std::clamp(above / below, 0.0, 1.0) : 0.0; };
  double s = share(uv * vw - vv * uw, determinant);
  const double t = share(uv * s + vw, vv);
  s = share(uv * t - uw, uu);
  return c + t * v - (a + s * u);
}

}  // namespace

std::optional<TriangleCrossing> triangle_crossing(const Triangle& a, const Triangle& b) {
  const Sides of_b = sides_of(a, b);
  if (!of_b.both()) return std::nullopt;
  const Sides of_a = sides_of(b, a);
  if (!of_a.both()) return std::nullopt;
  TriangleCrossing crossing;
  int count = 0;
  pierce_all(a, b, of_b, crossing, count);
  pierce_all(b, a, of_a, crossing, count);
  if (count == 0) return std::nullopt;
  return crossing;
}

// Barycentric shares of the projection, cut back to the nearest edge or corner (Ericson, Real-Time Collision Detection,
// 5.1.5). Of a triangle that is a line or a point, edges without length are passed over.
Vec3 nearest_shares(const Triangle& triangle, const Vec3& p) {
  const auto& [a, b, c] = triangle;
  const Vec3 ab = b - a, ac = c - a;
  const double d1 = ab.dot(p - a), d2 = ac.dot(p - a);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const double d3 = ab.dot(p - b), d4 = ac.dot(p - b);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double of_c = d1 * d4 - d3 * d2;
  if (of_c <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  const double d5 = ab.dot(p - c), d6 = ac.dot(p - c);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double of_b = d5 * d2 - d1 * d6;
  if (of_b <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  const double of_a = d3 * d6 - d5 * d4;
  const double along = (d4 - d3) + (d5 - d6);
  if (of_a <= 0 && d4 >= d3 && d5 >= d6 && along > 0) return {0, 1 - (d4 - d3) / along, (d4 - d3) / along};
  const double sum = of_a + of_b + of_c;
  if (!(sum > 0)) return {1, 0, 0};
  return {of_a / sum, of_b / sum, of_c / sum};
}

// From a corner along the edges: a coordinate that all corners share is kept to the bit, so that triangles of one plane
// lie equally far from a point, as voxels that ask for the nearest of them expect (a sum of shares rounds).
Vec3 nearest_point(const Triangle& triangle, const Vec3& p) {
  const auto& [a, b, c] = triangle;
  const Vec3 shares = nearest_shares(triangle, p);
  if (shares[2] == 1) return c;
  if (shares[0] == 0) return b + shares[2] * (c - b);
  return a + shares[1] * (b - a) + shares[2] * (c - a);
}

Vec3 triangle_gap(const Triangle& a, const Triangle& b) {
  if (triangle_crossing(a, b)) return Vec3::Zero();
  Vec3 least = b[0] - a[0];
  const auto take = [&](const Vec3& gap) {
    if (gap.squaredNorm() < least.squaredNorm()) least = gap;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    take(b[i] - nearest_point(a, b[i]));
    take(nearest_point(b, a[i]) - a[i]);
    for (std::size_t j = 0; j < 3; ++j) take(edge_gap(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
  }
  return least;
}

double triangle_distance(const Triangle& a, const Triangle& b) { return triangle_gap(a, b).norm(); }

}  // namespace isochor
