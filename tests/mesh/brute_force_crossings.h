#pragma once

/// Faces that cross, found by asking each triangle about each other one: what a hierarchy is compared with.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "isochor/mesh/face_hierarchy.h"
#include "isochor/mesh/triangle_crossing.h"

namespace isochor::test {

/// Sorted. Faces that share a vertex are left out.
inline std::vector<FacePair> crossings_by_brute_force(const Surface& surface, std::span<const Vec3> positions) {
  const Triangulation cut = triangulate(surface);
  std::vector<Triangle> corners;
  std::vector<std::array<double, 2>> heights;  // the lowest and the highest: what saves most of the time
  for (const auto& [a, b, c] : cut.triangles) {
    corners.push_back({positions[a], positions[b], positions[c]});
    const auto [low, high] = std::minmax({positions[a].y(), positions[b].y(), positions[c].y()});
    heights.push_back({low, high});
  }
  const auto share_a_vertex = [&](Index f, Index g) {
    const auto one = surface.face(static_cast<std::size_t>(f)), other = surface.face(static_cast<std::size_t>(g));
    return std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) != one.end();
  };
  std::vector<FacePair> out;
  for (std::size_t s = 0; s < cut.triangles.size(); ++s) {
    for (std::size_t t = s + 1; t < cut.triangles.size(); ++t) {
      if (heights[s][0] > heights[t][1] || heights[t][0] > heights[s][1]) continue;
      const Index f = cut.face[s], g = cut.face[t];
      if (share_a_vertex(f, g)) continue;
      if (triangle_crossing(corners[s], corners[t])) out.push_back({std::min(f, g), std::max(f, g)});
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace isochor::test
