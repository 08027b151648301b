#pragma once

/// Weights, poses and vertices for the tests of skinning. Nothing is random: values come from a fixed sequence.

#include <cmath>
#include <numbers>
#include <vector>

#include "isochor/deform/skinning.h"

namespace isochor::test {

inline constexpr auto kDeformers = {Deformer::lbs, Deformer::dqs};

/// A fixed sequence of numbers in [0, 1) without visible order.
class Sequence {
 public:
  double next() {
    value_ += std::numbers::phi - 1;
    value_ -= std::floor(value_);
    const double mixed = value_ * (1 + 97 * value_);
    return mixed - std::floor(mixed);
  }
  double next(double low, double high) { return low + (high - low) * next(); }
  Vec3 vector(double size) {
    const double x = next(-size, size);
    const double y = next(-size, size);
    return {x, y, next(-size, size)};
  }
  Quat rotation(double largest_angle) {
    const Vec3 axis = vector(1) + Vec3(0, 0, 1e-3);
    return Quat(Eigen::AngleAxisd(next(-largest_angle, largest_angle), axis.normalized()));
  }

 private:
  double value_ = 0.37;
};

inline std::vector<Vec3> scattered(std::size_t count, double size) {
  Sequence s;
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(s.vector(size));
  return points;
}
inline std::vector<Vec3> directions(std::size_t count) {
  std::vector<Vec3> all = scattered(count, 1);
  for (Vec3& n : all) n = Vec3(n.y(), n.z() + 1e-3, n.x()).normalized();
  return all;
}

enum class Neighbours {
  alike,   ///< consecutive vertices follow the same joints
  unlike,  ///< each vertex follows joints of its own
};

/// Rows of `influences` distinct joints (fewer for every fifth vertex), normalised.
inline SkinWeights some_weights(std::size_t vertices, Index joints, Index influences, Neighbours neighbours) {
  Sequence s;
  SkinWeights weights;
  for (std::size_t v = 0; v < vertices; ++v) {
    const std::size_t first = neighbours == Neighbours::alike ? v / 20 : 7 * v;
    const Index count = v % 5 == 4 ? std::max<Index>(1, influences / 2) : influences;
    std::vector<Influence> row;
    double sum = 0;
    for (Index k = 0; k < count; ++k) {
      const auto joint = static_cast<Index>((first + k) % static_cast<std::size_t>(joints));
      row.push_back({joint, s.next(0.05, 1)});
      sum += row.back().weight;
    }
    for (Influence& influence : row) influence.weight /= sum;
    weights.add_row(row);
  }
  return weights;
}

/// Joints that turn by up to `largest_angle` and move by up to 1.
inline std::vector<Affine> rigid_joints(Index count, double largest_angle = 2.5) {
  Sequence s;
  std::vector<Affine> matrices;
  for (Index j = 0; j < count; ++j) {
    Affine m = Affine::Identity();
    m.linear() = s.rotation(largest_angle).toRotationMatrix();
    m.translation() = s.vector(1);
    matrices.push_back(m);
  }
  return matrices;
}
/// The same with a scale of its own for each joint and axis, along axes of its own.
inline std::vector<Affine> stretched_joints(Index count, double largest_angle = 2.5) {
  Sequence s;
  std::vector<Affine> matrices = rigid_joints(count, largest_angle);
  for (Affine& m : matrices) {
    const Mat3 axes = s.rotation(3).toRotationMatrix();
    const Vec3 scale(s.next(0.5, 2), s.next(0.5, 2), s.next(0.5, 2));
    m.linear() = Mat3(m.linear() * axes * scale.asDiagonal() * axes.transpose());
  }
  return matrices;
}
inline std::vector<Affine> times(const Affine& left, std::vector<Affine> matrices) {
  for (Affine& m : matrices) m = left * m;
  return matrices;
}
inline Affine some_rigid_motion() {
  Affine motion = Affine::Identity();
  motion.linear() = Quat(Eigen::AngleAxisd(2.1, Vec3(1, -2, 0.5).normalized())).toRotationMatrix();
  motion.translation() = Vec3(3, -1, 0.7);
  return motion;
}

inline std::vector<Mat34> maps_of(Deformer deformer, const std::vector<Vec3>& positions, const SkinWeights& weights,
                                  const std::vector<Affine>& matrices, int threads = 1) {
  std::vector<Mat34> maps(weights.vertex_count());
  vertex_maps(deformer, {positions, weights}, matrices, maps, Context(threads));
  return maps;
}

}  // namespace isochor::test
