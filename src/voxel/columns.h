#pragma once

/// Where columns of voxels cross the surface, and what each column says of its voxels (Dionne 2014, section 5.1: the
/// rendered slices of one axis are one sorted list of hits a column).
///
/// Columns are bundled in tiles of 8 × 8: a tile is a row of bricks. The column of voxels (u, v) of axis a runs through
/// the voxels' middles; u = a + 1, v = a + 2, modulo 3.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "voxel/lattice.h"

namespace isochor::voxel {

/// Sorted by column, then height, then side: (column in its tile << 32) | (height << 1) | side; side is 1 where the
/// surface looks along +a. The height is in lattice units.
using Hit = std::uint64_t;

struct ColumnHits {
  std::array<std::vector<Hit>, 3> hits;
  std::array<std::vector<std::uint32_t>, 3> tile_begin;  ///< (r / 8)² + 1 places into hits; tile = u/8 + (r/8) (v/8)

  std::size_t size() const { return hits[0].size() + hits[1].size() + hits[2].size(); }
};

/// Hits along the given axes; those of other axes stay empty. Every shared edge is crossed exactly once: in a closed
/// surface every column goes in as often as it goes out.
ColumnHits find_hits(const LatticeSurface& surface, std::span<const int> axes, const Context& context);

/// How many more times a ray from the voxel's middle along -x sees the back of the surface than its front: the winding
/// number there, if the surface is closed. Needs the hits along x.
int count_along_x(const ColumnHits& hits, const LatticeSurface& surface, const Voxel& voxel);

/// How a voxel is judged by the hits of its column in one direction.
enum class RayRule : std::uint8_t {
  nearest,  ///< inside where the first hit shows its back (eq. 5)
  count,    ///< inside where hits that show their back outnumber those that show their front
};

/// What the two directions of an axis say of the voxels of a tile, as bits: word w of column c holds voxels 64 w …
struct TileRows {
  static constexpr std::size_t kWords = 16;  ///< 1024 voxels
  std::array<std::array<std::uint64_t, kWords>, 64> plus, minus;
};

/// Fills the words of `rows` that the resolution needs. `hits` are one tile's.
void judge_tile(std::span<const Hit> hits, const LatticeSurface& surface, RayRule rule, TileRows& rows);

}  // namespace isochor::voxel
