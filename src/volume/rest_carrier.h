#pragma once

/// Displacements in a pose as offsets in the rest pose: c = linear(M)^-1 u.

#include <Eigen/Geometry>

#include "isochor/base/types.h"

namespace isochor::volume {

/// A displacement that can be had by an offset at rest.
struct Carried {
  Vec3 offset = Vec3::Zero();
  Vec3 displacement = Vec3::Zero();  ///< linear · offset
};

/// A twist of 180° flattens the skin, and no offset at rest can undo that. So where the offset would be more than
/// twenty times the displacement (in units of the map's own scale), both fade out: smooth in the pose, bounded, and the
/// two always belong together.
class RestCarrier {
 public:
  explicit RestCarrier(const Mat3& linear) : squared_size_(linear.squaredNorm()) {
    rows_.row(0) = linear.col(1).cross(linear.col(2));
    rows_.row(1) = linear.col(2).cross(linear.col(0));
    rows_.row(2) = linear.col(0).cross(linear.col(1));
    const double determinant = rows_.row(0).dot(linear.col(0));
    const double nil = 1e-60 * squared_size_ * squared_size_ * squared_size_;
    if (determinant * determinant > nil) per_determinant_ = 1 / determinant;
  }

  Carried carry(const Vec3& u) const {
    constexpr double kLargest = 20;
    const double length = u.squaredNorm();
    if (per_determinant_ == 0 || length == 0) return {};
    const Vec3 offset = per_determinant_ * (rows_ * u);
    const double square = offset.squaredNorm() * squared_size_ / (kLargest * kLargest * length);
    const double kept = 1 / (1 + square * square);
    return {.offset = kept * offset, .displacement = kept * u};
  }

 private:
  double squared_size_;
  double per_determinant_ = 0;  // 0: nothing can be carried
  Mat3 rows_;                   // the inverse times the determinant
};

}  // namespace isochor::volume
