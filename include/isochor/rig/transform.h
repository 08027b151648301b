#pragma once

/// A joint's local transform as artists and files have it: translation, rotation, scale.

#include "isochor/base/types.h"

namespace isochor {

/// x' = translation + rotation * scale * shear * x. `shear` is the identity except for matrices that no
/// translation-rotation-scale can express.
struct Transform {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  Mat3 shear = Mat3::Identity();
};

Affine to_matrix(const Transform& transform);

/// The inverse of to_matrix. A negative determinant becomes a negative scale in x. Zero scale is kept.
Transform to_transform(const Affine& matrix);

/// The smallest turn that takes the direction of `from` to that of `to`; half a turn about some axis at right angles
/// if they are opposite. Neither may be zero.
Quat turn_between(const Vec3& from, const Vec3& to);

}  // namespace isochor
