#include "isochor/mesh/face_hierarchy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace isochor {
namespace {

/// Fewer make the tree deeper, more are compared one by one.
constexpr Index kLeafTriangles = 6;
/// Boxes are larger than what they hold by this share of their farthest coordinate: more than a float is off from the
/// double it was rounded from, and far more than triangle_crossing() takes for touching.
constexpr float kFloatRounding = 2e-7F;

bool share_a_vertex(std::span<const Index> a, std::span<const Index> b) {
  return std::any_of(a.begin(), a.end(), [&](Index v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

}  // namespace

FaceHierarchy::FaceHierarchy(const Surface& surface) {
  const Triangulation cut = triangulate(surface);
  const auto count = static_cast<Index>(cut.triangles.size());
  triangles_ = cut.triangles;
  face_ = cut.face;
  if (count == 0) return;
  std::vector<Vec3> middles;
  for (const auto& [a, b, c] : triangles_) {
    middles.emplace_back((surface.positions[a] + surface.positions[b] + surface.positions[c]) / 3);
  }
  // build() sorts face_ as an order of triangles; both are then put into it.
  std::iota(face_.begin(), face_.end(), 0);
  nodes_.reserve(static_cast<std::size_t>(count));
  build(0, count, middles);
  const std::vector<Index> order = face_;
  for (std::size_t t = 0; t < order.size(); ++t) {
    triangles_[t] = cut.triangles[order[t]];
    face_[t] = cut.face[order[t]];
  }
  bounds_.resize(order.size());
  node_bounds_.resize(nodes_.size());
  const bool triangles_only = surface.corners.size() == 3 * surface.face_count();
  if (!triangles_only) {
    corners_ = surface.corners;
    face_begin_ = surface.face_begin;
  }
  refit(surface.positions);
}

/// Halves by the median along the longest side; ties by index, so that the tree is the same everywhere.
Index FaceHierarchy::build(Index begin, Index end, const std::vector<Vec3>& middles) {
  const auto node = static_cast<Index>(nodes_.size());
  nodes_.push_back({.begin = begin, .end = end});
  if (end - begin <= kLeafTriangles) return node;
  Box box;
  for (Index k = begin; k < end; ++k) box.extend(middles[face_[k]]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  const Index middle = begin + (end - begin) / 2;
  std::nth_element(face_.begin() + begin, face_.begin() + middle, face_.begin() + end,
                   [&](Index s, Index t) { return std::pair(middles[s][axis], s) < std::pair(middles[t][axis], t); });
  const Index left = build(begin, middle, middles);
  const Index right = build(middle, end, middles);
  nodes_[node].left = left;
  nodes_[node].right = right;
  return node;
}

void FaceHierarchy::refit(std::span<const Vec3> positions, std::span<const Vec3> others, double growth) {
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto& [a, b, c] = triangles_[t];
    const Vec3 low = positions[a]
                         .cwiseMin(positions[b])
                         .cwiseMin(positions[c])
                         .cwiseMin(others[a].cwiseMin(others[b]).cwiseMin(others[c]));
    const Vec3 high = positions[a]
                          .cwiseMax(positions[b])
                          .cwiseMax(positions[c])
                          .cwiseMax(others[a].cwiseMax(others[b]).cwiseMax(others[c]));
    const auto farthest = static_cast<float>(low.cwiseAbs().cwiseMax(high.cwiseAbs()).maxCoeff());
    const float around = kFloatRounding * farthest + std::numeric_limits<float>::min() +
                         (growth > 0 ? static_cast<float>(growth * (high - low).norm()) : 0.0F);
    for (std::size_t k = 0; k < 3; ++k) {
      bounds_[t].low[k] = static_cast<float>(low[static_cast<Index>(k)]) - around;
      bounds_[t].high[k] = static_cast<float>(high[static_cast<Index>(k)]) + around;
    }
    const bool moves = positions[a] != others[a] || positions[b] != others[b] || positions[c] != others[c];
    bounds_[t].low[3] = 0;
    bounds_[t].high[3] = moves ? 1 : 0;
  }
  const auto extend = [](Bounds& by, const Bounds& with) {
    for (std::size_t k = 0; k < 4; ++k) {
      by.low[k] = std::min(by.low[k], with.low[k]);
      by.high[k] = std::max(by.high[k], with.high[k]);
    }
  };
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    const Node& node = nodes_[n];
    Bounds& bounds = node_bounds_[n];
    if (node.left != kNone) {
      bounds = node_bounds_[node.left];
      extend(bounds, node_bounds_[node.right]);
      continue;
    }
    bounds = bounds_[node.begin];
    for (Index t = node.begin + 1; t < node.end; ++t) extend(bounds, bounds_[t]);
  }
}

double FaceHierarchy::squared_distance(const Bounds& bounds, const Vec3& point) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double at = point[static_cast<Index>(k)];
    const double outside = std::max({bounds.low[k] - at, at - bounds.high[k], 0.0});
    sum += outside * outside;
  }
  return sum;
}

std::vector<Index> FaceHierarchy::leaves() const {
  std::vector<Index> begins;
  for (const Node& node : nodes_) {
    if (node.left == kNone) begins.push_back(node.begin);
  }
  begins.push_back(static_cast<Index>(triangles_.size()));
  return begins;
}

bool FaceHierarchy::apart(Index s, Index t) const {
  // Most pairs whose boxes overlap are neighbours: no branches until all corners are compared.
  const auto& [a, b, c] = triangles_[s];
  int common = 0;
  for (const Index v : triangles_[t]) {
    common |= static_cast<int>(v == a) | static_cast<int>(v == b) | static_cast<int>(v == c);
  }
  if (common != 0) return false;
  if (face_begin_.empty()) return true;
  const auto face = [&](Index f) {
    return std::span(corners_).subspan(static_cast<std::size_t>(face_begin_[f]),
                                       static_cast<std::size_t>(face_begin_[f + 1] - face_begin_[f]));
  };
  return !share_a_vertex(face(face_[s]), face(face_[t]));
}

void FaceHierarchy::meet(const Node& a, const Node& b, std::vector<TrianglePair>& out) const {
  const bool same = &a == &b;
  const Bounds& others = node_bounds_[static_cast<std::size_t>(&b - nodes_.data())];
  for (Index s = a.begin; s < a.end; ++s) {
    if (!same && !overlap(bounds_[s], others)) continue;
    for (Index t = same ? s + 1 : b.begin; t < b.end; ++t) {
      if (overlap(bounds_[s], bounds_[t]) && apart(s, t)) out.push_back({std::min(s, t), std::max(s, t)});
    }
  }
}

void FaceHierarchy::near_pairs(std::vector<TrianglePair>& out, Which which) const {
  const bool all = which == Which::all;
  out.clear();
  if (nodes_.empty()) return;
  // Pairs of nodes that are left to look at; a tree of 2^31 triangles is 31 deep, and each level leaves three pairs.
  std::array<std::pair<Index, Index>, 256> stack;
  std::size_t top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const auto [i, j] = stack[--top];
    const Node &a = nodes_[i], &b = nodes_[j];
    if (!all && !node_bounds_[i].moves() && !node_bounds_[j].moves()) continue;
    if (i == j) {
      if (a.left == kNone) {
        meet(a, a, out);
        continue;
      }
      stack[top++] = {a.left, a.left};
      stack[top++] = {a.right, a.right};
      stack[top++] = {a.left, a.right};
      continue;
    }
    if (!overlap(node_bounds_[i], node_bounds_[j])) continue;
    if (a.left == kNone && b.left == kNone) {
      meet(a, b, out);
    } else if (b.left == kNone || (a.left != kNone && a.end - a.begin >= b.end - b.begin)) {
      stack[top++] = {a.left, j};
      stack[top++] = {a.right, j};
    } else {
      stack[top++] = {i, b.left};
      stack[top++] = {i, b.right};
    }
  }
}

std::vector<FacePair> FaceHierarchy::crossings(std::span<const Vec3> positions) const {
  std::vector<TrianglePair> pairs;
  near_pairs(pairs);
  std::vector<FacePair> out;
  for (const auto& [s, t] : pairs) {
    // In the order of the faces, so that rounding is the same however the pair was found.
    const bool swapped = face_[s] > face_[t];
    const Index first = swapped ? t : s, second = swapped ? s : t;
    if (!triangle_crossing(corners(first, positions), corners(second, positions))) continue;
    out.push_back({face_[first], face_[second]});
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace isochor
