#include "nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::cli {

NearestPoint::NearestPoint(std::span<const Vec3> points) : points_(points.begin(), points.end()) {
  for (const Vec3& p : points_) box_.extend(p);
  // About one point a cell for a surface: cells of the size at which the surface would be cut into #V pieces.
  const double diagonal = box_.diagonal().norm();
  cell_ = diagonal > 0 ? diagonal / std::clamp(std::sqrt(static_cast<double>(points_.size())), 1.0, 128.0) : 1;
  size_ = (box_.diagonal() / cell_).array().floor().cast<int>() + 1;
  cells_.resize(static_cast<std::size_t>(size_.prod()));
  for (std::size_t i = 0; i < points_.size(); ++i) cells_[flat(cell_of(points_[i]))].push_back(static_cast<Index>(i));
}

Eigen::Array3i NearestPoint::cell_of(const Vec3& p) const {
  const Eigen::Array3d cell = ((p - box_.min()) / cell_).array().floor();
  return cell.max(0.0).min((size_ - 1).cast<double>()).cast<int>();
}

std::size_t NearestPoint::flat(const Eigen::Array3i& cell) const {
  const Eigen::Array<std::size_t, 3, 1> c = cell.cast<std::size_t>();
  const Eigen::Array<std::size_t, 3, 1> size = size_.cast<std::size_t>();
  return (c.z() * size.y() + c.y()) * size.x() + c.x();
}

Index NearestPoint::find(const Vec3& query) const {
  const Eigen::Array3i centre = cell_of(query);
  Index best = kNone;
  double best_distance = std::numeric_limits<double>::infinity();
  const int largest_ring = size_.maxCoeff();
  for (int ring = 0; ring <= largest_ring; ++ring) {
    const Eigen::Array3i low = (centre - ring).max(0);
    const Eigen::Array3i high = (centre + ring).min(size_ - 1);
    for (int z = low.z(); z <= high.z(); ++z) {
      for (int y = low.y(); y <= high.y(); ++y) {
        for (int x = low.x(); x <= high.x(); ++x) {
          const Eigen::Array3i cell(x, y, z);
          if ((cell - centre).abs().maxCoeff() != ring) continue;
          for (const Index i : cells_[flat(cell)]) {
            const double distance = (points_[i] - query).norm();
            if (distance < best_distance || (distance == best_distance && i < best)) {
              best = i;
              best_distance = distance;
            }
          }
        }
      }
    }
    // Everything in the rings beyond is farther from the query's cell than `ring` whole cells; the query itself may lie
    // outside the grid, where distances only grow.
    if (best != kNone && best_distance <= ring * cell_) break;
  }
  return best;
}

}  // namespace isochor::cli
