#include "isochor/medial/complex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>

#include "isochor/base/error.h"
#include "medial/prune.h"
#include "medial/ridge.h"
#include "medial/solid_voxels.h"
#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

/// Edges shorter than this many voxels would only follow the voxels.
constexpr double kLeastEdge = 3;

/// The ridge as a graph: neighbours by faces, edges and corners.
class RidgeGraph {
 public:
  RidgeGraph(const SolidVoxels& voxels, const Ridge& ridge)
      : voxels_(voxels), ridge_(ridge), steps_(voxels.steps()), place_(voxels.size(), kNone) {
    for (std::size_t r = 0; r < ridge.size(); ++r) place_[ridge.voxel[r]] = static_cast<Index>(r);
  }

  template <class Body>
  void each_neighbour(Index r, const Body& body) const {
    for (const std::ptrdiff_t step : steps_) {
      const Index s = at(voxels_.cell[ridge_.voxel[r]] + static_cast<std::size_t>(step));
      if (s != kNone) body(s);
    }
  }
  Index at(std::size_t cell) const { return voxels_.at[cell] == kNone ? kNone : place_[voxels_.at[cell]]; }
  std::size_t cell(Index r) const { return voxels_.cell[ridge_.voxel[r]]; }
  std::size_t side() const { return voxels_.side; }
  Vec3 centre(Index r) const { return voxels_.centre(static_cast<std::size_t>(ridge_.voxel[r])); }

 private:
  const SolidVoxels& voxels_;
  const Ridge& ridge_;
  std::array<std::ptrdiff_t, 26> steps_;
  std::vector<Index> place_;  // #N of the voxels: in the ridge
};

/// The vertices of the complex, as places in the ridge, and to which each voxel of the ridge is nearest.
struct RidgeSamples {
  std::vector<Index> vertices;
  std::vector<Index> nearest;  // #R
};

/// Always the voxel that is farthest from all vertices so far becomes one, until all are near enough: ends of branches
/// and rims of sheets come early. Lengths along the ridge are measured in edges of the length that is wanted there.
class RidgeSampler {
 public:
  RidgeSampler(const RidgeGraph& graph, const Ridge& ridge, double spacing)
      : graph_(graph), ridge_(ridge), distance_(ridge.size(), std::numeric_limits<double>::infinity()) {
    samples_.nearest.assign(ridge.size(), kNone);
    for (const double radius : ridge.radius) edge_.push_back(std::max(spacing * radius, kLeastEdge));
  }

  RidgeSamples run() {
    // The farthest; of those not reached at all, the one with the largest ball.
    using Candidate = std::tuple<double, double, Index>;
    std::priority_queue<Candidate> queue;
    for (std::size_t r = 0; r < ridge_.size(); ++r) {
      queue.emplace(distance_[r], ridge_.radius[r], -static_cast<Index>(r));
    }
    while (!queue.empty()) {
      const auto [distance, radius, minus_r] = queue.top();
      queue.pop();
      if (distance_[-minus_r] <= 1) continue;
      if (distance_[-minus_r] < distance) {
        queue.emplace(distance_[-minus_r], radius, minus_r);
        continue;
      }
      spread_from(-minus_r);
    }
    return std::move(samples_);
  }

 private:
  void spread_from(Index start) {
    const auto vertex = static_cast<Index>(samples_.vertices.size());
    samples_.vertices.push_back(start);
    using Item = std::pair<double, Index>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    const auto reach = [&](double d, Index r) {
      if (d >= distance_[r]) return;
      distance_[r] = d;
      samples_.nearest[r] = vertex;
      queue.emplace(d, r);
    };
    reach(0, start);
    while (!queue.empty()) {
      const auto [d, r] = queue.top();
      queue.pop();
      if (d > distance_[r]) continue;
      const Index from = r;
      const double so_far = d;
      graph_.each_neighbour(from, [&](Index s) {
        reach(so_far + 2 * (graph_.centre(s) - graph_.centre(from)).norm() / (edge_[from] + edge_[s]), s);
      });
    }
  }

  const RidgeGraph& graph_;
  const Ridge& ridge_;
  std::vector<double> edge_, distance_;  // #R
  RidgeSamples samples_;
};

/// Vertices are joined where the voxels nearest to them touch: two by an edge, three by a triangle (the dual of the
/// regions). Voxels that all touch each other lie in a block of 2 × 2 × 2.
class RidgeDual {
 public:
  RidgeDual(const RidgeGraph& graph, const Ridge& ridge, const RidgeSamples& samples)
      : graph_(graph), ridge_(ridge), samples_(samples) {
    for (std::size_t r = 0; r < ridge.size(); ++r) visit_blocks(static_cast<Index>(r));
    for (const auto& four : crowded_) join_four(four);
  }

  std::set<EdgePair> take_edges() { return std::move(edges_); }
  std::set<TriangleTriple> take_triangles() { return std::move(triangles_); }

 private:
  void visit_blocks(Index r) {
    const Index own = samples_.nearest[r];
    bool inner = true;
    graph_.each_neighbour(r, [&](Index s) { inner = inner && samples_.nearest[s] == own; });
    if (inner) return;
    for (int corner = 0; corner < 8; ++corner) visit_block(r, corner);
  }

  /// The block in which r is at this corner. Each is looked at from its first voxel of the ridge.
  void visit_block(Index r, int corner) {
    const std::size_t s = graph_.side();
    const auto offset = [&](int c) {
      return static_cast<std::size_t>(c & 1) + s * static_cast<std::size_t>(c >> 1 & 1) +
             s * s * static_cast<std::size_t>(c >> 2);
    };
    const std::size_t low = graph_.cell(r) - offset(corner);
    std::vector<Index>& near = near_;
    near.clear();
    for (int c = 0; c < 8; ++c) {
      const Index other = graph_.at(low + offset(c));
      if (other == kNone) continue;
      if (other < r) return;
      near.push_back(samples_.nearest[other]);
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    if (near.size() == 4) {
      crowded_.insert({near[0], near[1], near[2], near[3]});
      return;
    }
    for (std::size_t i = 0; i < near.size(); ++i) {
      for (std::size_t j = i + 1; j < near.size(); ++j) {
        edges_.insert({near[i], near[j]});
        for (std::size_t k = j + 1; k < near.size(); ++k) triangles_.insert({near[i], near[j], near[k]});
      }
    }
  }

  double length(Index a, Index b) const {
    return (ridge_.point[samples_.vertices[a]] - ridge_.point[samples_.vertices[b]]).norm();
  }

  /// Four regions around one corner: two triangles, along the shorter diagonal, unless the other one is an edge
  /// already.
  void join_four(const std::array<Index, 4>& v) {
    constexpr std::array<std::array<int, 4>, 3> kPairs = {{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}}};
    std::array<int, 4> diagonals = kPairs[0];
    double longest = -1;
    for (const auto& p : kPairs) {
      const double sum = length(v[p[0]], v[p[1]]) + length(v[p[2]], v[p[3]]);
      if (sum <= longest) continue;
      longest = sum;
      diagonals = p;
    }
    EdgePair shorter = {v[diagonals[0]], v[diagonals[1]]}, longer = {v[diagonals[2]], v[diagonals[3]]};
    if (length(shorter[0], shorter[1]) > length(longer[0], longer[1])) std::swap(shorter, longer);
    if (edges_.count(longer) != 0) std::swap(shorter, longer);
    for (const Index end : longer) {
      TriangleTriple t = {shorter[0], shorter[1], end};
      std::sort(t.begin(), t.end());
      triangles_.insert(t);
      edges_.insert({t[0], t[1]});
      edges_.insert({t[0], t[2]});
      edges_.insert({t[1], t[2]});
    }
  }

  const RidgeGraph& graph_;
  const Ridge& ridge_;
  const RidgeSamples& samples_;
  std::vector<Index> near_;
  std::set<EdgePair> edges_;
  std::set<TriangleTriple> triangles_;
  std::set<std::array<Index, 4>> crowded_;
};

/// A vertex as the mean of the points around it, which evens out what the voxels add.
void add_vertex(const SolidVoxels& voxels, const RidgeGraph& graph, const Ridge& ridge, Index r, RawComplex& complex) {
  Vec3 sum = ridge.point[r];
  double radii = ridge.radius[r], count = 1;
  graph.each_neighbour(r, [&](Index s) {
    sum += ridge.point[s];
    radii += ridge.radius[s];
    ++count;
  });
  const bool inside = voxels.holding(sum / count) != kNone;
  complex.points.push_back(inside ? Vec3(sum / count) : ridge.point[r]);
  complex.radii.push_back(inside ? radii / count : ridge.radius[r]);
}

MedialComplex finished(const RawComplex& raw, const VoxelGrid& grid) {
  MedialComplex complex;
  for (const Vec3& p : raw.points) complex.positions.push_back(grid.to_world(p));
  for (const double r : raw.radii) complex.radii.push_back(grid.voxel * r);
  complex.triangles.assign(raw.triangles.begin(), raw.triangles.end());
  std::set<EdgePair> in_triangle;
  std::vector<char> used(complex.vertex_count(), 0);
  for (const TriangleTriple& t : complex.triangles) {
    in_triangle.insert({{t[0], t[1]}, {t[0], t[2]}, {t[1], t[2]}});
    for (const Index v : t) used[v] = 1;
  }
  for (const EdgePair& edge : raw.edges) {
    if (in_triangle.count(edge) == 0) complex.segments.push_back(edge);
    for (const Index v : edge) used[v] = 1;
  }
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] == 0) complex.points.push_back(static_cast<Index>(v));
  }
  return complex;
}

}  // namespace

Medial medial_complex(const Surface& surface, const VoxelSolid& solid, const MedialOptions& options, Context& context) {
  check_ranges(options);
  if (solid.grid.resolution > 256) throw_bad_input("the medial is found at a resolution of at most 256 voxels");
  const StageTimer timer(context, "medial");
  context.progress("medial", 0);
  const SolidVoxels voxels = list_voxels(surface, solid, context);
  const Ridge ridge = find_ridge(voxels, options.angle, context);
  const RidgeGraph graph(voxels, ridge);
  const RidgeSamples samples = RidgeSampler(graph, ridge, options.spacing).run();
  RawComplex raw;
  for (const Index r : samples.vertices) add_vertex(voxels, graph, ridge, r, raw);
  RidgeDual dual(graph, ridge, samples);
  raw.edges = dual.take_edges();
  raw.triangles = dual.take_triangles();
  Medial medial;
  medial.pruned = prune_branches(raw);
  flatten_slivers(raw);
  medial.complex = finished(raw, voxels.grid);
  medial.voxels = ridge.size();
  medial.bridged = ridge.bridged;
  context.progress("medial", 1);
  return medial;
}

std::vector<Index> pieces(const MedialComplex& complex) {
  mesh::DisjointSets sets(complex.vertex_count());
  for (const auto& s : complex.segments) sets.join(s[0], s[1]);
  for (const auto& t : complex.triangles) {
    sets.join(t[0], t[1]);
    sets.join(t[0], t[2]);
  }
  std::vector<Index> piece(complex.vertex_count(), kNone);
  Index count = 0;
  for (std::size_t v = 0; v < piece.size(); ++v) {
    const Index root = sets.find(static_cast<Index>(v));
    piece[v] = root == static_cast<Index>(v) ? count++ : piece[root];
  }
  return piece;
}

}  // namespace isochor
