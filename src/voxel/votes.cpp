#include "voxel/votes.h"

#include <algorithm>
#include <functional>

#include "isochor/base/parallel.h"
#include "voxel/brick_map.h"

namespace isochor::voxel {
namespace {

constexpr std::size_t kTilesPerVote = 16;

/// A tile of one axis, with the codes of its bricks.
struct Tile {
  int axis;
  std::array<std::uint32_t, 3> brick;  ///< coordinates of its first brick

  std::uint32_t code(const BrickCodes& codes, std::uint32_t along) const {
    auto at = brick;
    at[axis] = along;
    return codes(at);
  }
};

/// Judges the tiles that have hits, axis after axis, so that no two threads ever meet in a brick. Tiles for which
/// wanted(tile) is false are passed over.
void for_each_tile(const ColumnHits& hits, const LatticeSurface& surface, Ballot ballot, const Context& context,
                   const std::function<bool(const Tile&)>& wanted,
                   const std::function<void(const Tile&, const TileRows&)>& use) {
  const auto along = static_cast<std::size_t>(surface.grid.resolution / 8);
  const std::size_t words = (static_cast<std::size_t>(surface.grid.resolution) + 63) / 64;
  const RayRule rule = ballot == Ballot::axes ? RayRule::nearest : RayRule::count;
  for (int axis = 0; axis < 3; ++axis) {
    const auto& begin = hits.tile_begin[axis];
    parallel_for(context, along * along, kTilesPerVote, [&](Range range) {
      TileRows rows;
      for (std::size_t t = range.begin; t < range.end; ++t) {
        if (begin[t] == begin[t + 1]) continue;
        Tile tile = {axis, {}};
        tile.brick[(axis + 1) % 3] = static_cast<std::uint32_t>(t % along);
        tile.brick[(axis + 2) % 3] = static_cast<std::uint32_t>(t / along);
        if (!wanted(tile)) continue;
        judge_tile({hits.hits[axis].data() + begin[t], hits.hits[axis].data() + begin[t + 1]}, surface, rule, rows);
        if (ballot == Ballot::axes) {
          // Eq. 5: one direction that finds the voxel inside is enough.
          for (std::size_t c = 0; c < 64; ++c) {
            for (std::size_t w = 0; w < words; ++w) rows.plus[c][w] |= rows.minus[c][w];
            std::fill_n(rows.minus[c].begin(), words, 0);
          }
        }
        use(tile, rows);
      }
    });
  }
}

/// Four voxels of a column spread to their places in a word, for columns along x; shift by the axis for others.
constexpr std::array<std::uint64_t, 16> kSpreadNibble[3] = {
    {0x0, 0x1, 0x2, 0x3, 0x100, 0x101, 0x102, 0x103, 0x200, 0x201, 0x202, 0x203, 0x300, 0x301, 0x302, 0x303},
    {0x0, 0x1, 0x4, 0x5, 0x10000, 0x10001, 0x10004, 0x10005, 0x40000, 0x40001, 0x40004, 0x40005, 0x50000, 0x50001,
     0x50004, 0x50005},
    {0x0, 0x1, 0x10, 0x11, 0x100000000, 0x100000001, 0x100000010, 0x100000011, 0x1000000000, 0x1000000001, 0x1000000010,
     0x1000000011, 0x1100000000, 0x1100000001, 0x1100000010, 0x1100000011}};

using Rows = std::array<std::array<std::uint64_t, TileRows::kWords>, 64>;

/// The bits of one brick of a tile, from rows along an axis to Morton order.
BrickBits to_morton(const Rows& rows, int axis, std::uint32_t along) {
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  const auto& spread = kSpreadNibble[axis];
  BrickBits bits = {};
  for (std::uint32_t c = 0; c < 64; ++c) {
    const auto row = static_cast<std::uint32_t>(rows[c][along >> 3] >> (8 * (along & 7))) & 0xff;
    if (row == 0) continue;
    const std::uint32_t base = (kSpread3[c & 7] << u) | (kSpread3[c >> 3] << v);
    const std::uint32_t word = base >> 6;
    bits[word] |= spread[row & 15] << (base & 63);
    bits[word | (1u << axis)] |= spread[row >> 4] << (base & 63);
  }
  return bits;
}

void add(const BrickBits& votes, VoteDigits& digits) {
  for (std::size_t w = 0; w < votes.size(); ++w) {
    std::uint64_t carry = votes[w];
    for (BrickBits& digit : digits) {
      const std::uint64_t next = digit[w] & carry;
      digit[w] ^= carry;
      carry = next;
    }
  }
}

}  // namespace

std::vector<std::uint8_t> vote_on_bricks(const ColumnHits& hits, const LatticeSurface& surface, Ballot ballot,
                                         const Context& context) {
  const auto along = static_cast<std::uint32_t>(surface.grid.resolution / 8);
  const BrickCodes codes(surface.grid.resolution / 8);
  std::vector<std::uint8_t> result(static_cast<std::size_t>(along) * along * along, 0);
  const auto use = [&](const Tile& tile, const TileRows& rows) {
    for (std::uint32_t word = 0; word * 8 < along; ++word) {
      for (const Rows* direction : {&rows.plus, &rows.minus}) {
        std::uint64_t any = 0;
        std::uint64_t all = ~any;
        for (const auto& row : *direction) {
          any |= row[word];
          all &= row[word];
        }
        if (any == 0) continue;
        for (std::uint32_t b = 8 * word; b < std::min(8 * word + 8, along); ++b) {
          const std::uint64_t mask = std::uint64_t{0xff} << (8 * (b & 7));
          if ((any & mask) == 0) continue;
          std::uint8_t& brick = result[tile.code(codes, b)];
          if ((all & mask) == mask) {
            ++brick;
          } else {
            brick |= kMixedVotes;
          }
        }
      }
    }
  };
  for_each_tile(
      hits, surface, ballot, context, [](const Tile&) { return true; }, use);
  return result;
}

std::vector<VoteDigits> vote_on_voxels(const ColumnHits& hits, const LatticeSurface& surface, Ballot ballot,
                                       const std::vector<Index>& slot, const Context& context) {
  const auto along = static_cast<std::uint32_t>(surface.grid.resolution / 8);
  const BrickCodes codes(surface.grid.resolution / 8);
  std::vector<VoteDigits> result(
      slot.empty() ? 0 : static_cast<std::size_t>(*std::max_element(slot.begin(), slot.end()) + 1));
  const auto wanted = [&](const Tile& tile) {
    for (std::uint32_t b = 0; b < along; ++b) {
      if (slot[tile.code(codes, b)] != kNone) return true;
    }
    return false;
  };
  for_each_tile(hits, surface, ballot, context, wanted, [&](const Tile& tile, const TileRows& rows) {
    for (std::uint32_t b = 0; b < along; ++b) {
      const Index place = slot[tile.code(codes, b)];
      if (place == kNone) continue;
      add(to_morton(rows.plus, tile.axis, b), result[place]);
      if (ballot == Ballot::directions) add(to_morton(rows.minus, tile.axis, b), result[place]);
    }
  });
  return result;
}

}  // namespace isochor::voxel
