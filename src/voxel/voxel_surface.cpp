#include "isochor/voxel/voxel_surface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace isochor {
namespace {

/// Corners of the unit cube by bits x, y, z; each face counter-clockwise seen from outside.
struct CubeFace {
  std::array<int, 3> step;
  std::array<int, 4> corners;
};
constexpr std::array<CubeFace, 6> kCube = {{{{-1, 0, 0}, {0, 4, 6, 2}},
                                            {{1, 0, 0}, {1, 3, 7, 5}},
                                            {{0, -1, 0}, {0, 1, 5, 4}},
                                            {{0, 1, 0}, {2, 6, 7, 3}},
                                            {{0, 0, -1}, {0, 2, 3, 1}},
                                            {{0, 0, 1}, {4, 5, 7, 6}}}};

bool has_neighbour(std::span<const std::uint32_t> voxels, const Voxel& voxel, const CubeFace& face, Index resolution) {
  Voxel other = voxel;
  for (std::size_t a = 0; a < 3; ++a) other[a] += static_cast<std::uint32_t>(face.step[a]);
  const auto limit = static_cast<std::uint32_t>(resolution);
  // Below 0 wraps around to the very large.
  if (other[0] >= limit || other[1] >= limit || other[2] >= limit) return false;
  return std::binary_search(voxels.begin(), voxels.end(), morton_encode(other));
}

}  // namespace

VoxelSurface voxel_surface(const VoxelGrid& grid, std::span<const std::uint32_t> voxels) {
  VoxelSurface result;
  std::unordered_map<std::uint64_t, Index> corner_index;
  const auto corner = [&](const Voxel& voxel, int bits) {
    const std::uint64_t x = voxel[0] + (bits & 1), y = voxel[1] + (bits >> 1 & 1), z = voxel[2] + (bits >> 2 & 1);
    const auto [it, is_new] =
        corner_index.emplace((z << 22) | (y << 11) | x, static_cast<Index>(result.surface.positions.size()));
    if (is_new) {
      result.surface.positions.push_back(
          grid.to_world({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
    }
    return it->second;
  };
  for (const std::uint32_t code : voxels) {
    const Voxel voxel = morton_decode(code);
    for (const CubeFace& face : kCube) {
      if (has_neighbour(voxels, voxel, face, grid.resolution)) continue;
      result.surface.add_face({corner(voxel, face.corners[0]), corner(voxel, face.corners[1]),
                               corner(voxel, face.corners[2]), corner(voxel, face.corners[3])});
      result.voxel.push_back(code);
    }
  }
  return result;
}

Surface box_surface(const VoxelGrid& grid, std::span<const VoxelBox> boxes) {
  Surface surface;
  surface.positions.reserve(8 * boxes.size());
  for (const VoxelBox& box : boxes) {
    const auto first = static_cast<Index>(surface.positions.size());
    for (int bits = 0; bits < 8; ++bits) {
      const auto at = [&](int axis) { return static_cast<double>((bits >> axis & 1 ? box.high : box.low)[axis]); };
      surface.positions.push_back(grid.to_world({at(0), at(1), at(2)}));
    }
    for (const CubeFace& face : kCube) {
      surface.add_face(
          {first + face.corners[0], first + face.corners[1], first + face.corners[2], first + face.corners[3]});
    }
  }
  return surface;
}

std::vector<std::uint32_t> voxels_of_kind(const VoxelSolid& solid, VoxelSolid::Kind kind) {
  constexpr std::uint32_t kBrickSize = 512;
  std::vector<std::uint32_t> codes;
  if (kind == VoxelSolid::Kind::exterior) return codes;
  for (const Brick& brick : solid.bricks) {
    const BrickBits& bits = kind == VoxelSolid::Kind::boundary ? brick.boundary : brick.interior;
    for (std::uint32_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
        codes.push_back(brick.code * kBrickSize + word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  }
  if (kind == VoxelSolid::Kind::interior) {
    for (const std::uint32_t brick : solid.interior_bricks) {
      for (std::uint32_t i = 0; i < kBrickSize; ++i) codes.push_back(brick * kBrickSize + i);
    }
    std::sort(codes.begin(), codes.end());
  }
  return codes;
}

}  // namespace isochor
