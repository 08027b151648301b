#pragma once

/// Small analytic shapes for tests.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/mesh/surface.h"

namespace isochor::test {

/// The unit cube [0,1]³ of six quads, facing outward.
inline Surface cube() {
  Surface s;
  for (int i = 0; i < 8; ++i) s.positions.push_back(Vec3(i & 1, (i >> 1) & 1, (i >> 2) & 1));
  s.add_face({0, 2, 3, 1});
  s.add_face({4, 5, 7, 6});
  s.add_face({0, 1, 5, 4});
  s.add_face({2, 6, 7, 3});
  s.add_face({0, 4, 6, 2});
  s.add_face({1, 3, 7, 5});
  return s;
}

inline Surface tetrahedron() {
  Surface s;
  s.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  s.add_face({0, 2, 1});
  s.add_face({0, 1, 3});
  s.add_face({1, 2, 3});
  s.add_face({2, 0, 3});
  return s;
}

/// An open tube of quads around z from 0 to `length`; `around` × `rings` vertices, facing outward.
inline Surface tube(int around, int rings, double radius, double length) {
  Surface s;
  for (int r = 0; r < rings; ++r) {
    for (int a = 0; a < around; ++a) {
      const double angle = 2 * std::numbers::pi * a / around;
      s.positions.push_back(Vec3(radius * std::cos(angle), radius * std::sin(angle), length * r / (rings - 1)));
    }
  }
  for (int r = 0; r + 1 < rings; ++r) {
    for (int a = 0; a < around; ++a) {
      const int b = (a + 1) % around;
      s.add_face({r * around + a, r * around + b, (r + 1) * around + b, (r + 1) * around + a});
    }
  }
  return s;
}

/// A Möbius strip of quads: cannot be oriented.
inline Surface moebius(int around) {
  Surface s;
  for (int a = 0; a < around; ++a) {
    const double t = 2 * std::numbers::pi * a / around;
    for (const double w : {-0.3, 0.3}) {
      const double r = 1 + w * std::cos(t / 2);
      s.positions.push_back(Vec3(r * std::cos(t), r * std::sin(t), w * std::sin(t / 2)));
    }
  }
  for (int a = 0; a + 1 < around; ++a) s.add_face({2 * a, 2 * a + 2, 2 * a + 3, 2 * a + 1});
  s.add_face({2 * around - 2, 1, 0, 2 * around - 1});
  return s;
}

/// Reverses the given faces.
inline void flip_faces(Surface& surface, std::span<const Index> faces) {
  for (const Index f : faces) {
    const auto face = surface.face(f);
    std::reverse(face.begin(), face.end());
  }
}

}  // namespace isochor::test
