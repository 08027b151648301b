#include "volume/contact_plan.h"

#include <algorithm>
#include <set>

namespace isochor::volume {
namespace {

/// A vertex that keeps nothing of its displacement lets others keep all of theirs from so many local radii on.
constexpr double kContactSpread = 0.3;

double mean_edge_of(const Triangle& t) {
  return ((t[0] - t[1]).norm() + (t[1] - t[2]).norm() + (t[2] - t[0]).norm()) / 3;
}

/// Pairs of triangles that are near each other at rest.
std::vector<TrianglePair> near_at_rest(const Surface& surface, FaceHierarchy& faces, std::span<const double> edge) {
  faces.refit(surface.positions, surface.positions, kRestGap);
  std::vector<TrianglePair> pairs;
  faces.near_pairs(pairs);
  const auto apart = [&](const TrianglePair& pair) {
    const double gap =
        triangle_distance(faces.corners(pair.a, surface.positions), faces.corners(pair.b, surface.positions));
    return gap > kRestGap * 0.5 * (edge[pair.a] + edge[pair.b]);
  };
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), apart), pairs.end());
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

ContactPlan::ContactPlan(const TogetherPlan& plan) : faces(plan.welded->surface()) {
  const Surface& surface = plan.welded->surface();
  const std::size_t vertices = surface.vertex_count();
  const auto count = static_cast<Index>(faces.triangle_count());
  for (Index t = 0; t < count; ++t) edge_.push_back(mean_edge_of(faces.corners(t, surface.positions)));
  at_rest = near_at_rest(surface, faces, edge_);
  const auto& components = plan.welded->topology().components;
  for (std::size_t c = 0; c < components.size(); ++c) {
    const bool sided = plan.welded->has_volume(c) && components[c].flips.empty();
    outward.push_back(!sided ? 0 : plan.welded->rest_volumes()[c] < 0 ? -1 : 1);
  }
  for (Index t = 0; t < count; ++t) {
    const Triangle corners = faces.corners(t, surface.positions);
    const Index component = plan.welded->topology().component_of_vertex[faces.triangle(t)[0]];
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    normal_.emplace_back(outward[component] * normal.normalized());
    middle_.emplace_back((corners[0] + corners[1] + corners[2]) / 3);
  }
  std::vector<std::vector<Index>> around(vertices);
  std::vector<std::set<Index>> beside(vertices);
  for (Index t = 0; t < count; ++t) {
    for (const Index v : faces.triangle(t)) {
      around[v].push_back(t);
      for (const Index n : faces.triangle(t)) {
        if (n != v) beside[v].insert(n);
      }
    }
  }
  ring_begin.assign(1, 0);
  next_begin.assign(1, 0);
  for (std::size_t v = 0; v < vertices; ++v) {
    ring.insert(ring.end(), around[v].begin(), around[v].end());
    ring_begin.push_back(static_cast<Index>(ring.size()));
    for (const Index n : beside[v]) {
      next.push_back(n);
      const double radius = 0.5 * (plan.radius[v] + plan.radius[n]);
      way.push_back((surface.positions[v] - surface.positions[n]).norm() / (kContactSpread * radius + 1e-300));
    }
    next_begin.push_back(static_cast<Index>(next.size()));
  }
  buried.assign(vertices, 0);
  for (const TrianglePair& pair : at_rest) {
    for (const Index t : {pair.a, pair.b}) {
      for (const Index v : faces.triangle(t)) buried[v] = 1;
    }
  }
}

bool ContactPlan::left_alone(const TrianglePair& pair) const {
  return std::binary_search(at_rest.begin(), at_rest.end(), pair);
}

}  // namespace isochor::volume
