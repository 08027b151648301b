#include "isochor/mesh/volume.h"

#include <algorithm>

namespace isochor {
namespace {

/// Six times the volume of the tetrahedron between a triangle and the origin.
double det(const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)); }

double fan_about_mean(std::span<const Vec3> ring) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : ring) mean += p;
  mean /= static_cast<double>(ring.size());
  double sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) sum += det(mean, ring[i], ring[(i + 1) % ring.size()]);
  return sum;
}

double face_sum(std::span<const Vec3> p) {
  if (p.size() == 3) return det(p[0], p[1], p[2]);
  if (p.size() == 4) {
    // The bilinear patch of Rohmer 2009, eq. 2, encloses the mean of what its two triangulations enclose.
    return 0.5 * (det(p[0], p[1], p[2]) + det(p[0], p[2], p[3]) + det(p[0], p[1], p[3]) + det(p[1], p[2], p[3]));
  }
  return fan_about_mean(p);
}

}  // namespace

double signed_volume(const Surface& surface, const Component& component) {
  return signed_volume(surface, component, surface.positions);
}

double signed_volume(const Surface& surface, const Component& component, std::span<const Vec3> positions) {
  // Coordinates about the component's own centre: far from the origin the terms would cancel badly.
  Vec3 centre = Vec3::Zero();
  for (const Index v : component.vertices) centre += positions[v];
  if (!component.vertices.empty()) centre /= static_cast<double>(component.vertices.size());

  std::vector<Vec3> ring;
  const auto load = [&](std::span<const Index> vertices) {
    ring.clear();
    for (const Index v : vertices) ring.push_back(positions[v] - centre);
  };
  double sum = 0;
  auto flip = component.flips.begin();
  for (const Index f : component.faces) {
    load(surface.face(f));
    const bool flipped = flip != component.flips.end() && *flip == f;
    if (flipped) ++flip;
    sum += flipped ? -face_sum(ring) : face_sum(ring);
  }
  for (const auto& loop : component.boundary_loops) {
    load(loop);
    // The surface lies to the left of the loop, so the cap runs through it the other way.
    sum -= fan_about_mean(ring);
  }
  return sum / 6;
}

}  // namespace isochor
