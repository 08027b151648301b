#pragma once

/// What the render tests share: a sphere, plain options, and reading light back from pixels.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/render/render.h"

namespace isochor::test {

enum class Winding { outward, inward };

/// Quads, with triangles at the poles.
inline Surface sphere(double radius, Winding winding = Winding::outward, const Vec3& center = Vec3::Zero()) {
  constexpr int kAround = 96;
  constexpr int kRings = 48;
  Surface s;
  s.positions.push_back(center + Vec3(0, -radius, 0));
  for (int r = 1; r < kRings; ++r) {
    const double latitude = std::numbers::pi * (static_cast<double>(r) / kRings - 0.5);
    for (int a = 0; a < kAround; ++a) {
      const double angle = 2 * std::numbers::pi * a / kAround;
      s.positions.push_back(center + radius * Vec3(std::cos(latitude) * std::sin(angle), std::sin(latitude),
                                                   std::cos(latitude) * std::cos(angle)));
    }
  }
  const auto top = static_cast<Index>(s.positions.size());
  s.positions.push_back(center + Vec3(0, radius, 0));
  const auto add = [&](std::vector<Index> face) {
    if (winding == Winding::inward) std::reverse(face.begin(), face.end());
    s.add_face(std::span<const Index>(face));
  };
  for (int a = 0; a < kAround; ++a) {
    const int b = (a + 1) % kAround;
    add({0, 1 + b, 1 + a});
    for (int r = 0; r + 2 < kRings; ++r) {
      const int low = 1 + r * kAround;
      add({low + a, low + b, low + kAround + b, low + kAround + a});
    }
    add({top, 1 + (kRings - 2) * kAround + a, 1 + (kRings - 2) * kAround + b});
  }
  return s;
}

/// From the front, without perspective, light or ground: pixels show the colours themselves.
inline RenderOptions plain_options() {
  RenderOptions options;
  options.width = 200;
  options.height = 200;
  options.samples = 4;
  options.camera.view = View::front;
  options.camera.projection = Projection::orthographic;
  options.camera.margin = 0.1;
  options.shading = Shading::unlit;
  options.ground = false;
  return options;
}

inline Scene scene_of(Surface surface, const Color& color = srgb(0x3366cc)) {
  Scene scene;
  scene.meshes.push_back({.surface = std::move(surface), .color = color});
  return scene;
}

/// Linear light of a grey pixel.
inline double light(const Image& image, int x, int y) {
  const auto rgb = image.at(x, y);
  return srgb(static_cast<std::uint32_t>(rgb[0] << 16 | rgb[1] << 8 | rgb[2])).mean();
}

}  // namespace isochor::test
