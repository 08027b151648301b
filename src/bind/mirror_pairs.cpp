/// The mirror planes of a character: find_mirror_pairs() of weight_metrics.h.

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "isochor/bind/weight_metrics.h"

namespace isochor {
namespace {

/// Points in cells as large as the distance that is asked for.
class PointCells {
 public:
  PointCells(std::span<const Vec3> points, const Vec3& origin, double cell)
      : points_(points), origin_(origin), cell_(cell) {
    for (std::size_t i = 0; i < points.size(); ++i) cells_[key(index(points[i]))].push_back(static_cast<Index>(i));
  }

  /// The nearest point within one cell's length, the lowest of equals; kNone where there is none.
  Index nearest(const Vec3& query) const {
    Index best = kNone;
    double best_distance = cell_;
    const Cell centre = index(query);
    for (int i = 0; i < 27; ++i) {
      const auto found = cells_.find(key(centre + Cell(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)));
      if (found == cells_.end()) continue;
      for (const Index p : found->second) {
        const double distance = (points_[p] - query).norm();
        if (distance < best_distance || (distance == best_distance && (best == kNone || p < best))) {
          best = p;
          best_distance = distance;
        }
      }
    }
    return best;
  }

 private:
  using Cell = Eigen::Matrix<std::int64_t, 3, 1>;
  Cell index(const Vec3& p) const { return ((p - origin_) / cell_).array().floor().cast<std::int64_t>(); }
  static std::int64_t key(const Cell& c) { return (c.x() * 2097152 + c.y()) * 2097152 + c.z(); }

  std::span<const Vec3> points_;
  Vec3 origin_;
  double cell_;
  std::unordered_map<std::int64_t, std::vector<Index>> cells_;
};

Vec3 reflect(const Vec3& p, int axis, double position) {
  Vec3 image = p;
  image[axis] = 2 * position - p[axis];
  return image;
}

/// Pairs of vertices that are each other's nearest.
void pair_vertices(MirrorPairs& pairs, std::span<const Vec3> points, const PointCells& cells) {
  std::vector<Index> image(points.size());
  for (std::size_t v = 0; v < points.size(); ++v) {
    image[v] = cells.nearest(reflect(points[v], pairs.axis, pairs.position));
  }
  pairs.vertices.assign(points.size(), kNone);
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (image[v] == kNone || image[image[v]] != static_cast<Index>(v)) continue;
    pairs.vertices[v] = image[v];
    ++pairs.paired;
  }
}

/// Joints in their order, each with the nearest that is still free, so that joints at one place pair in order; itself
/// first, as joints on the plane are their own image.
void pair_joints(MirrorPairs& pairs, std::span<const Vec3> joints, double tolerance) {
  pairs.joints.assign(joints.size(), kNone);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (pairs.joints[j] != kNone) continue;
    const Vec3 image = reflect(joints[j], pairs.axis, pairs.position);
    std::size_t best = j;
    double best_distance = (joints[j] - image).norm();
    for (std::size_t k = j + 1; k < joints.size(); ++k) {
      const double distance = (joints[k] - image).norm();
      if (pairs.joints[k] == kNone && distance < best_distance) {
        best = k;
        best_distance = distance;
      }
    }
    if (best_distance > tolerance) continue;
    pairs.joints[j] = static_cast<Index>(best);
    pairs.joints[best] = static_cast<Index>(j);
  }
}

}  // namespace

std::optional<MirrorPairs> find_mirror_pairs(std::span<const Vec3> vertices, std::span<const Vec3> joints,
                                             const MirrorOptions& options) {
  const Box box = bounding_box(vertices);
  if (vertices.empty() || !(box.diagonal().norm() > 0)) return std::nullopt;
  const double tolerance = options.tolerance * box.diagonal().norm();
  const PointCells cells(vertices, box.min(), tolerance);
  MirrorPairs best;
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = box.center()[axis];
    for (const double position : {middle, 0.0}) {
      // At 0 only where that is a plane of its own and cuts the character.
      const bool repeats = position != middle && std::abs(middle) < 0.1 * tolerance;
      if (repeats || position < box.min()[axis] || position > box.max()[axis]) continue;
      MirrorPairs pairs;
      pairs.axis = axis;
      pairs.position = position;
      pair_vertices(pairs, vertices, cells);
      if (pairs.paired > best.paired) best = std::move(pairs);
    }
  }
  if (static_cast<double>(best.paired) < options.share * static_cast<double>(vertices.size())) return std::nullopt;
  pair_joints(best, joints, 10 * tolerance);
  return best;
}

}  // namespace isochor
