#include "isochor/voxel/octree.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "isochor/base/parallel.h"

namespace isochor {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// 512 bits from Morton codes within a brick.
void set_bit(BrickBits& bits, std::uint32_t i) { bits[i >> 6] |= std::uint64_t{1} << (i & 63); }

/// In every byte: 0xff where all its bits are set, else 0.
std::uint64_t full_bytes(std::uint64_t word) {
  constexpr std::uint64_t kLow = 0x0101010101010101u;
  word &= word >> 4;
  word &= word >> 2;
  word &= word >> 1;
  return (word & kLow) * 0xff;
}

/// Where the cells of 4³ voxels begin: a cell of them all, cells of 2³, single voxels.
std::uint64_t first_voxels(std::uint64_t solid, std::uint64_t mergeable) {
  if (mergeable == kAll) return 1;
  constexpr std::uint64_t kLow = 0x0101010101010101u;
  const std::uint64_t pairs = full_bytes(mergeable);
  return (solid & ~pairs) | (pairs & kLow);
}

bool is_empty(const Brick& brick) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < 8; ++w) any |= brick.boundary[w] | brick.interior[w];
  return any == 0;
}

}  // namespace

class OctreeBuilder {
 public:
  OctreeBuilder(const VoxelSolid& solid, std::span<const std::uint32_t> bone_voxels, CellSizes sizes)
      : solid_(solid), bones_(bone_voxels.begin(), bone_voxels.end()), sizes_(sizes) {
    std::sort(bones_.begin(), bones_.end());
    bones_.erase(std::unique(bones_.begin(), bones_.end()), bones_.end());
  }

  Octree build(const Context& context) {
    octree_.grid_ = solid_.grid;
    sort_bricks(context);
    merge_whole_bricks();
    number_cells();
    write_cells(context);
    write_pages();
    return std::move(octree_);
  }

 private:
  /// A brick that holds solid voxels, or the lowest brick of a cell of whole bricks.
  struct Item {
    std::uint32_t brick = 0;
    std::int32_t mixed = -1;  ///< its place in solid_.bricks; -1: wholly interior
    bool block = false;       ///< holds several cells
    std::uint8_t level = 3;   ///< of the cell, where it is not a block
    std::uint32_t first_cell = 0;
    std::uint32_t block_index = 0;
  };

  /// The bone voxels of a brick, as bits.
  BrickBits bone_bits(std::uint32_t brick) const {
    BrickBits bits = {};
    for (auto it = std::lower_bound(bones_.begin(), bones_.end(), brick << 9); it != bones_.end() && *it >> 9 == brick;
         ++it) {
      set_bit(bits, *it & 511);
    }
    return bits;
  }

  /// All bricks in Morton order, and which of them are divided.
  void sort_bricks(const Context& context) {
    const auto& mixed = solid_.bricks;
    const auto& whole = solid_.interior_bricks;
    items_.reserve(mixed.size() + whole.size());
    std::size_t w = 0;
    for (std::size_t m = 0; m < mixed.size(); ++m) {
      for (; w < whole.size() && whole[w] < mixed[m].code; ++w) items_.push_back({.brick = whole[w]});
      if (!is_empty(mixed[m])) items_.push_back({.brick = mixed[m].code, .mixed = static_cast<std::int32_t>(m)});
    }
    for (; w < whole.size(); ++w) items_.push_back({.brick = whole[w]});
    parallel_for(context, items_.size(), 1024, [&](Range range) {
      for (std::size_t i = range.begin; i < range.end; ++i) items_[i].block = is_divided(items_[i]);
    });
  }

  bool is_divided(const Item& item) const {
    if (sizes_ == CellSizes::uniform) return true;
    if (item.mixed >= 0) {
      const BrickBits& interior = solid_.bricks[static_cast<std::size_t>(item.mixed)].interior;
      if (std::any_of(interior.begin(), interior.end(), [](std::uint64_t word) { return word != kAll; })) return true;
    }
    const auto bone = std::lower_bound(bones_.begin(), bones_.end(), item.brick << 9);
    return bone != bones_.end() && *bone >> 9 == item.brick;
  }

  /// Whole bricks that fill a larger cell become that cell: in Morton order they are a run that starts at a multiple of
  /// the run's length.
  void merge_whole_bricks() {
    std::size_t out = 0;
    for (std::size_t i = 0; i < items_.size();) {
      Item item = items_[i];
      std::size_t run = 1;
      if (!item.block) {
        for (int level = Octree::kMaxLevel; level > 3; --level) {
          const std::size_t n = std::size_t{1} << (3 * (level - 3));
          if (item.brick % n == 0 && is_whole_run(i, n)) {
            item.level = static_cast<std::uint8_t>(level);
            run = n;
            break;
          }
        }
      }
      items_[out++] = item;
      i += run;
    }
    items_.resize(out);
  }

  bool is_whole_run(std::size_t begin, std::size_t n) const {
    if (begin + n > items_.size() || items_[begin + n - 1].brick != items_[begin].brick + n - 1) return false;
    return std::none_of(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                        items_.begin() + static_cast<std::ptrdiff_t>(begin + n), [](const Item& i) { return i.block; });
  }

  Octree::Block make_block(const Item& item) const {
    Octree::Block block;
    BrickBits interior;
    interior.fill(kAll);
    block.solid = interior;
    if (item.mixed >= 0) {
      const Brick& brick = solid_.bricks[static_cast<std::size_t>(item.mixed)];
      interior = brick.interior;
      for (std::size_t w = 0; w < 8; ++w) block.solid[w] = brick.interior[w] | brick.boundary[w];
    }
    if (sizes_ == CellSizes::uniform) {
      block.first = block.solid;
    } else {
      const BrickBits bones = bone_bits(item.brick);
      for (std::size_t w = 0; w < 8; ++w) block.first[w] = first_voxels(block.solid[w], interior[w] & ~bones[w]);
    }
    std::size_t n = 0;
    for (std::size_t w = 0; w < 8; ++w) {
      block.before[w] = static_cast<std::uint16_t>(n);
      n += static_cast<std::size_t>(std::popcount(block.first[w]));
    }
    return block;
  }

  void number_cells() {
    std::uint32_t cells = 0;
    for (Item& item : items_) {
      item.first_cell = cells;
      if (!item.block) {
        ++cells;
        continue;
      }
      Octree::Block block = make_block(item);
      block.base = cells;
      item.block_index = static_cast<std::uint32_t>(octree_.blocks_.size());
      octree_.blocks_.push_back(block);
      cells += block.before[7] + static_cast<std::uint32_t>(std::popcount(block.first[7]));
    }
    octree_.cells_.resize(cells);
  }

  void write_cells(const Context& context) {
    parallel_for(context, items_.size(), 256, [&](Range range) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const Item& item = items_[i];
        if (item.block) {
          write_block(item);
        } else {
          octree_.cells_[item.first_cell] = {.code = item.brick << 9, .level = item.level};
        }
      }
    });
  }

  /// A cell reaches from its first voxel to the next one's: in a word that is one cell, 64 voxels; in a byte that is
  /// one cell, 8.
  void write_block(const Item& item) {
    const Octree::Block& block = octree_.blocks_[item.block_index];
    OctreeCell* out = octree_.cells_.data() + block.base;
    for (std::uint32_t w = 0; w < 8; ++w) {
      const std::uint64_t boundary =
          item.mixed >= 0 ? solid_.bricks[static_cast<std::size_t>(item.mixed)].boundary[w] : 0;
      for (std::uint64_t rest = block.first[w]; rest != 0; rest &= rest - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t code = item.brick << 9 | w << 6 | bit;
        const auto kind = (boundary >> bit & 1) != 0 ? CellKind::boundary : CellKind::interior;
        *out++ = {.code = code, .level = level_in_word(block, w, bit), .kind = kind};
      }
    }
  }

  static std::uint8_t level_in_word(const Octree::Block& block, std::uint32_t w, std::uint32_t bit) {
    if (block.first[w] == 1 && block.solid[w] == kAll) return 2;
    const auto first = static_cast<std::uint8_t>(block.first[w] >> (bit & 56));
    const auto solid = static_cast<std::uint8_t>(block.solid[w] >> (bit & 56));
    return first == 1 && solid == 0xff ? 1 : 0;
  }

  void write_pages() {
    const auto r = static_cast<std::size_t>(solid_.grid.resolution);
    const std::size_t pages = std::max<std::size_t>(1, r * r * r >> 18);
    octree_.page_of_.assign(pages, Octree::kNoEntry);
    for (const Item& item : items_) {
      if (!item.block && item.level >= 6) {
        const std::size_t n = std::size_t{1} << (3 * (item.level - 6));
        std::fill_n(octree_.page_of_.begin() + (item.brick >> 9), n, Octree::kWholeCell | item.first_cell);
        continue;
      }
      std::uint32_t& page = octree_.page_of_[item.brick >> 9];
      if (page == Octree::kNoEntry) {
        page = static_cast<std::uint32_t>(octree_.entries_.size());
        octree_.entries_.resize(octree_.entries_.size() + 512, Octree::kNoEntry);
      }
      const std::size_t n = item.block ? 1 : std::size_t{1} << (3 * (item.level - 3));
      std::fill_n(octree_.entries_.begin() + page + (item.brick & 511), n,
                  item.block ? item.block_index : Octree::kWholeCell | item.first_cell);
    }
  }

  const VoxelSolid& solid_;
  std::vector<std::uint32_t> bones_;
  CellSizes sizes_;
  std::vector<Item> items_;
  Octree octree_;
};

std::uint32_t Octree::brick_entry(std::uint32_t brick_code) const {
  const std::uint32_t page = page_of_[brick_code >> 9];
  return (page & kWholeCell) != 0 ? page : entries_[page + (brick_code & 511)];
}

Index Octree::find(std::uint32_t code) const {
  const std::uint32_t entry = brick_entry(code >> 9);
  if (entry == kNoEntry) return kNone;
  if ((entry & kWholeCell) != 0) return static_cast<Index>(entry & ~kWholeCell);
  const Block& block = blocks_[entry];
  const std::uint32_t w = (code >> 6) & 7;
  const std::uint32_t bit = code & 63;
  if ((block.solid[w] >> bit & 1) == 0) return kNone;
  const std::uint64_t up_to = block.first[w] & (kAll >> (63 - bit));
  return static_cast<Index>(block.base + block.before[w] + static_cast<std::uint32_t>(std::popcount(up_to)) - 1);
}

Vec3 Octree::centre(Index cell) const {
  const OctreeCell& c = cells_[static_cast<std::size_t>(cell)];
  const Voxel low = morton_decode(c.code);
  return Vec3(low[0], low[1], low[2]) + Vec3::Constant(0.5 * (1 << c.level));
}

void Octree::neighbours(Index cell, std::vector<Index>& out) const {
  out.clear();
  const OctreeCell& c = cells_[static_cast<std::size_t>(cell)];
  const Voxel low = morton_decode(c.code);
  const std::uint32_t edge = 1u << c.level;
  Voxel begin = {};
  Voxel end = {};
  for (std::size_t a = 0; a < 3; ++a) {
    begin[a] = low[a] > 0 ? low[a] - 1 : 0;
    end[a] = std::min(low[a] + edge + 1, static_cast<std::uint32_t>(grid_.resolution));
  }
  const auto inside = [&](std::size_t a, std::uint32_t x) { return x >= low[a] && x < low[a] + edge; };
  for (std::uint32_t z = begin[2]; z < end[2]; ++z) {
    for (std::uint32_t y = begin[1]; y < end[1]; ++y) {
      const bool through = inside(1, y) && inside(2, z);
      for (std::uint32_t x = begin[0]; x < end[0]; ++x) {
        if (through && x == low[0]) x += edge;
        if (x >= end[0]) break;
        const Index found = find(Voxel{x, y, z});
        if (found != kNone && (out.empty() || out.back() != found)) out.push_back(found);
      }
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

std::size_t Octree::memory() const {
  return cells_.capacity() * sizeof(OctreeCell) + blocks_.capacity() * sizeof(Block) +
         (page_of_.capacity() + entries_.capacity()) * sizeof(std::uint32_t);
}

Octree build_octree(const VoxelSolid& solid, std::span<const std::uint32_t> bone_voxels, CellSizes sizes,
                    Context& context) {
  return OctreeBuilder(solid, bone_voxels, sizes).build(context);
}

}  // namespace isochor
