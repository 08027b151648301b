#pragma once

/// The nearest of some points, through a uniform grid.

#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor::cli {

class NearestPoint {
 public:
  /// Copies the points; there must be at least one.
  explicit NearestPoint(std::span<const Vec3> points);
  /// The nearest point's index; the lowest where several are equally near.
  Index find(const Vec3& query) const;

 private:
  Eigen::Array3i cell_of(const Vec3& p) const;
  std::size_t flat(const Eigen::Array3i& cell) const;

  std::vector<Vec3> points_;
  Box box_;
  Eigen::Array3i size_ = Eigen::Array3i::Ones();
  double cell_ = 1;
  std::vector<std::vector<Index>> cells_;
};

}  // namespace isochor::cli
