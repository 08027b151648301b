#pragma once

/// Displacements in a pose as offsets in the rest pose: c = linear(M)^-1 u.

#include <Eigen/LU>
#include <cmath>

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
class RestSpace {
 public:
  explicit RestSpace(const Mat3& linear) : size_(linear.norm()) {
    const double determinant = linear.determinant();
    singular_ = !(std::abs(determinant) > 1e-30 * size_ * size_ * size_);
    if (!singular_) inverse_ = linear.inverse();
  }

  Carried carry(const Vec3& u) const {
    constexpr double kLargest = 20;
    const double length = u.norm();
    if (singular_ || length == 0) return {};
    const Vec3 offset = inverse_ * u;
    const double ratio = offset.norm() * size_ / (kLargest * length);
    const double square = ratio * ratio;
    const double kept = 1 / (1 + square * square);
    return {.offset = kept * offset, .displacement = kept * u};
  }

 private:
  double size_;
  bool singular_ = false;
  Mat3 inverse_ = Mat3::Zero();
};

}  // namespace isochor::volume
