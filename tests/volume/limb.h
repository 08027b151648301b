#pragma once

/// A straight or bent limb of two bones for tests: parent bone from a to o, own bone from o to b, and its poses.

#include <cmath>

#include "isochor/volume/bend_axes.h"

namespace isochor::test {

inline Affine about(const Vec3& point, const Vec3& axis, double angle) {
  Affine m = Affine::Identity();
  m.translate(point).rotate(Eigen::AngleAxisd(angle, axis.normalized())).translate(-point);
  return m;
}

/// Some rigid motion that no symmetry spares.
inline Affine somewhere() {
  Affine m = Affine::Identity();
  m.translate(Vec3(3, -2, 0.7)).rotate(Eigen::AngleAxisd(2.1, Vec3(0.3, -0.8, 0.5).normalized()));
  return m;
}

struct Limb {
  Skeleton skeleton;
  RestSpace space;
};

/// Joints "upper" at a, "lower" at o, "end" at b (a tail at the end), each with a vertex of its own beside it.
inline Limb limb(const Vec3& a, const Vec3& o, const Vec3& b) {
  Limb limb;
  const Vec3 places[] = {a, o, b};
  const char* names[] = {"upper", "lower", "end"};
  for (Index j = 0; j < 3; ++j) {
    Transform rest;
    rest.translation = j == 0 ? places[0] : Vec3(places[j] - places[j - 1]);
    limb.skeleton.joints.push_back({names[j], j - 1, rest, true, {}});
    Affine bind = Affine::Identity();
    bind.translate(places[j]);
    limb.space.bind.push_back(bind);
    limb.space.inverse_bind.push_back(bind.inverse());
    const Influence row[] = {{j, 1.0}};
    limb.space.weights.add_row(row);
    limb.space.rest.emplace_back(places[j] + Vec3(0, 0, 0.1));
  }
  limb.space.size = bounding_box(limb.space.rest).diagonal().norm();
  return limb;
}

}  // namespace isochor::test
