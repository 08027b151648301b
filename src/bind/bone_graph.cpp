#include "bind/bone_graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace isochor {
namespace {

Vec3 foot_on(const HandleShape& shape, const Vec3& p) {
  const Vec3 d = shape.b - shape.a;
  const double length2 = d.squaredNorm();
  return length2 > 0 ? Vec3(shape.a + std::clamp((p - shape.a).dot(d) / length2, 0.0, 1.0) * d) : shape.a;
}

}  // namespace

BoneGraph::BoneGraph(std::span<const Handle> handles, double near) : handles_(handles) {
  for (const Handle& handle : handles) {
    std::vector<Ends> ends;
    for (const HandleShape& shape : handle.shapes) {
      const std::size_t a = node(shape.a, near);
      const std::size_t b = node(shape.b, near);
      join(a, b, (shape.b - shape.a).norm());
      ends.push_back({a, b});
    }
    for (const Vec3& p : handle.joined) {
      if (!ends.empty()) join(ends.front().a, node(p, near), (p - handle.shapes.front().a).norm());
    }
    ends_.push_back(std::move(ends));
  }
}

void BoneGraph::join(std::size_t a, std::size_t b, double length) {
  edges_[a].push_back({length, b});
  edges_[b].push_back({length, a});
}

std::size_t BoneGraph::node(const Vec3& p, double near) {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if ((nodes_[n] - p).norm() <= near) return n;
  }
  nodes_.push_back(p);
  edges_.emplace_back();
  return nodes_.size() - 1;
}

BoneGraph::Place BoneGraph::nearest(const Vec3& p) const {
  Place place;
  for (std::size_t h = 0; h < handles_.size(); ++h) {
    for (std::size_t i = 0; i < handles_[h].shapes.size(); ++i) {
      const double d = distance(handles_[h].shapes[i], p);
      if (d < place.distance) place = {static_cast<Index>(h), i, d};
    }
  }
  return place;
}

bool BoneGraph::apart(const Vec3& p, const Vec3& q, double times) const {
  const Place from = nearest(p), to = nearest(q);
  if (from.handle == to.handle) return false;
  const double limit = times * (from.distance + to.distance);
  const auto lengths = lengths_from(ways_to_ends(from, p), limit);
  const auto last = ways_to_ends(to, q);
  return std::all_of(last.begin(), last.end(), [&](const Way& way) { return lengths[way.node] + way.length > limit; });
}

std::array<BoneGraph::Way, 2> BoneGraph::ways_to_ends(const Place& place, const Vec3& p) const {
  const Vec3 foot = foot_on(handles_[place.handle].shapes[place.shape], p);
  const Ends& ends = ends_[place.handle][place.shape];
  return {Way{(foot - nodes_[ends.a]).norm(), ends.a}, Way{(foot - nodes_[ends.b]).norm(), ends.b}};
}

std::vector<double> BoneGraph::lengths_from(std::span<const Way> starts, double limit) const {
  std::vector<double> best(nodes_.size(), std::numeric_limits<double>::infinity());
  using Item = std::pair<double, std::size_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  const auto push = [&](std::size_t n, double d) {
    if (d > limit || d >= best[n]) return;
    best[n] = d;
    queue.emplace(d, n);
  };
  for (const Way& way : starts) push(way.node, way.length);
  while (!queue.empty()) {
    const auto [d, n] = queue.top();
    queue.pop();
    if (d > best[n]) continue;
    for (const Way& way : edges_[n]) push(way.node, d + way.length);
  }
  return best;
}

}  // namespace isochor
