#include "isochor/rig/transform.h"

#include <Eigen/SVD>
#include <cmath>

namespace isochor {

Affine to_matrix(const Transform& transform) {
  Affine matrix;
  matrix.linear() = transform.rotation.toRotationMatrix() * transform.scale.asDiagonal() * transform.shear;
  matrix.translation() = transform.translation;
  matrix.makeAffine();
  return matrix;
}

Transform to_transform(const Affine& matrix) {
  Transform transform;
  transform.translation = matrix.translation();
  Mat3 linear = matrix.linear();
  const Vec3 lengths = linear.colwise().norm();
  const double largest = lengths.maxCoeff();

  // Columns at right angles: a rotation times a scale, read off exactly. This is every matrix that tools write.
  Mat3 axes = linear;
  bool orthogonal = largest > 0 && lengths.minCoeff() > 0;
  if (orthogonal) {
    axes = linear * lengths.cwiseInverse().asDiagonal();
    orthogonal = (axes.transpose() * axes - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6;
  }
  if (orthogonal) {
    transform.scale = lengths;
    if (axes.determinant() < 0) {
      transform.scale.x() = -transform.scale.x();
      axes.col(0) = -axes.col(0);
    }
    transform.rotation = Quat(axes).normalized();
    // Axes a hair away from right angles leave a remainder; it belongs to the shear, so that nothing is lost.
    const Mat3 rest =
        transform.scale.cwiseInverse().asDiagonal() * transform.rotation.toRotationMatrix().transpose() * linear;
    if ((rest - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-12) transform.shear = rest;
    return transform;
  }

  // Polar decomposition: linear = R P, with P symmetric, and a mirror kept in the scale.
  const Eigen::JacobiSVD<Mat3> svd(linear, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 rotation = svd.matrixU() * svd.matrixV().transpose();
  if (rotation.determinant() < 0) {
    // Flip the axis of the smallest stretch; a zero stretch does not notice.
    Mat3 u = svd.matrixU();
    u.col(2) = -u.col(2);
    rotation = u * svd.matrixV().transpose();
  }
  transform.rotation = Quat(rotation).normalized();
  const Mat3 rest = transform.rotation.toRotationMatrix().transpose() * linear;
  const Mat3 diagonal = rest.diagonal().asDiagonal();
  if ((rest - diagonal).cwiseAbs().maxCoeff() <= 1e-12 * largest) {
    transform.scale = rest.diagonal();
  } else {
    transform.shear = rest;
  }
  return transform;
}

// As Eigen's FromTwoVectors, but without its singular value decomposition for opposite directions, which every source
// that calls it would have to compile.
Quat turn_between(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.normalized();
  const Vec3 b = to.normalized();
  const double cosine = a.dot(b);
  const Vec3 axis = a.cross(b);
  Quat turn;
  if (cosine < -1 + 1e-12) {
    const double sine = axis.norm();
    turn = Eigen::AngleAxisd(std::atan2(sine, cosine), sine > 1e-14 ? Vec3(axis / sine) : a.unitOrthogonal());
  } else {
    const double s = std::sqrt(2 * (1 + cosine));
    turn.w() = 0.5 * s;
    turn.vec() = axis * (1 / s);
  }
  return turn;
}

}  // namespace isochor
