#include "medial/prune.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "medial/ball_rule.h"

namespace isochor {
namespace {

/// A sliver is lower than this share of the radius, or than a voxel, the tolerance of the complex.
constexpr double kSliverHeight = 0.25;

double edge_length(const RawComplex& complex, Index a, Index b) {
  return (complex.points[a] - complex.points[b]).norm();
}

/// The vertex of a triangle that faces its longest edge.
int apex_of(const RawComplex& complex, const TriangleTriple& t) {
  int apex = 0;
  double longest = -1;
  for (int k = 0; k < 3; ++k) {
    const double length = edge_length(complex, t[(k + 1) % 3], t[(k + 2) % 3]);
    if (length > longest) {
      longest = length;
      apex = k;
    }
  }
  return apex;
}

EdgePair sorted_pair(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }

bool is_low(const RawComplex& complex, const TriangleTriple& t, int apex) {
  const Vec3 base = complex.points[t[(apex + 2) % 3]] - complex.points[t[(apex + 1) % 3]];
  const Vec3 side = complex.points[t[apex]] - complex.points[t[(apex + 1) % 3]];
  const double height = base.cross(side).norm() / base.norm();
  return height < std::max(1.0, kSliverHeight * complex.radii[t[apex]]);
}

/// Vertices and who is joined to whom, as vertices go.
class Peeling {
 public:
  explicit Peeling(RawComplex& complex)
      : complex_(complex),
        neighbours_(complex.points.size()),
        triangles_(complex.points.size()),
        hosted_(complex.points.size()) {
    for (const EdgePair& e : complex.edges) {
      neighbours_[e[0]].insert(e[1]);
      neighbours_[e[1]].insert(e[0]);
    }
    for (const TriangleTriple& t : complex.triangles) {
      for (const Index v : t) triangles_[v].insert(t);
    }
    all_neighbours_ = neighbours_;
    largest_ = complex.radii.empty() ? 0 : *std::max_element(complex.radii.begin(), complex.radii.end());
  }

  /// The smallest balls first. What had to stay may go once its neighbours are gone.
  std::size_t run() {
    std::vector<Index> order(complex_.points.size());
    for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<Index>(v);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return complex_.radii[a] < complex_.radii[b]; });
    std::set<std::pair<std::size_t, Index>> waiting;  // by rank
    std::vector<std::size_t> rank(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
    for (const Index v : order) waiting.insert({rank[v], v});
    std::size_t gone = 0;
    while (!waiting.empty()) {
      const Index v = waiting.begin()->second;
      waiting.erase(waiting.begin());
      if (!is_free(v)) continue;
      const Index host = find_host(v);
      if (host == kNone) continue;
      hosted_[host].push_back(v);
      hosted_[host].insert(hosted_[host].end(), hosted_[v].begin(), hosted_[v].end());
      for (const Index n : neighbours_[v]) waiting.insert({rank[n], n});
      remove(v);
      ++gone;
    }
    return gone;
  }

  const std::set<Index>& gone() const { return gone_; }

 private:
  /// Whether what the vertex is joined to hangs together without it and encloses nothing: then it can be taken away
  /// like the end of a line or the rim of a sheet. Its link, neighbours joined by the triangles that they share with
  /// it, has to be a tree.
  bool is_free(Index v) const {
    const auto& around = neighbours_[v];
    if (around.empty() || triangles_[v].size() + 1 != around.size()) return false;
    std::map<Index, Index> root;
    for (const Index n : around) root[n] = n;
    const auto find = [&](Index n) {
      while (root[n] != n) n = root[n];
      return n;
    };
    for (const TriangleTriple& t : triangles_[v]) {
      const Index a = t[0] == v ? t[1] : t[0], b = t[2] == v ? t[1] : t[2];
      const Index ra = find(a), rb = find(b);
      if (ra == rb) return false;
      root[std::max(ra, rb)] = std::min(ra, rb);
    }
    return true;
  }

  /// Whether a ball holds all but a little of that of v.
  bool ball_holds(const Vec3& centre, double radius, Index v) const {
    return ball_rule::holds(radius, (centre - complex_.points[v]).norm(), complex_.radii[v]);
  }

  /// Whether that of w does, or one on an edge that leads on from there.
  bool holds(Index w, Index v) const {
    if (ball_holds(complex_.points[w], complex_.radii[w], v)) return true;
    return std::any_of(neighbours_[w].begin(), neighbours_[w].end(), [&](Index n) {
      for (const double t : {0.25, 0.5, 0.75}) {
        const double radius = complex_.radii[w] + t * (complex_.radii[n] - complex_.radii[w]);
        if (n != v && ball_holds(complex_.points[w] + t * (complex_.points[n] - complex_.points[w]), radius, v)) {
          return true;
        }
      }
      return false;
    });
  }

  /// Whether the ball of w holds those that went for the sake of v, too.
  bool holds_hosted(Index w, Index v) const {
    return std::all_of(hosted_[v].begin(), hosted_[v].end(), [&](Index u) { return holds(w, u); });
  }

  /// The largest ball that makes up for the vertex's own; kNone if there is none. Ways go through vertices that are
  /// gone, too.
  Index find_host(Index v) const {
    const double most = ball_rule::kScale * (largest_ - complex_.radii[v]) + ball_rule::kTolerance;
    const double farthest = ball_rule::kWayPerLine * most + ball_rule::kWayVoxels;
    Index host = kNone;
    std::map<Index, double> way;
    using Item = std::pair<double, Index>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    queue.emplace(0, v);
    way[v] = 0;
    while (!queue.empty()) {
      const auto [d, w] = queue.top();
      queue.pop();
      if (d > way[w]) continue;
      const double line = edge_length(complex_, v, w);
      const bool larger = host == kNone || complex_.radii[w] > complex_.radii[host];
      const bool near = gone_.count(w) == 0 && ball_rule::is_direct(d, line);
      if (w != v && larger && near && holds(w, v) && holds_hosted(w, v)) host = w;
      for (const Index n : all_neighbours_[w]) {
        const double further = d + edge_length(complex_, w, n);
        if (further > farthest) continue;
        const auto known = way.find(n);
        if (known != way.end() && known->second <= further) continue;
        way[n] = further;
        queue.emplace(further, n);
      }
    }
    return host;
  }

  void remove(Index v) {
    for (const TriangleTriple& t : std::set<TriangleTriple>(triangles_[v])) {
      for (const Index w : t) triangles_[w].erase(t);
      complex_.triangles.erase(t);
    }
    for (const Index n : neighbours_[v]) {
      neighbours_[n].erase(v);
      complex_.edges.erase(sorted_pair(v, n));
    }
    neighbours_[v].clear();
    gone_.insert(v);
  }

  RawComplex& complex_;
  std::vector<std::set<Index>> neighbours_, all_neighbours_;
  std::vector<std::set<TriangleTriple>> triangles_;
  std::vector<std::vector<Index>> hosted_;  // #M: those that went for its sake
  std::set<Index> gone_;
  double largest_ = 0;
};

void renumber(RawComplex& complex, const std::set<Index>& gone) {
  std::vector<Index> place(complex.points.size(), kNone);
  RawComplex kept;
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (gone.count(static_cast<Index>(v)) != 0) continue;
    place[v] = static_cast<Index>(kept.points.size());
    kept.points.push_back(complex.points[v]);
    kept.radii.push_back(complex.radii[v]);
  }
  for (const EdgePair& e : complex.edges) kept.edges.insert({place[e[0]], place[e[1]]});
  for (const TriangleTriple& t : complex.triangles) kept.triangles.insert({place[t[0]], place[t[1]], place[t[2]]});
  complex = std::move(kept);
}

}  // namespace

void flatten_slivers(RawComplex& complex) {
  std::map<EdgePair, int> uses;
  for (const TriangleTriple& t : complex.triangles) {
    for (int k = 0; k < 3; ++k) ++uses[sorted_pair(t[k], t[(k + 1) % 3])];
  }
  for (auto it = complex.triangles.begin(); it != complex.triangles.end();) {
    const TriangleTriple t = *it;
    const int apex = apex_of(complex, t);
    const EdgePair base = sorted_pair(t[(apex + 1) % 3], t[(apex + 2) % 3]);
    if (uses[base] > 1 || !is_low(complex, t, apex)) {
      ++it;
      continue;
    }
    for (int k = 0; k < 3; ++k) --uses[sorted_pair(t[k], t[(k + 1) % 3])];
    complex.edges.erase(base);
    it = complex.triangles.erase(it);
  }
}

std::size_t prune_branches(RawComplex& complex) {
  Peeling peeling(complex);
  const std::size_t gone = peeling.run();
  renumber(complex, peeling.gone());
  return gone;
}

}  // namespace isochor
