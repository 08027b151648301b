#pragma once

/// Solids made by hand, voxel by voxel.

#include <functional>

#include "isochor/voxel/solid.h"

namespace isochor::test {

using Kind = VoxelSolid::Kind;

/// A solid over voxels of unit size from the kind of every voxel.
inline VoxelSolid make_solid(Index resolution, const std::function<Kind(const Voxel&)>& kind) {
  VoxelSolid solid;
  solid.grid = {.origin = Vec3::Zero(), .voxel = 1, .resolution = resolution};
  const auto bricks = static_cast<std::uint32_t>(resolution) / 8;
  for (std::uint32_t code = 0; code < bricks * bricks * bricks; ++code) {
    Brick brick{.code = code};
    std::size_t interior = 0;
    std::size_t boundary = 0;
    for (std::uint32_t m = 0; m < 512; ++m) {
      const Kind k = kind(morton_decode(code << 9 | m));
      const std::uint64_t bit = std::uint64_t{1} << (m & 63);
      if (k == Kind::interior) brick.interior[m >> 6] |= bit;
      if (k == Kind::boundary) brick.boundary[m >> 6] |= bit;
      interior += k == Kind::interior ? 1 : 0;
      boundary += k == Kind::boundary ? 1 : 0;
    }
    if (interior == 512) {
      solid.interior_bricks.push_back(code);
    } else if (interior + boundary > 0) {
      solid.bricks.push_back(brick);
    }
  }
  return solid;
}

/// A solid from a predicate on voxels; a voxel with a neighbour (of 26) outside is boundary.
inline VoxelSolid solid_with_skin(Index resolution, const std::function<bool(int, int, int)>& inside) {
  return make_solid(resolution, [&](const Voxel& v) {
    const auto x = static_cast<int>(v[0]);
    const auto y = static_cast<int>(v[1]);
    const auto z = static_cast<int>(v[2]);
    if (!inside(x, y, z)) return Kind::exterior;
    for (int d = 0; d < 27; ++d) {
      if (!inside(x + d % 3 - 1, y + d / 3 % 3 - 1, z + d / 9 - 1)) return Kind::boundary;
    }
    return Kind::interior;
  });
}

/// A solid without boundary voxels.
inline VoxelSolid solid_without_skin(Index resolution, const std::function<bool(int, int, int)>& inside) {
  return make_solid(resolution, [&](const Voxel& v) {
    return inside(static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])) ? Kind::interior
                                                                                          : Kind::exterior;
  });
}

/// Predicates for the above; all keep clear of the grid's faces where the resolution is at least that given.

inline auto ball(double cx, double cy, double cz, double radius) {
  return [=](int x, int y, int z) {
    const Vec3 d(x + 0.5 - cx, y + 0.5 - cy, z + 0.5 - cz);
    return d.squaredNorm() <= radius * radius;
  };
}

/// Low corner inclusive, high corner exclusive.
inline auto cuboid(Eigen::Vector3i low, Eigen::Vector3i high) {
  return [=](int x, int y, int z) {
    const Eigen::Vector3i p(x, y, z);
    return (p.array() >= low.array()).all() && (p.array() < high.array()).all();
  };
}

/// Two legs along y joined at their low ends, in 32³.
inline auto letter_u() {
  return [](int x, int y, int z) {
    if (z < 12 || z >= 18 || y < 4 || y >= 28 || x < 4 || x >= 24) return false;
    return y < 10 || x < 10 || x >= 18;
  };
}

}  // namespace isochor::test
