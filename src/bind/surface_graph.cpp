#include "bind/surface_graph.h"

#include <algorithm>
#include <numeric>

#include "isochor/voxel/grid.h"

namespace isochor {
namespace {

using Triple = std::array<Index, 3>;

/// Triangles by canonical vertex numbers, corners increasing, in increasing order.
std::vector<Triple> canonical_triangles(const Surface& surface, std::span<const Index> order) {
  std::vector<Index> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<Index>(i);
  std::vector<Triple> triangles = triangulate(surface).triangles;
  std::vector<Index> begin(order.size() + 1, 0);
  for (Triple& t : triangles) {
    for (Index& v : t) v = rank[v];
    std::sort(t.begin(), t.end());
    ++begin[t[0] + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Triple> sorted(triangles.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (const Triple& t : triangles) sorted[next[t[0]]++] = t;
  for (std::size_t v = 0; v < order.size(); ++v) std::sort(sorted.begin() + begin[v], sorted.begin() + begin[v + 1]);
  return sorted;
}

struct HalfEdge {
  Index to;
  double conductance;
};

/// Half edges by the vertex that they start from.
struct HalfEdges {
  std::vector<Index> begin;
  std::vector<HalfEdge> list;
};

HalfEdges gather_half_edges(std::span<const Triple> triangles, const SurfaceGraph& graph,
                            std::span<const double> length) {
  HalfEdges edges;
  edges.begin.assign(graph.size() + 1, 0);
  for (const Triple& t : triangles) {
    for (const Index v : t) edges.begin[v + 1] += 2;
  }
  std::partial_sum(edges.begin.begin(), edges.begin.end(), edges.begin.begin());
  edges.list.resize(static_cast<std::size_t>(edges.begin.back()));
  std::vector<Index> next(edges.begin.begin(), edges.begin.end() - 1);
  for (const Triple& t : triangles) {
    const Vec3 &a = graph.positions[t[0]], &b = graph.positions[t[1]], &c = graph.positions[t[2]];
    const double area = 0.5 * (b - a).cross(c - a).norm();
    for (const auto& [i, j] : {std::pair(t[0], t[1]), std::pair(t[0], t[2]), std::pair(t[1], t[2])}) {
      const double edge2 = (graph.positions[i] - graph.positions[j]).squaredNorm();
      const double mean = 0.5 * (length[i] + length[j]);
      // 2/3 · area / edge² is half the cotangent of 60° for an equilateral triangle.
      const double k = edge2 > 0 ? 2.0 / 3.0 * area / edge2 * mean * mean : 0.0;
      edges.list[next[i]++] = {j, k};
      edges.list[next[j]++] = {i, k};
    }
  }
  return edges;
}

/// Sums half edges between the same two vertices. Equal ends are put in order of their conductance first, so that the
/// sum does not depend on where they came from.
void merge_half_edges(HalfEdges& edges, SurfaceGraph& graph) {
  graph.begin = {0};
  graph.begin.reserve(edges.begin.size());
  graph.neighbour.reserve(edges.list.size() / 2);
  graph.conductance.reserve(edges.list.size() / 2);
  for (std::size_t v = 0; v + 1 < edges.begin.size(); ++v) {
    const auto first = edges.list.begin() + edges.begin[v], last = edges.list.begin() + edges.begin[v + 1];
    std::sort(first, last, [](const HalfEdge& a, const HalfEdge& b) {
      return a.to != b.to ? a.to < b.to : a.conductance < b.conductance;
    });
    for (auto e = first; e != last;) {
      const Index to = e->to;
      double sum = 0;
      for (; e != last && e->to == to; ++e) sum += e->conductance;
      graph.neighbour.push_back(to);
      graph.conductance.push_back(static_cast<float>(sum));
    }
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
}

/// Each vertex that is still free takes its free neighbours along.
std::vector<Index> gather_groups(const SurfaceGraph& fine, Index& count) {
  std::vector<Index> group(fine.size(), kNone);
  count = 0;
  for (std::size_t v = 0; v < fine.size(); ++v) {
    if (group[v] != kNone) continue;
    group[v] = count;
    for (Index e = fine.begin[v]; e < fine.begin[v + 1]; ++e) {
      Index& other = group[fine.neighbour[e]];
      if (other == kNone) other = count;
    }
    ++count;
  }
  return group;
}

}  // namespace

std::vector<Index> canonical_order(std::span<const Vec3> positions) {
  const VoxelGrid grid = fit_grid(bounding_box(positions), 1024);
  struct Key {
    std::uint32_t code;
    Index vertex;
  };
  std::vector<Key> keys(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    keys[v] = {morton_encode(grid.at(positions[v])), static_cast<Index>(v)};
  }
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.code != b.code) return a.code < b.code;
    const Vec3& p = positions[a.vertex];
    const Vec3& q = positions[b.vertex];
    for (int i = 0; i < 3; ++i) {
      if (p[i] != q[i]) return p[i] < q[i];
    }
    return a.vertex < b.vertex;
  });
  std::vector<Index> order(positions.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].vertex;
  return order;
}

SurfaceGraph surface_graph(const Surface& surface, std::span<const Index> order, std::vector<Vec3> positions,
                           std::span<const double> length) {
  SurfaceGraph graph;
  graph.positions = std::move(positions);
  const auto triangles = canonical_triangles(surface, order);
  std::vector<double> mass(order.size(), 0.0);
  for (const Triple& t : triangles) {
    const Vec3 &a = graph.positions[t[0]], &b = graph.positions[t[1]], &c = graph.positions[t[2]];
    const double third = (b - a).cross(c - a).norm() / 6;
    for (const Index v : t) mass[v] += third;
  }
  graph.mass.assign(mass.begin(), mass.end());
  HalfEdges edges = gather_half_edges(triangles, graph, length);
  merge_half_edges(edges, graph);
  return graph;
}

CoarseGraph coarsen(const SurfaceGraph& fine) {
  CoarseGraph coarse;
  Index count = 0;
  coarse.group = gather_groups(fine, count);
  SurfaceGraph& graph = coarse.graph;
  graph.positions.assign(count, Vec3::Zero());
  graph.mass.assign(count, 0.0f);
  std::vector<Index> members(count, 0);
  for (std::size_t v = 0; v < fine.size(); ++v) {
    graph.positions[coarse.group[v]] += fine.positions[v];
    graph.mass[coarse.group[v]] += fine.mass[v];
    ++members[coarse.group[v]];
  }
  for (Index g = 0; g < count; ++g) graph.positions[g] /= members[g];

  HalfEdges edges;
  edges.begin.assign(static_cast<std::size_t>(count) + 1, 0);
  const auto each_crossing = [&](const auto& body) {
    for (std::size_t v = 0; v < fine.size(); ++v) {
      for (Index e = fine.begin[v]; e < fine.begin[v + 1]; ++e) {
        if (coarse.group[v] != coarse.group[fine.neighbour[e]]) body(v, e);
      }
    }
  };
  each_crossing([&](std::size_t v, Index) { ++edges.begin[coarse.group[v] + 1]; });
  std::partial_sum(edges.begin.begin(), edges.begin.end(), edges.begin.begin());
  edges.list.resize(static_cast<std::size_t>(edges.begin.back()));
  std::vector<Index> next(edges.begin.begin(), edges.begin.end() - 1);
  each_crossing([&](std::size_t v, Index e) {
    const auto u = static_cast<std::size_t>(fine.neighbour[e]);
    const Index from = coarse.group[v], to = coarse.group[u];
    const double apart = (graph.positions[from] - graph.positions[to]).norm();
    const double edge = (fine.positions[v] - fine.positions[u]).norm();
    edges.list[next[from]++] = {to, apart > edge ? fine.conductance[e] * edge / apart : fine.conductance[e]};
  });
  merge_half_edges(edges, graph);
  return coarse;
}

}  // namespace isochor
