#include "mesh/leaf_faces.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace isochor::mesh {
namespace {

/// A face that has no area, passes a vertex twice, or has an edge whose parts would be welded together again.
bool must_stay_whole(const Surface& surface, std::size_t f, double shortest) {
  const auto face = surface.face(f);
  std::vector<Index> sorted(face.begin(), face.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return true;
  double longest = 0;
  for (std::size_t k = 0; k < face.size(); ++k) {
    const double length = (surface.positions[face[(k + 1) % face.size()]] - surface.positions[face[k]]).norm();
    if (!(length > shortest)) return true;
    longest = std::max(longest, length);
  }
  // A needle a thousand times as long as it is wide: its third corner may lie on the middle of its longest edge.
  constexpr double kThinnest = 1e-3;
  return !(area_vector(surface.positions, face).norm() > kThinnest * longest * longest);
}

std::vector<std::vector<Index>> faces_beside(const Surface& surface) {
  const EdgeUses edges(surface);
  std::vector<std::vector<Index>> beside(surface.face_count());
  for (std::size_t e = 0; e < edges.edge_count(); ++e) {
    for (const FaceEdge& one : edges.edge(e)) {
      for (const FaceEdge& other : edges.edge(e)) {
        if (one.face != other.face) beside[one.face].push_back(other.face);
      }
    }
  }
  return beside;
}

/// The edges that a round of splitting will cut.
using EdgeSet = std::unordered_set<EdgeKey>;

void add_whole_edges(std::span<const Index> face, const EdgeMiddles& middles, EdgeSet& out) {
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Index a = face[k], b = face[(k + 1) % face.size()];
    if (middles.find(a, b) == kNone) out.insert(edge_key(a, b));
  }
}

/// Whether a whole face would get two vertices inside one edge, or so many edges split that it had better be as well.
bool must_follow(std::span<const Index> face, const EdgeMiddles& middles, const EdgeSet& cut_now) {
  std::size_t split = 0;
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Index a = face[k], b = face[(k + 1) % face.size()];
    const Index m = middles.find(a, b);
    if (m == kNone) {
      split += cut_now.count(edge_key(a, b));
      continue;
    }
    ++split;
    if (cut_now.count(edge_key(a, m)) > 0 || cut_now.count(edge_key(m, b)) > 0) return true;
  }
  return split >= std::max<std::size_t>(3, face.size() - 1);
}

}  // namespace

void LeafFaces::add(std::span<const Index> face, Index of, int at_level) {
  corners.insert(corners.end(), face.begin(), face.end());
  begin.push_back(static_cast<Index>(corners.size()));
  source.push_back(of);
  level.push_back(at_level);
}

LeafFaces leaves_of(const Surface& surface) {
  LeafFaces leaves;
  for (std::size_t f = 0; f < surface.face_count(); ++f) leaves.add(surface.face(f), static_cast<Index>(f), 0);
  return leaves;
}

std::vector<int> level_limits(const Surface& surface, int levels) {
  // A hundred times the distance at which vertices are welded (WeldOptions), after the last split.
  const Box box = bounding_box(surface.positions);
  const double shortest = box.isEmpty() ? 0 : 1e-5 * box.diagonal().norm() * std::pow(2.0, levels);
  constexpr int kFar = -1;
  std::vector<int> steps(surface.face_count(), kFar);
  std::vector<Index> queue;
  for (std::size_t f = 0; f < steps.size(); ++f) {
    if (!must_stay_whole(surface, f, shortest)) continue;
    steps[f] = 0;
    queue.push_back(static_cast<Index>(f));
  }
  const auto beside = queue.empty() ? std::vector<std::vector<Index>>{} : faces_beside(surface);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Index next : beside[queue[i]]) {
      if (steps[next] != kFar) continue;
      steps[next] = steps[queue[i]] + 1;
      queue.push_back(next);
    }
  }
  for (int& limit : steps) limit = limit == kFar ? levels : std::clamp(limit - 1, 0, levels);
  return steps;
}

std::vector<char> balance(const LeafFaces& leaves, const EdgeMiddles& middles, std::span<const int> limits,
                          std::vector<char> marked) {
  EdgeSet cut_now;
  const auto allowed = [&](std::size_t f) { return leaves.level[f] < limits[leaves.source[f]]; };
  for (std::size_t f = 0; f < leaves.size(); ++f) {
    if (!allowed(f)) marked[f] = 0;
    if (marked[f]) add_whole_edges(leaves.face(f), middles, cut_now);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f < leaves.size(); ++f) {
      if (marked[f] || !allowed(f) || !must_follow(leaves.face(f), middles, cut_now)) continue;
      marked[f] = 1;
      changed = true;
      add_whole_edges(leaves.face(f), middles, cut_now);
    }
  }
  return marked;
}

void with_middles(std::span<const Index> face, const EdgeMiddles& middles, std::vector<Index>& out) {
  out.clear();
  for (std::size_t k = 0; k < face.size(); ++k) {
    out.push_back(face[k]);
    const Index m = middles.find(face[k], face[(k + 1) % face.size()]);
    if (m != kNone) out.push_back(m);
  }
}

namespace {

std::size_t split_count(std::span<const Index> middle) {
  return static_cast<std::size_t>(std::count_if(middle.begin(), middle.end(), [](Index m) { return m != kNone; }));
}

/// A face's corners and middles, counted from one of its corners.
struct Turned {
  std::span<const Index> face, middle;
  std::size_t from = 0;

  Index corner(std::size_t k) const { return face[(from + k) % face.size()]; }
  Index between(std::size_t k) const { return middle[(from + k) % face.size()]; }
};

/// Begins at the first split edge; for two next to each other at the first of them.
Turned turn_to_split(std::span<const Index> face, std::span<const Index> middle) {
  const std::size_t n = face.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (middle[k] == kNone) continue;
    const bool last_of_row = k == 0 && middle[n - 1] != kNone;
    if (!last_of_row || split_count(middle) == n) return {face, middle, k};
  }
  return {face, middle, n - 1};
}

void cut_triangle(const Turned& t, std::size_t split, std::span<const Vec3> positions,
                  std::vector<std::vector<Index>>& out) {
  const Index a = t.corner(0), b = t.corner(1), c = t.corner(2), m = t.between(0), n = t.between(1);
  if (split == 1) {
    out.push_back({a, m, c});
    out.push_back({m, b, c});
    return;
  }
  out.push_back({m, b, n});
  const bool from_a = (positions[a] - positions[n]).squaredNorm() <= (positions[c] - positions[m]).squaredNorm();
  if (from_a) {
    out.push_back({a, m, n});
    out.push_back({a, n, c});
  } else {
    out.push_back({a, m, c});
    out.push_back({m, n, c});
  }
}

void cut_quad(const Turned& t, std::size_t split, Index center, std::vector<std::vector<Index>>& out) {
  const Index a = t.corner(0), b = t.corner(1), c = t.corner(2), d = t.corner(3), m = t.between(0);
  if (split == 1) {
    out.push_back({a, m, d});
    out.push_back({m, b, c});
    out.push_back({m, c, d});
  } else if (t.between(2) != kNone) {
    out.push_back({a, m, t.between(2), d});
    out.push_back({m, b, c, t.between(2)});
  } else {
    out.push_back({m, b, t.between(1), center});
    out.push_back({t.between(1), c, d, center});
    out.push_back({a, m, center, d});
  }
}

}  // namespace

bool needs_center(std::span<const Index> middle) {
  const std::size_t n = middle.size(), split = split_count(middle);
  if (split == 0 || n == 3) return false;
  if (n > 4) return true;
  const bool opposite = split == 2 && (middle[0] != kNone) == (middle[2] != kNone);
  return split > 1 && !opposite;
}

void cut(std::span<const Index> face, std::span<const Index> middle, Index center, std::span<const Vec3> positions,
         std::vector<std::vector<Index>>& out) {
  out.clear();
  const std::size_t n = face.size(), split = split_count(middle);
  const auto before = [&](std::size_t k) { return middle[(k + n - 1) % n]; };
  if (split == 0) {
    out.emplace_back(face.begin(), face.end());
  } else if (split == n && n == 3) {
    for (std::size_t k = 0; k < n; ++k) out.push_back({face[k], middle[k], before(k)});
    out.push_back({middle[0], middle[1], middle[2]});
  } else if (split == n) {
    for (std::size_t k = 0; k < n; ++k) out.push_back({face[k], middle[k], center, before(k)});
  } else if (n == 3) {
    cut_triangle(turn_to_split(face, middle), split, positions, out);
  } else if (n == 4 && split < 3) {
    cut_quad(turn_to_split(face, middle), split, center, out);
  } else {
    for (std::size_t k = 0; k < n; ++k) {
      const Index next = face[(k + 1) % n];
      if (middle[k] != kNone) out.push_back({face[k], middle[k], center});
      out.push_back({middle[k] != kNone ? middle[k] : face[k], next, center});
    }
  }
}

}  // namespace isochor::mesh
