#include "voxel/rim.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "isochor/base/math.h"
#include "voxel/vertex_groups.h"

namespace isochor::voxel {
namespace {

constexpr std::size_t kGroupSize = 32;

}  // namespace

std::vector<RimEdge> find_rim(const LatticeSurface& s) {
  std::vector<RimEdge> edges;
  edges.reserve(3 * s.triangles.size());
  for (const LatticeTriangle& t : s.triangles) {
    if (t.sign == 0) continue;
    edges.push_back({t.corner[0], t.corner[1], t.sign});
    edges.push_back({t.corner[1], t.corner[2], t.sign});
    edges.push_back({t.corner[0], t.corner[2], -t.sign});
  }
  std::sort(edges.begin(), edges.end(),
            [](const RimEdge& l, const RimEdge& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size();) {
    RimEdge edge = edges[i];
    for (++i; i < edges.size() && edges[i].a == edge.a && edges[i].b == edge.b; ++i) edge.sum += edges[i].sum;
    if (edge.sum != 0) edges[kept++] = edge;
  }
  edges.resize(kept);
  return edges;
}

std::vector<LatticeTriangle> close_rim(LatticeSurface& surface, const std::vector<RimEdge>& rim) {
  std::vector<Index> ends;
  for (const RimEdge& e : rim) ends.insert(ends.end(), {e.a, e.b});
  VertexGroups loops(std::move(ends));
  for (const RimEdge& e : rim) loops.join(e.a, e.b);

  // Means of whole numbers: the same whatever the order.
  std::vector<std::array<std::int64_t, 4>> sum(loops.size(), std::array<std::int64_t, 4>{});
  for (const Index v : loops.ends()) {
    auto& total = sum[loops.group(v)];
    for (int a = 0; a < 3; ++a) total[a] += surface.points[v][a];
    ++total[3];
  }
  std::vector<Index> apex(loops.size(), kNone);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (sum[i][3] == 0) continue;
    apex[i] = static_cast<Index>(surface.points.size());
    LatticePoint p = {};
    for (int a = 0; a < 3; ++a) p[a] = static_cast<std::int32_t>(sum[i][a] / sum[i][3]);
    surface.points.push_back(p);
  }
  std::vector<LatticeTriangle> caps;
  for (const RimEdge& e : rim) {
    LatticeTriangle cap = {.corner = {e.b, e.a, apex[loops.group(e.a)]}};
    order_corners(cap, surface.points);
    if (e.sum < 0) cap.sign = -cap.sign;
    caps.insert(caps.end(), static_cast<std::size_t>(std::abs(e.sum)), cap);
  }
  return caps;
}

Rim::Rim(const LatticeSurface& surface, std::vector<RimEdge> chain) {
  const int brick_bits = surface.voxel_bits + 3;
  // Near each other by the brick of their first corner; then by the corners, since vertex numbers mean nothing.
  const auto code = [&](const RimEdge& e) {
    const LatticePoint& p = surface.points[e.a];
    return morton_encode({static_cast<std::uint32_t>(p[0] >> brick_bits),
                          static_cast<std::uint32_t>(p[1] >> brick_bits),
                          static_cast<std::uint32_t>(p[2] >> brick_bits)});
  };
  std::sort(chain.begin(), chain.end(), [&](const RimEdge& l, const RimEdge& r) {
    const auto cl = code(l);
    const auto cr = code(r);
    if (cl != cr) return cl < cr;
    return std::array{surface.points[l.a], surface.points[l.b]} < std::array{surface.points[r.a], surface.points[r.b]};
  });
  const double scale = std::ldexp(1.0, -surface.voxel_bits);
  const auto place = [&](Index v) {
    const LatticePoint& p = surface.points[v];
    return Vec3(scale * Vec3(p[0], p[1], p[2]));
  };
  edges_.reserve(chain.size());
  for (const RimEdge& e : chain) edges_.push_back({place(e.a), place(e.b), static_cast<double>(std::abs(e.sum))});

  for (std::size_t begin = 0; begin < edges_.size(); begin += kGroupSize) {
    Group group;
    group.begin = begin;
    group.end = std::min(begin + kGroupSize, edges_.size());
    Box box;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      box.extend(edges_[i].a);
      box.extend(edges_[i].b);
      group.length += edges_[i].weight * (edges_[i].b - edges_[i].a).norm();
    }
    group.center = box.center();
    group.radius = 0.5 * box.diagonal().norm();
    groups_.push_back(group);
  }
}

double Rim::slope_within(const Vec3& center, double radius, double limit) const {
  constexpr double kFourPi = 4 * std::numbers::pi;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const Group& group : groups_) {
    const double gap = (group.center - center).norm() - group.radius - radius;
    if (gap > 2 * group.radius) {
      sum += group.length / (gap * gap);
    } else {
      for (std::size_t i = group.begin; i < group.end; ++i) {
        const Segment& e = edges_[i];
        const double d = distance_to_segment(center, e.a, e.b) - radius;
        if (d <= 0) return kInfinity;
        // Along the edge, distances grow at least as sqrt(d² + s²): the integral stays below both.
        sum += e.weight * std::min((e.b - e.a).norm() / (d * d), std::numbers::pi / d);
      }
    }
    if (sum > kFourPi * limit) return kInfinity;
  }
  return sum / kFourPi;
}

}  // namespace isochor::voxel
