#include "volume/contact_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "isochor/voxel/winding.h"

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

/// A piece at rest.
struct Piece {
  Box box;
  std::optional<WindingTree> inside;  // if it has one
};

std::vector<Piece> pieces_of(const WeldedCharacter& welded, std::span<const double> outward) {
  const auto& positions = welded.surface().positions;
  std::vector<Piece> pieces(outward.size());
  for (std::size_t c = 0; c < pieces.size(); ++c) {
    const Component& component = welded.topology().components[c];
    for (const Index v : component.vertices) pieces[c].box.extend(positions[v]);
    if (outward[c] == 0) continue;
    std::vector<TriangleCorners> triangles;
    const VolumeFunctional whole(welded.surface(), component);
    for (std::size_t r = 0; r < whole.ring_count(); ++r) {
      const auto ring = whole.ring(r);
      for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
        triangles.push_back({positions[ring[0]], positions[ring[i]], positions[ring[i + 1]]});
      }
    }
    pieces[c].inside.emplace(triangles);
  }
  return pieces;
}

/// Components of which some of the one lies in the other, the lower one first; sorted.
std::vector<std::pair<Index, Index>> nested_at_rest(const WeldedCharacter& welded, std::span<const double> outward) {
  const auto& positions = welded.surface().positions;
  const std::vector<Piece> pieces = pieces_of(welded, outward);
  const auto lies_in = [&](std::size_t inner, std::size_t outer) {
    if (!pieces[outer].inside) return false;
    const auto& vertices = welded.topology().components[inner].vertices;
    return std::any_of(vertices.begin(), vertices.end(), [&](Index v) {
      const Vec3& p = positions[v];
      return pieces[outer].box.contains(p) && std::abs(pieces[outer].inside->estimate(p, 0.05).value) > 0.5;
    });
  };
  std::vector<std::pair<Index, Index>> nested;
  for (std::size_t a = 0; a < pieces.size(); ++a) {
    for (std::size_t b = a + 1; b < pieces.size(); ++b) {
      if (!pieces[a].box.intersects(pieces[b].box)) continue;
      if (lies_in(a, b) || lies_in(b, a)) nested.emplace_back(static_cast<Index>(a), static_cast<Index>(b));
    }
  }
  return nested;
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
    component_.push_back(component);
    side_.push_back(
        {.normal = outward[component] * normal.normalized(), .middle = (corners[0] + corners[1] + corners[2]) / 3});
  }
  search.emplace(surface, plan.welded->topology().component_of_vertex, faces,
                 ContactSearch::KnownAtRest{[this](const TrianglePair& pair) { return left_alone(pair); },
                                            [this](const TrianglePair& pair) { return back_to_back(pair); }});
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
  hard_.assign(outward.size(), 1);
  for (const ComponentPlan& component : plan.components) {
    if (component.end_region() > component.first_region) hard_[component.index] = 0;
  }
  if (plan.options.contact == ContactTreatment::resolve) nested_ = nested_at_rest(*plan.welded, outward);
}

bool ContactPlan::may_cross(const TrianglePair& pair) const {
  const std::pair<Index, Index> of = std::minmax(component_[pair.a], component_[pair.b]);
  if (of.first == of.second) return false;
  return hard_[of.first] != 0 || hard_[of.second] != 0 || std::binary_search(nested_.begin(), nested_.end(), of);
}

bool ContactPlan::left_alone(const TrianglePair& pair) const {
  return std::binary_search(at_rest.begin(), at_rest.end(), pair);
}

}  // namespace isochor::volume
