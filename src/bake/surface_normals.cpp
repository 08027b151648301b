#include "isochor/bake/surface_normals.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace isochor {
namespace {

/// Normals are compared after rounding, as files store them in few digits.
std::array<int, 3> rounded(const Vec3& normal) {
  constexpr double kSteps = 500;
  const auto round = [](double x) { return static_cast<int>(std::lround(std::clamp(x, -2.0, 2.0) * kSteps)); };
  return {round(normal.x()), round(normal.y()), round(normal.z())};
}

/// The step of Newton's method towards larger tr(Rᵀ m), for the symmetric part of m Rᵀ; zero where the function does
/// not curve downward all around.
Vec3 newton_step(const Mat3& symmetric, const Vec3& torque) {
  const Mat3 curvature = symmetric.trace() * Mat3::Identity() - symmetric;
  const Vec3 x = curvature.col(0), y = curvature.col(1), z = curvature.col(2);
  const Vec3 yz = y.cross(z), zx = z.cross(x), xy = x.cross(y);  // the rows of its inverse, times its determinant
  const double det = x.dot(yz), size = curvature.squaredNorm();
  const bool downward = x[0] > 0 && xy[2] > 0 && det > 1e-9 * size * std::sqrt(size);
  return downward ? Vec3(Vec3(yz.dot(torque), zx.dot(torque), xy.dot(torque)) / det) : Vec3(Vec3::Zero());
}

/// About the direction of `axis`, by the angle whose sine and cosine are as its length (> 0) to `along`.
Quat turn_about(const Vec3& axis, double length, double along) {
  const double size = std::sqrt(length * length + along * along);
  // Of the two half angles' functions the larger by a root, the other by division: no digit is lost.
  const double larger = std::sqrt(0.5 * (1 + std::abs(along) / size)), smaller = 0.5 * length / (size * larger);
  const double w = along >= 0 ? larger : smaller, sine = along >= 0 ? smaller : larger;
  Quat out;
  out.w() = w;
  out.vec() = axis * (sine / length);
  return out;
}

/// About `turn`, by its length, to the second order: what Newton's method can use of it.
Quat small_turn(const Vec3& turn) {
  Quat out;
  out.w() = 1;
  out.vec() = 0.5 * turn;
  out.coeffs() /= std::sqrt(1 + 0.25 * turn.squaredNorm());
  return out;
}

/// The rotation R that maximises tr(Rᵀ m): first about the axis of largest gain, which for one pair of vectors is all,
/// then by Newton's method.
Quat nearest_rotation(const Mat3& m) {
  constexpr int kSteps = 20;
  // Newton's method doubles the digits: what a step of the root leaves is too small for another.
  constexpr double kEnough = 1e-8, kLastStep = 1e-4;
  Quat rotation = Quat::Identity();
  for (int step = 0; step < kSteps; ++step) {
    const Mat3 left = step == 0 ? m : Mat3(m * rotation.toRotationMatrix().transpose());
    const Vec3 torque(left(2, 1) - left(1, 2), left(0, 2) - left(2, 0), left(1, 0) - left(0, 1));
    const double strength = torque.norm();
    if (!(strength > 0)) break;
    const Vec3 turn = step == 0 ? Vec3(Vec3::Zero()) : newton_step(0.5 * (left + left.transpose()), torque);
    const double angle = turn.norm();
    if (angle > 0 && angle <= 1) {
      if (angle < kEnough) break;
      rotation = small_turn(turn) * rotation;
      if (angle < kLastStep) break;
    } else {
      rotation = turn_about(torque, strength, left.trace()) * rotation;
    }
  }
  return rotation.normalized();
}

/// R n for the same R, in closed form (Markley 1993, FOAM): with the singular values s of m, the last one signed as its
/// determinant, κ = s₁s₂ + s₂s₃ + s₃s₁, λ = s₁ + s₂ + s₃ and ζ = κλ − det m,
///   ζ R = (κ + ‖m‖²) m + λ cof m − m mᵀ m;
/// κ² = ‖cof m‖² + 2 λ det m and λ² = ‖m‖² + 2 κ are solved for κ by Newton's method.
/// Where ζ is small, R is hardly determined and digits are lost: step by step there.
Vec3 rotated(const Mat3& m, const Vec3& n) {
  constexpr int kSteps = 20;
  constexpr double kEnough = 1e-10, kDetermined = 1e-6, kStill = 5e-9;
  // Most skin follows one bone, and does not turn against it.
  const Vec3 torque(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
  const double along = m.trace();
  if (along > 0 && torque.squaredNorm() < kStill * kStill * along * along) return n;
  Mat3 cofactors;
  cofactors << m.col(1).cross(m.col(2)), m.col(2).cross(m.col(0)), m.col(0).cross(m.col(1));
  const double det = m.col(0).dot(cofactors.col(0));
  const double size = m.squaredNorm(), area = cofactors.squaredNorm();
  double lambda = std::sqrt(size + 2 * std::sqrt(area));
  double kappa = std::sqrt(area + 2 * lambda * std::max(det, 0.0));
  lambda = std::sqrt(size + 2 * kappa);
  for (int step = 0; step < kSteps; ++step) {
    const double slope = kappa - det / lambda;
    const double change = 0.5 * (kappa * kappa - area - 2 * lambda * det) / slope;
    if (!std::isfinite(change)) break;
    kappa = std::max(kappa - change, 0.0);
    lambda = std::sqrt(size + 2 * kappa);
    // Newton's method doubles the digits: what is left of this one is nothing.
    if (std::abs(change) <= kEnough * kappa) break;
  }
  const double zeta = kappa * lambda - det;
  if (!(zeta > kDetermined * size * std::sqrt(size))) return nearest_rotation(m) * n;
  const Vec3 moved = m * n;
  return ((kappa + size) * moved + lambda * (cofactors * n) - m * (m.transpose() * moved)) / zeta;
}

}  // namespace

SurfaceNormals::SurfaceNormals(const Character& character, const WholeSurface& whole) {
  using Key = std::tuple<Index, std::array<int, 3>, Index, Index>;  // welded vertex, normal; part and vertex
  std::vector<Key> keys;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    group_.emplace_back(part.surface.vertex_count(), kNone);
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      const Index welded = whole.weld.vertex[whole.part_begin[p] + static_cast<Index>(v)];
      const Vec3 normal = part.normals.empty() ? Vec3::Zero().eval() : part.normals[v];
      keys.emplace_back(welded, rounded(normal), static_cast<Index>(p), static_cast<Index>(v));
    }
    for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
      const auto face = part.surface.face(f);
      if (face.size() < 3) continue;
      const auto begin = static_cast<Index>(corners_.size());
      corners_.insert(corners_.end(), face.begin(), face.end());
      faces_.push_back({static_cast<Index>(p), begin, static_cast<Index>(corners_.size())});
    }
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& [welded, normal, part, vertex] = keys[i];
    const bool same = i > 0 && std::get<0>(keys[i - 1]) == welded && std::get<1>(keys[i - 1]) == normal;
    if (!same) ++group_count_;
    group_[part][vertex] = static_cast<Index>(group_count_) - 1;
  }
  for (const Part& part : character.parts) rest_.push_back(part.surface.positions);
  rest_normals_ = normals_at(std::vector<std::span<const Vec3>>(rest_.begin(), rest_.end()));
}

std::vector<Vec3> SurfaceNormals::normals_at(Positions rest) const {
  std::vector<Vec3> out;
  out.reserve(faces_.size());
  for (const Face& face : faces_) {
    const std::span<const Index> corners(corners_.data() + face.begin, corners_.data() + face.end);
    out.push_back(area_vector(rest[face.part], corners).normalized());
  }
  return out;
}

std::vector<std::vector<Mat3>> SurfaceNormals::turns(Positions rest, Positions posed) const {
  // Most frames play no morph target of the file's own.
  const bool still = std::equal(rest.begin(), rest.end(), rest_.begin(), rest_.end(), [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  });
  const std::vector<Vec3> morphed = still ? std::vector<Vec3>{} : normals_at(rest);
  const std::vector<Vec3>& normals = still ? rest_normals_ : morphed;
  std::vector<Mat3> sums(group_count_, Mat3::Zero());
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const Face& face = faces_[f];
    const std::span<const Index> corners(corners_.data() + face.begin, corners_.data() + face.end);
    const Mat3 turn = area_vector(posed[face.part], corners) * normals[f].transpose();
    for (const Index v : corners) sums[group_[face.part][v]] += turn;
  }
  std::vector<std::vector<Mat3>> out(group_.size());
  for (std::size_t p = 0; p < group_.size(); ++p) {
    out[p].reserve(group_[p].size());
    for (const Index group : group_[p]) out[p].push_back(sums[group]);
  }
  return out;
}

std::vector<Vec3> normal_offsets(const NormalOffsetInput& input) {
  constexpr double kStill = 1e-6;
  /// How much a rotation counts against what it explains: enough to choose, too little to be seen.
  constexpr double kInertia = 1e-4;
  std::vector<Vec3> out(input.rest_normals.size(), Vec3::Zero());
  for (std::size_t v = 0; v < out.size(); ++v) {
    const Mat3 linear = input.maps[v].leftCols<3>();
    // A mirrored map turns the faces around with it.
    const double side = linear.determinant() < 0 ? -1 : 1;
    const Mat3 turn = side * linear.transpose() * input.turns[v];
    const double size = turn.norm();
    if (!(size > 0) || !std::isfinite(size)) continue;
    const Vec3& normal = input.rest_normals[v];
    const Vec3 offset = rotated(turn / size + kInertia * Mat3::Identity(), normal) - normal;
    if (offset.norm() > kStill) out[v] = offset;
  }
  return out;
}

}  // namespace isochor
