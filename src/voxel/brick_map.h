#pragma once

/// Codes of bricks and of voxels within a brick, without the cost of general Morton codes.

#include <array>
#include <cstdint>
#include <vector>

#include "isochor/voxel/grid.h"

namespace isochor::voxel {

/// Three bits spread to every third bit.
inline constexpr std::array<std::uint32_t, 8> kSpread3 = {0, 1, 8, 9, 64, 65, 72, 73};

/// A voxel's place among the bits of its brick.
template <class Coordinates>
std::uint32_t local_code(const Coordinates& voxel) {
  return kSpread3[voxel[0] & 7] | (kSpread3[voxel[1] & 7] << 1) | (kSpread3[voxel[2] & 7] << 2);
}

/// Morton codes of brick coordinates by table.
class BrickCodes {
 public:
  explicit BrickCodes(Index bricks_along) : spread_(static_cast<std::size_t>(bricks_along)) {
    for (std::uint32_t i = 0; i < spread_.size(); ++i) spread_[i] = morton_encode({i, 0, 0});
  }
  template <class Coordinates>
  std::uint32_t operator()(const Coordinates& brick) const {
    return spread_[brick[0]] | (spread_[brick[1]] << 1) | (spread_[brick[2]] << 2);
  }

 private:
  std::vector<std::uint32_t> spread_;
};

}  // namespace isochor::voxel
