#include "isochor/mesh/nearest_points.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace isochor {

NearestPoints::NearestPoints(std::vector<Vec3> points)
    : points_(std::move(points)), order_(points_.size()), axis_(points_.size(), 0) {
  std::iota(order_.begin(), order_.end(), 0);
  build(0, order_.size());
}

void NearestPoints::build(std::size_t begin, std::size_t end) {
  if (end - begin <= kLeaf) return;
  Box box;
  for (std::size_t i = begin; i < end; ++i) box.extend(points_[order_[i]]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  const std::size_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                   order_.begin() + static_cast<std::ptrdiff_t>(middle),
                   order_.begin() + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
                     const double x = points_[a][axis], y = points_[b][axis];
                     return x != y ? x < y : a < b;
                   });
  axis_[middle] = static_cast<std::uint8_t>(axis);
  build(begin, middle);
  build(middle + 1, end);
}

Index NearestPoints::find(const Vec3& p) const {
  Found best{std::numeric_limits<double>::infinity(), kNone};
  search(0, order_.size(), p, best);
  return best.index;
}

void NearestPoints::search(std::size_t begin, std::size_t end, const Vec3& p, Found& best) const {
  const auto consider = [&](Index i) {
    const double d2 = (points_[i] - p).squaredNorm();
    if (d2 < best.distance2 || (d2 == best.distance2 && i < best.index)) best = {d2, i};
  };
  if (end - begin <= kLeaf) {
    for (std::size_t i = begin; i < end; ++i) consider(order_[i]);
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  const int axis = axis_[middle];
  const double side = p[axis] - points_[order_[middle]][axis];
  consider(order_[middle]);
  if (side < 0) {
    search(begin, middle, p, best);
    if (side * side <= best.distance2) search(middle + 1, end, p, best);
  } else {
    search(middle + 1, end, p, best);
    if (side * side <= best.distance2) search(begin, middle, p, best);
  }
}

}  // namespace isochor
