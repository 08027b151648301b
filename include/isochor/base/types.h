#pragma once

/// The small vocabulary that every module speaks: indices, vectors, matrices.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>

namespace isochor {

/// Index of a vertex, face, joint … Negative means "none".
using Index = std::int32_t;
inline constexpr Index kNone = -1;

using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Vec2f = Eigen::Vector2f;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
/// A per-vertex affine map: 3×3 linear part, then the translation. Column vectors: x' = M.leftCols(3) x + M.col(3).
using Mat34 = Eigen::Matrix<double, 3, 4>;
/// A joint's or a node's transform as a matrix. Column vectors, as in glTF.
using Affine = Eigen::Affine3d;
using Box = Eigen::AlignedBox3d;

}  // namespace isochor
