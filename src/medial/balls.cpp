#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/parallel.h"
#include "isochor/medial/complex.h"

namespace isochor {
namespace {

struct MedialPoint {
  Vec3 position;
  double radius;

  MedialPoint to(const MedialPoint& other, double t) const {
    return {position + t * (other.position - position), radius + t * (other.radius - radius)};
  }
  double distance(const Vec3& p) const { return (p - position).norm() - radius; }
};

/// The least over the segment of |p - x(t)| - r(t), a convex function: where the ball that touches p first has its
/// centre, the line to p leans by the slope of the radius.
double distance_to_segment(const MedialPoint& a, const MedialPoint& b, const Vec3& p) {
  const Vec3 way = b.position - a.position;
  const double length = way.norm();
  if (!(length > 0)) return std::min(a.distance(p), b.distance(p));
  const double slope = (b.radius - a.radius) / length;
  const double along = (p - a.position).dot(way) / length;
  if (std::abs(slope) >= 1) return std::min(a.distance(p), b.distance(p));
  const double across = std::sqrt(std::max(0.0, (p - a.position).squaredNorm() - along * along));
  const double t = (along + across * slope / std::sqrt(1 - slope * slope)) / length;
  return a.to(b, std::clamp(t, 0.0, 1.0)).distance(p);
}

/// Convex over the triangle as well: a search over lines through it, each as a segment.
double distance_to_triangle(const std::array<MedialPoint, 3>& t, const Vec3& p) {
  const auto on_line = [&](double u) { return distance_to_segment(t[0].to(t[1], u), t[0].to(t[2], u), p); };
  constexpr double kGolden = 0.6180339887498949;
  double low = 0, high = 1;
  double u = high - kGolden * (high - low), v = low + kGolden * (high - low);
  double at_u = on_line(u), at_v = on_line(v);
  for (int i = 0; i < 40; ++i) {
    if (at_u < at_v) {
      high = v;
      v = u;
      at_v = at_u;
      at_u = on_line(u = high - kGolden * (high - low));
    } else {
      low = u;
      u = v;
      at_u = at_v;
      at_v = on_line(v = low + kGolden * (high - low));
    }
  }
  return std::min({at_u, at_v, on_line(0), on_line(1)});
}

}  // namespace

std::vector<double> distances_to_balls(const MedialComplex& complex, std::span<const Vec3> points,
                                       const Context& context) {
  const auto vertex = [&](Index v) { return MedialPoint{complex.positions[v], complex.radii[v]}; };
  std::vector<double> distances(points.size());
  parallel_for(context, points.size(), 64, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Vec3& p = points[i];
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t v = 0; v < complex.vertex_count(); ++v) {
        best = std::min(best, vertex(static_cast<Index>(v)).distance(p));
      }
      for (const auto& s : complex.segments) best = std::min(best, distance_to_segment(vertex(s[0]), vertex(s[1]), p));
      for (const auto& t : complex.triangles) {
        const std::array<MedialPoint, 3> corners = {vertex(t[0]), vertex(t[1]), vertex(t[2])};
        const double edge = std::max((corners[1].position - corners[0].position).norm(),
                                     (corners[2].position - corners[0].position).norm());
        const double largest = std::max({corners[0].radius, corners[1].radius, corners[2].radius});
        if ((p - corners[0].position).norm() - edge - largest < best) {
          best = std::min(best, distance_to_triangle(corners, p));
        }
      }
      distances[i] = best;
    }
  });
  return distances;
}

}  // namespace isochor
