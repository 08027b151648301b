#include "volume/local_radius.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "isochor/base/parallel.h"
#include "isochor/mesh/face_hierarchy.h"

namespace isochor::volume {
namespace {

/// Cosine between the inward normal and the way to another vertex below which that vertex is the skin nearby.
constexpr double kSkin = 0.3;
constexpr int kSmoothing = 8;
constexpr std::size_t kLeaf = 12;
constexpr std::size_t kChunk = 256;

/// A balanced tree of points: node k covers a range of `order`, its children are the halves.
class PointTree {
 public:
  PointTree(std::span<const Vec3> points, std::span<const Index> which)
      : points_(points), order_(which.begin(), which.end()) {
    if (!order_.empty()) build(0, order_.size());
  }

  /// The least |d|² / (2 n·d), d = p - w, over points w with n·d > kSkin |d|; infinity without any.
  double inner_ball(const Vec3& p, const Vec3& n) const {
    double radius = std::numeric_limits<double>::infinity();
    if (!nodes_.empty()) search(0, p, n, radius);
    return radius;
  }

 private:
  struct Node {
    Box box;
    std::size_t begin, end;
    std::size_t right = 0;  // 0: a leaf; the left child is the next node
  };
  std::span<const Vec3> points_;
  std::vector<Index> order_;
  std::vector<Node> nodes_;

  std::size_t build(std::size_t begin, std::size_t end) {
    const std::size_t self = nodes_.size();
    Box box;
    for (std::size_t i = begin; i < end; ++i) box.extend(points_[order_[i]]);
    nodes_.push_back({box, begin, end});
    if (end - begin <= kLeaf) return self;
    Eigen::Index axis = 0;
    box.sizes().maxCoeff(&axis);
    const std::size_t middle = (begin + end) / 2;
    std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                     order_.begin() + static_cast<std::ptrdiff_t>(middle),
                     order_.begin() + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
                       const double x = points_[a][axis], y = points_[b][axis];
                       return x != y ? x < y : a < b;
                     });
    build(begin, middle);
    const std::size_t right = build(middle, end);
    nodes_[self].right = right;
    return self;
  }

  /// Whether some point of the box could lie inside the ball of that radius below p.
  static bool may_hold(const Box& box, const Vec3& p, const Vec3& n, double radius) {
    if (!std::isfinite(radius)) return true;
    return box.squaredExteriorDistance(p - radius * n) < radius * radius;
  }

  void search(std::size_t k, const Vec3& p, const Vec3& n, double& radius) const {
    const Node& node = nodes_[k];
    if (!may_hold(node.box, p, n, radius)) return;
    if (node.right == 0) {
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const Vec3 d = p - points_[order_[i]];
        const double depth = n.dot(d), squared = d.squaredNorm();
        if (depth > 0 && depth * depth > kSkin * kSkin * squared) radius = std::min(radius, squared / (2 * depth));
      }
      return;
    }
    const std::size_t left = k + 1;
    const bool right_first =
        nodes_[node.right].box.squaredExteriorDistance(p) < nodes_[left].box.squaredExteriorDistance(p);
    search(right_first ? node.right : left, p, n, radius);
    search(right_first ? left : node.right, p, n, radius);
  }
};

/// The ball of that radius below p, as far as faces that do not end in p leave room for it. Vertices alone see nothing
/// of a large face: a thin wing of few vertices would be as thick as these are apart (back faces in 0.0025 of the
/// picture as a dragon flaps its wings, 0.0002 with this). A face lies within the smooth shape that it stands for, by
/// kChord of the radius or less.
double ball_between_faces(const FaceHierarchy& faces, const WeldedCharacter& welded, Index v, const Vec3& n,
                          double radius) {
  constexpr int kTries = 40;
  constexpr double kChord = 0.05, kEnough = 1e-10;
  const auto& positions = welded.surface().positions;
  const auto& component_of = welded.topology().component_of_vertex;
  const Vec3& p = positions[v];
  double least = radius;
  faces.around(p - radius * n, radius, [&](Index t, double) {
    const auto& corners = faces.triangle(t);
    if (component_of[corners[0]] != component_of[v] || std::find(corners.begin(), corners.end(), v) != corners.end())
      return;
    // Every face by itself, so that the order in which they are met says nothing: the ball shrinks until it holds no
    // more of this one.
    double own = radius;
    for (int i = 0; i < kTries; ++i) {
      const Vec3 d = p - nearest_point(faces.corners(t, positions), p - own * n);
      const double depth = n.dot(d), squared = d.squaredNorm();
      const double next = (1 + kChord) * squared / (2 * depth);
      if (!(depth > 0 && depth * depth > kSkin * kSkin * squared && next < (1 - kEnough) * own)) break;
      own = next;
    }
    least = std::min(least, own);
  });
  return least;
}

void smooth(const std::vector<Edge>& edges, std::vector<double>& values) {
  std::vector<double> sum(values.size()), count(values.size());
  for (int pass = 0; pass < kSmoothing; ++pass) {
    sum = values;
    std::fill(count.begin(), count.end(), 1.0);
    for (const Edge& e : edges) {
      sum[e.a] += values[e.b];
      sum[e.b] += values[e.a];
      count[e.a] += 1;
      count[e.b] += 1;
    }
    for (std::size_t v = 0; v < values.size(); ++v) values[v] = sum[v] / count[v];
  }
}

}  // namespace

std::vector<double> local_radii(const WeldedCharacter& welded, const Context& context) {
  const Surface& surface = welded.surface();
  const std::vector<Vec3> normals = vertex_normals(surface);
  std::vector<double> radii(surface.vertex_count(), 0.0);
  for (std::size_t c = 0; c < welded.topology().components.size(); ++c) {
    if (!welded.has_volume(c)) continue;
    const auto& vertices = welded.topology().components[c].vertices;
    const PointTree tree(surface.positions, vertices);
    const double side = welded.rest_volumes()[c] < 0 ? -1 : 1;
    parallel_for(context, vertices.size(), kChunk, [&](Range range) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const Index v = vertices[i];
        radii[v] = tree.inner_ball(surface.positions[v], side * normals[v]);
      }
    });
    // Where no ball is stopped (a sheet, a fold), the body is as thick as where one is, on the average.
    double sum = 0, count = 0;
    for (const Index v : vertices) {
      if (!std::isfinite(radii[v])) continue;
      sum += radii[v];
      count += 1;
    }
    for (const Index v : vertices) {
      if (!std::isfinite(radii[v])) radii[v] = count > 0 ? sum / count : 0;
    }
  }
  const FaceHierarchy faces(surface);
  parallel_for(context, radii.size(), kChunk, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto v = static_cast<Index>(i);
      const Index component = welded.topology().component_of_vertex[v];
      if (component == kNone || !welded.has_volume(static_cast<std::size_t>(component))) continue;
      const double side = welded.rest_volumes()[component] < 0 ? -1 : 1;
      radii[i] = ball_between_faces(faces, welded, v, side * normals[v], radii[i]);
    }
  });
  smooth(welded.topology().edges, radii);
  return radii;
}

}  // namespace isochor::volume
