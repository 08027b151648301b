#pragma once

/// Does a corrected skin look right? Measures that need no eye: bumps, spikes, popping.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "isochor/rig/welded_character.h"

namespace isochor::test {

/// Mean difference of the vertex normals at the two ends of an edge, over the edges of components with a volume: how
/// bumpy the skin is.
inline double normal_variation(const WeldedCharacter& welded, std::span<const Vec3> positions) {
  const std::vector<Vec3> normals = vertex_normals(welded.surface(), positions);
  double sum = 0;
  std::size_t count = 0;
  for (const Edge& edge : welded.topology().edges) {
    const Index component = welded.topology().component_of_vertex[edge.a];
    if (component == kNone || !welded.has_volume(component)) continue;
    sum += (normals[edge.a] - normals[edge.b]).norm();
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// By vertex: the radius of the largest ball that touches the skin there from inside and holds no other vertex,
/// smoothed over neighbours; 0 outside components with a volume. `stride` looks at every so many vertices only.
inline std::vector<double> local_radii(const WeldedCharacter& welded) {
  const Surface& surface = welded.surface();
  const std::vector<Vec3> normals = vertex_normals(surface);
  std::vector<double> radii(surface.vertex_count(), 0.0);
  for (std::size_t c = 0; c < welded.topology().components.size(); ++c) {
    if (!welded.has_volume(c)) continue;
    const auto& vertices = welded.topology().components[c].vertices;
    const double side = welded.rest_volumes()[c] < 0 ? -1 : 1;
    for (const Index v : vertices) {
      const Vec3 p = surface.positions[v];
      const Vec3 n = side * normals[v];
      double best = std::numeric_limits<double>::infinity();
      for (const Index w : vertices) {
        const Vec3 d = p - surface.positions[w];
        const double depth = n.dot(d);
        const double squared = d.squaredNorm();
        // A near neighbour on a gently curved skin says nothing about the body's thickness.
        if (depth * depth <= 0.09 * squared || depth <= 0) continue;
        best = std::min(best, squared / (2 * depth));
      }
      radii[v] = std::isfinite(best) ? best : 0;
    }
  }
  for (int pass = 0; pass < 8; ++pass) {
    std::vector<double> sum = radii;
    std::vector<double> count(radii.size(), 1.0);
    for (const Edge& e : welded.topology().edges) {
      sum[e.a] += radii[e.b];
      sum[e.b] += radii[e.a];
      count[e.a] += 1;
      count[e.b] += 1;
    }
    for (std::size_t v = 0; v < radii.size(); ++v) radii[v] = sum[v] / count[v];
  }
  return radii;
}

}  // namespace isochor::test
