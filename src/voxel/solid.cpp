#include "isochor/voxel/solid.h"

#include <algorithm>
#include <bit>

namespace isochor {
namespace {

bool test(const BrickBits& bits, std::uint32_t i) { return ((bits[i >> 6] >> (i & 63)) & 1) != 0; }

std::size_t count(const BrickBits& bits) {
  std::size_t n = 0;
  for (const std::uint64_t word : bits) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

}  // namespace

VoxelSolid::Kind VoxelSolid::at(const Voxel& voxel) const {
  const std::uint32_t code = morton_encode(voxel);
  const std::uint32_t brick = code >> 9;
  const auto found =
      std::lower_bound(bricks.begin(), bricks.end(), brick, [](const Brick& b, std::uint32_t c) { return b.code < c; });
  if (found != bricks.end() && found->code == brick) {
    const std::uint32_t bit = code & 511;
    if (test(found->boundary, bit)) return Kind::boundary;
    return test(found->interior, bit) ? Kind::interior : Kind::exterior;
  }
  return std::binary_search(interior_bricks.begin(), interior_bricks.end(), brick) ? Kind::interior : Kind::exterior;
}

std::size_t VoxelSolid::boundary_count() const {
  std::size_t n = 0;
  for (const Brick& brick : bricks) n += count(brick.boundary);
  return n;
}

std::size_t VoxelSolid::interior_count() const {
  std::size_t n = 512 * interior_bricks.size();
  for (const Brick& brick : bricks) n += count(brick.interior);
  return n;
}

std::size_t VoxelSolid::memory() const {
  return bricks.capacity() * sizeof(Brick) + interior_bricks.capacity() * sizeof(std::uint32_t);
}

}  // namespace isochor
