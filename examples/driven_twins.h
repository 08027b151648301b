// Twins that follow the pose: what a game does with the file that `isochor deform --bake joints --bake-driven
// FILE.json` writes. Read "twins" from the JSON into DrivenTwin, then, after the skeleton was posed and before it is
// skinned, give the node `node` the transform driven(twin, local rotation of the node `joint`). No library is needed.
#pragma once

#include <array>
#include <cmath>
#include <string>

namespace driven_twins {

using Vec = std::array<double, 3>;
using Quat = std::array<double, 4>;  // x, y, z, w, as in glTF

struct DrivenTwin {
  std::string node, joint;
  Quat rest;                                          // the joint's rotation where the skin was bound
  Vec axis, side, pivot;                              // along its bone, across it; where the twin rests
  Vec low, high;                                      // the swings and twists that the clips have shown
  std::array<std::array<double, 9>, 9> coefficients;  // translation, rotation vector, scale - 1, by feature
};
struct Placed {
  Vec translation;
  Quat rotation;
  Vec scale;
};

inline double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Quat times(const Quat& a, const Quat& b) {
  const Vec u{a[0], a[1], a[2]}, v{b[0], b[1], b[2]}, c = cross(u, v);
  return {a[3] * v[0] + b[3] * u[0] + c[0], a[3] * v[1] + b[3] * u[1] + c[1], a[3] * v[2] + b[3] * u[2] + c[2],
          a[3] * b[3] - dot(u, v)};
}

inline Placed driven(const DrivenTwin& twin, const Quat& joint_rotation) {
  Quat q = times({-twin.rest[0], -twin.rest[1], -twin.rest[2], twin.rest[3]}, joint_rotation);
  if (q[3] < 0) q = {-q[0], -q[1], -q[2], -q[3]};
  // A twist about the axis, then a swing.
  const double along = dot({q[0], q[1], q[2]}, twin.axis), length = std::hypot(along, q[3]);
  const double s = length > 0 ? -along / length : 0, c = length > 0 ? q[3] / length : 1;
  const Quat swing = times(q, {s * twin.axis[0], s * twin.axis[1], s * twin.axis[2], c});
  const Vec v{swing[0], swing[1], swing[2]};
  Vec turn{2 * dot(v, twin.side), 2 * dot(v, cross(twin.axis, twin.side)), 2 * std::atan2(along, q[3])};
  for (int i = 0; i < 3; ++i) turn[i] = std::fmin(std::fmax(turn[i], twin.low[i]), twin.high[i]);
  const auto [a, b, t] = turn;
  const std::array<double, 9> f{a, b, t, a * a, a * b, b * b, a * t, b * t, t * t};
  std::array<double, 9> m{};
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 9; ++k) m[i] += twin.coefficients[i][k] * f[k];
  }
  const double angle = std::hypot(m[3], m[4], m[5]), half = angle > 0 ? std::sin(angle / 2) / angle : 0;
  Placed out{{}, {half * m[3], half * m[4], half * m[5], std::cos(angle / 2)}, {}};
  for (int i = 0; i < 3; ++i) {
    out.translation[i] = twin.pivot[i] + m[i];
    out.scale[i] = std::fmin(std::fmax(1 + m[6 + i], 0.05), 20.0);
  }
  return out;
}

}  // namespace driven_twins
