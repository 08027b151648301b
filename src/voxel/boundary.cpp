#include "voxel/boundary.h"

#include <utility>

#include "isochor/base/parallel.h"
#include "voxel/brick_map.h"
#include "voxel/cell_walk.h"

namespace isochor::voxel {
namespace {

constexpr std::size_t kTrianglesPerWalk = 1024;
constexpr std::size_t kBricksAtOnce = 64;

struct BrickTriangle {
  std::uint32_t brick;
  Index triangle;
};

CellWalk walk(const LatticeSurface& surface, Index triangle) {
  const LatticeTriangle& t = surface.triangles[triangle];
  return CellWalk({&surface.point(t, 0), &surface.point(t, 1), &surface.point(t, 2)});
}

/// All pairs of a triangle and a brick that it touches, chunk by chunk.
std::vector<std::vector<BrickTriangle>> find_pairs(const LatticeSurface& surface, const Context& context) {
  const BrickCodes codes(surface.grid.resolution / 8);
  const CellSize brick_size(surface.voxel_bits + 3);
  const CellRange all = {0, surface.grid.resolution / 8 - 1};
  const std::size_t n = surface.triangles.size();
  std::vector<std::vector<BrickTriangle>> pairs((n + kTrianglesPerWalk - 1) / kTrianglesPerWalk);
  parallel_for(context, n, kTrianglesPerWalk, [&](Range range) {
    std::vector<BrickTriangle>& out = pairs[range.begin / kTrianglesPerWalk];
    out.reserve(2 * (range.end - range.begin));
    for (std::size_t t = range.begin; t < range.end; ++t) {
      const auto index = static_cast<Index>(t);
      walk(surface, index).visit(brick_size, {all, all, all}, [&](auto at, int axis, CellRange cells) {
        for (at[axis] = cells.lo; at[axis] <= cells.hi; ++at[axis]) out.push_back({codes(at), index});
      });
    }
  });
  return pairs;
}

/// Marks the voxels of one brick that a triangle touches.
void mark(const CellWalk& triangle, const CellSize& voxel_size, const Voxel& brick, BrickBits& bits) {
  std::array<CellRange, 3> clip;
  for (int a = 0; a < 3; ++a) {
    const auto first = static_cast<std::int32_t>(8 * brick[a]);
    clip[a] = {first, first + 7};
  }
  triangle.visit(voxel_size, clip, [&](auto at, int axis, CellRange cells) {
    at[axis] = 0;
    const std::uint32_t base = local_code(at);
    for (std::int32_t k = cells.lo; k <= cells.hi; ++k) {
      const std::uint32_t code = base | (kSpread3[k & 7] << axis);
      bits[code >> 6] |= std::uint64_t{1} << (code & 63);
    }
  });
}

}  // namespace

BoundaryMarks mark_boundary(const LatticeSurface& surface, const Context& context) {
  const auto pairs = find_pairs(surface, context);
  const auto bricks_along = static_cast<std::size_t>(surface.grid.resolution / 8);
  std::vector<std::uint32_t> begin(bricks_along * bricks_along * bricks_along + 1, 0);
  for (const auto& chunk : pairs) {
    for (const BrickTriangle& pair : chunk) ++begin[pair.brick + 1];
  }
  std::vector<Brick> bricks;
  for (std::size_t b = 1; b < begin.size(); ++b) {
    if (begin[b] != 0) bricks.push_back({.code = static_cast<std::uint32_t>(b - 1)});
    begin[b] += begin[b - 1];
  }
  std::vector<Index> triangles(begin.back());
  for (const auto& chunk : pairs) {
    for (const BrickTriangle& pair : chunk) triangles[begin[pair.brick]++] = pair.triangle;
  }
  const CellSize voxel_size(surface.voxel_bits);
  // Now begin[b] is where brick b's triangles end, and so where those of b + 1 begin.
  parallel_for(context, bricks.size(), kBricksAtOnce, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      Brick& brick = bricks[i];
      const Voxel place = morton_decode(brick.code);
      for (std::uint32_t t = brick.code == 0 ? 0 : begin[brick.code - 1]; t < begin[brick.code]; ++t) {
        mark(walk(surface, triangles[t]), voxel_size, place, brick.boundary);
      }
    }
  });
  const std::size_t pair_bytes = triangles.size() * (sizeof(BrickTriangle) + sizeof(Index));
  const std::size_t peak = bricks.size() * sizeof(Brick) + begin.size() * sizeof(std::uint32_t) + pair_bytes;
  return {std::move(bricks), peak};
}

}  // namespace isochor::voxel
