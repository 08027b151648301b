#include "isochor/voxel/grid.h"

#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

/// Spreads the low ten bits to every third bit.
std::uint32_t spread(std::uint32_t x) {
  x &= 0x3ff;
  x = (x | (x << 16)) & 0x030000ff;
  x = (x | (x << 8)) & 0x0300f00f;
  x = (x | (x << 4)) & 0x030c30c3;
  return (x | (x << 2)) & 0x09249249;
}

std::uint32_t gather(std::uint32_t x) {
  x &= 0x09249249;
  x = (x | (x >> 2)) & 0x030c30c3;
  x = (x | (x >> 4)) & 0x0300f00f;
  x = (x | (x >> 8)) & 0x030000ff;
  return (x | (x >> 16)) & 0x3ff;
}

}  // namespace

std::uint32_t morton_encode(const Voxel& voxel) {
  return spread(voxel[0]) | (spread(voxel[1]) << 1) | (spread(voxel[2]) << 2);
}

Voxel morton_decode(std::uint32_t code) { return {gather(code), gather(code >> 1), gather(code >> 2)}; }

Voxel VoxelGrid::at(const Vec3& p) const {
  const Vec3 g = to_grid(p);
  Voxel result = {};
  for (int a = 0; a < 3; ++a) {
    result[a] = static_cast<std::uint32_t>(std::clamp(std::floor(g[a]), 0.0, static_cast<double>(resolution - 1)));
  }
  return result;
}

VoxelGrid fit_grid(const Box& box, Index resolution) {
  VoxelGrid grid;
  grid.resolution = resolution;
  if (box.isEmpty()) return grid;
  constexpr double kMargin = 2;
  const double extent = box.sizes().maxCoeff();
  grid.voxel = (extent > 0 ? extent : 1.0) / (resolution - 2 * kMargin);
  grid.origin = box.center() - Vec3::Constant(0.5 * resolution * grid.voxel);
  return grid;
}

}  // namespace isochor
