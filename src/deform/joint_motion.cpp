#include "deform/joint_motion.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <string>

#include "isochor/base/error.h"
#include "isochor/rig/transform.h"

namespace isochor {
namespace {

// Relative to a matrix's own largest stretch, and for a matrix as a whole to the largest of the frame.
constexpr double kSingular = 1e-9;

/// The orthogonal factor of the polar decomposition of a regular matrix, with the sign of its determinant: Newton's
/// iteration with Higham's scaling.
Mat3 orthogonal_factor(const Mat3& matrix) {
  constexpr int kMaxSteps = 40;
  Mat3 x = matrix;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Mat3 inverse_transpose = x.inverse().transpose();
    const double balance = std::sqrt(inverse_transpose.norm() / x.norm());
    const Mat3 next = 0.5 * (balance * x + inverse_transpose / balance);
    const double change = (next - x).norm();
    x = next;
    if (change < 1e-14 * x.norm()) break;
  }
  return x;
}

/// A rotation for a matrix that leaves some of it open; see split_motions.
Mat3 rotation_of_singular(const Mat3& matrix, const JointMotion& fallback) {
  const Eigen::JacobiSVD<Mat3> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vec3& sigma = svd.singularValues();
  const double side = fallback.handedness < 0 ? -1.0 : 1.0;
  if (sigma[1] > kSingular * sigma[0]) {
    // A plane is left: the third direction follows from the other two.
    const double third = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -side : side;
    return side * svd.matrixU() * Vec3(1, 1, third).asDiagonal() * svd.matrixV().transpose();
  }
  // A line is left: the smallest turn from the fallback's rotation that respects it.
  const Vec3 from = fallback.rotation * svd.matrixV().col(0);
  return (turn_between(from, side * svd.matrixU().col(0)) * fallback.rotation).toRotationMatrix();
}

bool is_regular(const Affine& matrix, double largest) {
  const double size = matrix.linear().norm();
  return matrix.matrix().allFinite() && size > kSingular * largest &&
         std::abs(matrix.linear().determinant()) > kSingular * size * size * size;
}

JointMotion with_rotation(const Affine& matrix, const Mat3& rotation) {
  JointMotion motion;
  motion.rotation = Quat(rotation).normalized();
  motion.translation = matrix.translation();
  const Mat3 stretch = motion.rotation.toRotationMatrix().transpose() * matrix.linear();
  motion.stretch = 0.5 * (stretch + stretch.transpose());
  return motion;
}

JointMotion split_regular(const Affine& matrix) {
  Mat3 rotation = orthogonal_factor(matrix.linear());
  const int handedness = rotation.determinant() < 0 ? -1 : 1;
  if (handedness < 0) rotation = -rotation;
  JointMotion motion = with_rotation(matrix, rotation);
  motion.handedness = handedness;
  return motion;
}

JointMotion split_singular(const Affine& matrix, const JointMotion& fallback, double largest) {
  JointMotion motion;
  motion.rotation = fallback.rotation;
  motion.stretch.setZero();
  if (matrix.matrix().allFinite()) {
    motion.translation = matrix.translation();
    if (matrix.linear().norm() > kSingular * largest) {
      motion = with_rotation(matrix, rotation_of_singular(matrix.linear(), fallback));
    }
  }
  motion.handedness = 0;
  return motion;
}

}  // namespace

void split_motions(std::span<const Affine> matrices, std::span<JointMotion> out) {
  double largest = 0;
  for (const Affine& matrix : matrices) {
    const double size = matrix.linear().norm();
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  JointMotion fallback;
  const auto first =
      std::find_if(matrices.begin(), matrices.end(), [&](const Affine& m) { return is_regular(m, largest); });
  if (first != matrices.end()) fallback = split_regular(*first);
  for (std::size_t j = 0; j < matrices.size(); ++j) {
    if (is_regular(matrices[j], largest)) {
      out[j] = split_regular(matrices[j]);
      fallback = out[j];
    } else {
      out[j] = split_singular(matrices[j], fallback, largest);
    }
  }
}

const Influence& strongest(std::span<const Influence> row) {
  const Influence* best = &row.front();
  for (const Influence& influence : row) {
    const bool tie = influence.weight == best->weight;
    if (influence.weight > best->weight || (tie && influence.joint < best->joint)) best = &influence;
  }
  return *best;
}

void throw_mixed_handedness(Index vertex, Index strongest_joint, Index other_joint) {
  throw_unsupported(
      "vertex " + std::to_string(vertex) + " follows joints " + std::to_string(strongest_joint) + " and " +
          std::to_string(other_joint) +
          ", of which one is mirrored (negative scale) and the other is not: dual quaternions cannot blend "
          "them, linear blend skinning can",
      vertex);
}

}  // namespace isochor
