#include "isochor/bake/rest_offsets.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

/// linear^-1 u, damped: singular values below a hundredth of the largest are not inverted any further.
Vec3 damped_solve(const Mat3& linear, const Vec3& u) {
  constexpr double kFloor = 0.01;
  const double size = linear.norm();
  if (size == 0) return Vec3::Zero();
  const double det = linear.determinant();
  // With all singular values above the floor the determinant cannot be this small, and the plain inverse is safe.
  if (std::abs(det) > kFloor * size * size * size) return linear.inverse() * u;
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(linear.transpose() * linear);
  const Vec3& squared = eigen.eigenvalues();
  const double floor = kFloor * kFloor * squared.maxCoeff();
  const Vec3 rhs = eigen.eigenvectors().transpose() * (linear.transpose() * u);
  return eigen.eigenvectors() * rhs.cwiseQuotient(squared.cwiseMax(floor));
}

}  // namespace

RestOffsets rest_offsets(const OffsetInput& input) {
  RestOffsets result;
  result.positions.resize(input.rest.size());
  for (std::size_t v = 0; v < input.rest.size(); ++v) {
    const Mat3 linear = input.maps[v].leftCols<3>();
    const Vec3 moved = linear * input.rest[v] + input.maps[v].col(3);
    const Vec3 wanted = input.target[v] - moved;
    const Vec3 offset = damped_solve(linear, wanted);
    result.positions[v] = offset;
    result.max_residual = std::max(result.max_residual, (linear * offset - wanted).norm());
  }
  result.normals.resize(input.rest_normals.size());
  for (std::size_t v = 0; v < input.rest_normals.size(); ++v) {
    const Vec3 n = input.maps[v].leftCols<3>().transpose() * input.target_normals[v];
    const double length = n.norm();
    result.normals[v] = length > 0 ? Vec3(n / length - input.rest_normals[v]) : Vec3::Zero();
  }
  return result;
}

}  // namespace isochor
