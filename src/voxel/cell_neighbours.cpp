#include "voxel/cell_neighbours.h"

#include <algorithm>
#include <bit>

#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "voxel/step_writer.h"

namespace isochor {
namespace {

/// Blocks handled by one task.
constexpr std::size_t kChunk = 64;

/// Place in a brick by x + 8 y + 64 z, from the Morton code.
std::array<std::uint16_t, 512> linear_of_morton() {
  std::array<std::uint16_t, 512> table = {};
  for (std::uint32_t m = 0; m < 512; ++m) {
    const Voxel v = morton_decode(m);
    table[m] = static_cast<std::uint16_t>(v[0] + 8 * v[1] + 64 * v[2]);
  }
  return table;
}

/// A voxel in no cell.
constexpr std::uint16_t kExterior = 0xffff;

using Place3 = StepWriter::Place;

Place3 place_of(std::uint32_t code) {
  const Voxel v = morton_decode(code);
  return {static_cast<std::int32_t>(v[0]), static_cast<std::int32_t>(v[1]), static_cast<std::int32_t>(v[2])};
}

std::uint32_t code_of(const Place3& p) {
  return morton_encode(
      {static_cast<std::uint32_t>(p[0]), static_cast<std::uint32_t>(p[1]), static_cast<std::uint32_t>(p[2])});
}

/// Directions in which a voxel may have the lowest touching voxel of a larger cell, by the parity of its coordinates:
/// larger cells begin at even ones.
std::array<std::uint32_t, 8> lowest_directions() {
  std::array<std::uint32_t, 8> masks = {};
  for (std::uint32_t parity = 0; parity < 8; ++parity) {
    for (std::uint32_t d = 0; d < kDirections; ++d) {
      const std::array<std::uint32_t, 3> step = {d % 3, d / 3 % 3, d / 9};  // 0: below, 1: beside, 2: above
      bool lowest = true;
      for (std::uint32_t a = 0; a < 3; ++a) lowest = lowest && (step[a] == 0 || step[a] == 1 + (parity >> a & 1));
      masks[parity] |= lowest ? 1u << d : 0;
    }
  }
  return masks;
}

std::uint32_t cell_count(const BrickBits& first) {
  std::uint32_t n = 0;
  for (const std::uint64_t word : first) n += static_cast<std::uint32_t>(std::popcount(word));
  return n;
}

}  // namespace

/// A block's voxels as 8 × 8 bytes along x.
struct CellNeighbours::Rows {
  std::array<std::uint8_t, 64> interior = {};  ///< cells of one voxel
  std::array<std::uint8_t, 64> boundary = {};
  std::array<std::uint8_t, 64> large = {};  ///< in cells of more than one voxel

  static Rows whole() {
    Rows rows;
    rows.large.fill(0xff);
    return rows;
  }
};

/// Bits of a block and one voxel about it, 10 × 10 rows of 10 bits; and for every voxel of the block the nine bits
/// about it in its own plane, so that three of these make the 27 about it.
class CellNeighbours::Neighbourhood {
 public:
  std::uint16_t& row(std::uint32_t yz) { return rows_[yz]; }
  bool at(std::uint32_t x, std::uint32_t yz) const { return (rows_[yz] >> x & 1) != 0; }

  void make_planes() {
    for (std::size_t z = 0; z < 10; ++z) {
      for (std::size_t y = 0; y < 8; ++y) {
        const std::uint16_t* three = rows_.data() + 10 * z + y;
        for (std::size_t x = 0; x < 8; ++x) {
          planes_[64 * z + 8 * y + x] =
              static_cast<std::uint16_t>((three[0] >> x & 7) | (three[1] >> x & 7) << 3 | (three[2] >> x & 7) << 6);
        }
      }
    }
  }
  /// About the voxel x + 8 y + 64 z.
  std::uint32_t about(std::uint32_t voxel) const {
    return planes_[voxel] | std::uint32_t{planes_[voxel + 64]} << 9 | std::uint32_t{planes_[voxel + 128]} << 18;
  }

 private:
  std::array<std::uint16_t, 100> rows_ = {};
  std::array<std::uint16_t, 640> planes_ = {};
};

/// Tables that do not depend on any solid.
struct CellNeighbours::Tables {
  /// A voxel that touches a cube from outside.
  struct ShellVoxel {
    Place3 offset;          ///< from the cube's lowest voxel
    std::uint32_t x;        ///< and from the voxel below that: in its row,
    std::uint32_t yz;       ///< and its row, of rows in tens
    std::uint16_t squared;  ///< squared distance of the centres, in half voxels
    std::uint32_t side;
  };

  std::array<std::uint32_t, 8> lowest = lowest_directions();
  std::array<std::uint16_t, 512> linear = linear_of_morton();
  std::array<std::vector<ShellVoxel>, 3> shells = {shell_of(1), shell_of(2), shell_of(4)};

 private:
  static std::vector<ShellVoxel> shell_of(std::int32_t edge) {
    std::vector<ShellVoxel> shell;
    const auto side = [&](std::int32_t x) { return x < 0 ? 0u : x < edge ? 1u : 2u; };
    for (std::int32_t z = -1; z <= edge; ++z) {
      for (std::int32_t y = -1; y <= edge; ++y) {
        for (std::int32_t x = -1; x <= edge; ++x) {
          const std::uint32_t s = side(x) + 3 * side(y) + 9 * side(z);
          if (s == 13) continue;
          std::int32_t squared = 0;
          for (const std::int32_t c : {x, y, z}) squared += (2 * c + 1 - edge) * (2 * c + 1 - edge);
          shell.push_back({{x, y, z},
                           static_cast<std::uint32_t>(x + 1),
                           static_cast<std::uint32_t>(y + 1 + 10 * (z + 1)),
                           static_cast<std::uint16_t>(squared),
                           s});
        }
      }
    }
    return shell;
  }
};

const CellNeighbours::Tables& CellNeighbours::tables() {
  static const Tables kTables;
  return kTables;
}

CellNeighbours::CellNeighbours(const Octree& octree, const Context& context) {
  make_halo();
  const std::size_t blocks = octree.blocks_.size();
  around_.resize(blocks * kDirections);
  base_.resize(blocks);
  local_.resize(blocks << 9, kExterior);
  place_.resize(octree.size());
  masks_.resize(octree.size());
  // Behind the blocks: no block, and one that is all one cell.
  std::vector<Rows> rows(blocks + 2);
  rows[blocks + 1] = Rows::whole();
  parallel_for(context, blocks, kChunk, [&](Range range) {
    for (std::size_t b = range.begin; b < range.end; ++b) {
      lay_out_block(octree, b, rows[b]);
      find_around(octree, b);
    }
  });
  make_neighbours(octree, rows, context);
}

void CellNeighbours::make_halo() {
  for (int d = 0; d < kDirections; ++d) {
    const int offset = (d % 3 - 1) + 10 * (d / 3 % 3 - 1) + 100 * (d / 9 - 1);
    halo_offset_[static_cast<std::size_t>(d)] = offset;
  }
  const auto brick = [](std::uint32_t i) { return i == 0 ? 0u : i == 9 ? 2u : 1u; };
  const auto voxel = [](std::uint32_t i) { return (i + 7) & 7; };
  for (std::uint32_t z = 0; z < 10; ++z) {
    for (std::uint32_t y = 0; y < 10; ++y) {
      for (std::uint32_t x = 0; x < 10; ++x) {
        halo_[x + 10 * y + 100 * z] = static_cast<std::uint16_t>((brick(x) + 3 * brick(y) + 9 * brick(z)) << 9 |
                                                                 (voxel(x) + 8 * voxel(y) + 64 * voxel(z)));
      }
    }
  }
}

void CellNeighbours::lay_out_block(const Octree& octree, std::size_t block, Rows& rows) {
  const std::array<std::uint16_t, 512>& linear = tables().linear;
  const Octree::Block& source = octree.blocks_[block];
  std::uint16_t* local = local_.data() + (block << 9);
  base_[block] = source.base;
  std::uint32_t next = source.base;
  for (std::uint32_t m = 0; m < 512; ++m) {
    next += static_cast<std::uint32_t>(source.first[m >> 6] >> (m & 63) & 1);
    if ((source.solid[m >> 6] >> (m & 63) & 1) == 0) continue;
    const std::uint32_t cell = next - 1;
    const std::uint32_t at = linear[m];
    local[at] = static_cast<std::uint16_t>(cell - source.base);
    const OctreeCell& c = octree.cells_[cell];
    auto& kind = c.level > 0 ? rows.large : c.kind == CellKind::boundary ? rows.boundary : rows.interior;
    kind[at >> 3] |= static_cast<std::uint8_t>(1u << (at & 7));
    const std::uint32_t in_halo = (at & 7) + 10 * (at >> 3 & 7) + 100 * (at >> 6) + 111;
    place_[cell] = static_cast<std::uint32_t>(block) << 10 | in_halo;
  }
}

void CellNeighbours::find_around(const Octree& octree, std::size_t block) {
  const Place3 brick = place_of(octree.cells_[base_[block]].code >> 9);
  const std::int32_t bricks = octree.grid_.resolution >> 3;
  for (int d = 0; d < kDirections; ++d) {
    const Place3 at = {brick[0] + d % 3 - 1, brick[1] + d / 3 % 3 - 1, brick[2] + d / 9 - 1};
    const bool inside = std::all_of(at.begin(), at.end(), [&](std::int32_t x) { return x >= 0 && x < bricks; });
    const std::uint32_t entry = inside ? octree.brick_entry(code_of(at)) : Octree::kNoEntry;
    const std::uint32_t base = (entry & Octree::kWholeCell) != 0 ? 0 : octree.blocks_[entry].base;
    around_[block * kDirections + static_cast<std::size_t>(d)] = {entry, base};
  }
}

/// A block with what lies about it.
class CellNeighbours::BlockVisit {
 public:
  BlockVisit(CellNeighbours& neighbours, const Octree& octree, std::size_t block)
      : neighbours_(neighbours),
        octree_(octree),
        base_(neighbours.base_[block]),
        end_(base_ + cell_count(octree.blocks_[block].first)),
        around_(neighbours.around_.data() + block * kDirections),
        origin_(place_of(octree.cells_[base_].code & ~511u)),
        tables_(tables()) {}

  std::uint32_t end() const { return end_; }

  void gather(const std::vector<Rows>& rows) {
    const std::size_t none = neighbours_.base_.size();
    std::array<const Rows*, kDirections> bricks = {};
    for (std::size_t d = 0; d < kDirections; ++d) {
      const std::uint32_t entry = around_[d].entry;
      bricks[d] = &rows[entry == Octree::kNoEntry ? none : (entry & Octree::kWholeCell) != 0 ? none + 1 : entry];
    }
    for (std::uint32_t yz = 0; yz < 100; ++yz) {
      const std::uint32_t where = neighbours_.halo_[10 * yz];  // the brick at -x, and the voxel in it
      const Rows* const* three = bricks.data() + (where >> 9);
      const std::uint32_t row = (where & 511) >> 3;
      const auto joined = [&](auto kind) {
        return static_cast<std::uint16_t>((three[0]->*kind)[row] >> 7 | (three[1]->*kind)[row] << 1 |
                                          ((three[2]->*kind)[row] & 1) << 9);
      };
      interior_.row(yz) = joined(&Rows::interior);
      boundary_.row(yz) = joined(&Rows::boundary);
      large_.row(yz) = joined(&Rows::large);
    }
    interior_.make_planes();
    boundary_.make_planes();
    large_.make_planes();
  }

  void write(StepWriter& writer) {
    for (std::uint32_t cell = base_; cell < end_; ++cell) {
      const OctreeCell& c = octree_.cells_[cell];
      const std::uint32_t voxel = tables_.linear[c.code & 511];
      const Place3 low = {origin_[0] + static_cast<std::int32_t>(voxel & 7),
                          origin_[1] + static_cast<std::int32_t>(voxel >> 3 & 7),
                          origin_[2] + static_cast<std::int32_t>(voxel >> 6)};
      writer.begin(low, 1 << c.level);
      if (c.level == 0) {
        neighbours_.masks_[cell] = {interior_.about(voxel) & ~kNoStep, boundary_.about(voxel)};
        write_large(voxel, low, writer);
      } else {
        write_shell(c.level, voxel, low, writer);
      }
    }
  }

 private:
  std::uint32_t cell_at(std::uint32_t in_halo) const {
    const std::uint32_t where = neighbours_.halo_[in_halo];
    const auto [entry, base] = around_[where >> 9];
    if ((entry & Octree::kWholeCell) != 0) return entry & ~Octree::kWholeCell;
    return base + neighbours_.local_[std::size_t{entry} << 9 | (where & 511)];
  }
  /// The place in 10³ of the voxel below x + 8 y + 64 z in all axes.
  static std::uint32_t corner(std::uint32_t voxel) { return (voxel & 7) + 10 * (voxel >> 3 & 7) + 100 * (voxel >> 6); }

  /// Large neighbours of a single voxel.
  void write_large(std::uint32_t voxel, const Place3& low, StepWriter& writer) const {
    const std::vector<Tables::ShellVoxel>& shell = tables_.shells[0];
    const std::uint32_t parity = (voxel & 1) | (voxel >> 2 & 2) | (voxel >> 4 & 4);
    for (std::uint32_t rest = large_.about(voxel) & tables_.lowest[parity]; rest != 0; rest &= rest - 1) {
      const auto d = static_cast<std::size_t>(std::countr_zero(rest));
      const Tables::ShellVoxel& v = shell[d - (d > 13 ? 1 : 0)];
      writer.add(cell_at(corner(voxel) + v.x + 10 * v.yz),
                 {low[0] + v.offset[0], low[1] + v.offset[1], low[2] + v.offset[2]});
    }
  }

  /// All neighbours of a cell of 2³ or 4³ voxels.
  void write_shell(std::uint8_t level, std::uint32_t voxel, const Place3& low, StepWriter& writer) const {
    const std::uint32_t first = corner(voxel);
    const std::uint32_t first_x = voxel & 7;
    const std::uint32_t first_yz = first / 10;
    for (const Tables::ShellVoxel& v : tables_.shells[level]) {
      const std::uint32_t x = first_x + v.x;
      const std::uint32_t yz = first_yz + v.yz;
      if (interior_.at(x, yz)) {
        writer.add(Step(cell_at(x + 10 * yz), Step::To::smaller, v.side), v.squared);
      } else if (boundary_.at(x, yz)) {
        writer.add(Step(cell_at(x + 10 * yz), Step::To::boundary, v.side), v.squared);
      } else if (large_.at(x, yz)) {
        writer.add(cell_at(x + 10 * yz), {low[0] + v.offset[0], low[1] + v.offset[1], low[2] + v.offset[2]});
      }
    }
  }

  CellNeighbours& neighbours_;
  const Octree& octree_;
  std::uint32_t base_;
  std::uint32_t end_;
  const Around* around_;
  Place3 origin_;
  const Tables& tables_;
  Neighbourhood interior_;
  Neighbourhood boundary_;
  Neighbourhood large_;
};

void CellNeighbours::make_neighbours(const Octree& octree, const std::vector<Rows>& rows, const Context& context) {
  const std::size_t blocks = base_.size();
  const std::size_t chunks = std::max<std::size_t>(1, (blocks + kChunk - 1) / kChunk);
  std::vector<StepWriter> writers(chunks, StepWriter(octree.cells()));
  // A task takes the cells from its first block to the next task's, with the whole cells between them.
  parallel_for(context, chunks, 1, [&](Range range) {
    const std::size_t chunk = range.begin;
    const std::size_t end_block = std::min(blocks, (chunk + 1) * kChunk);
    const std::size_t end_cell = end_block < blocks ? base_[end_block] : octree.size();
    StepWriter& writer = writers[chunk];
    std::uint32_t cell = chunk == 0 ? 0 : base_[chunk * kChunk];
    for (std::size_t b = chunk * kChunk; b < end_block; ++b) {
      for (; cell < base_[b]; ++cell) visit_whole_cell(octree, cell, writer);
      BlockVisit visit(*this, octree, b);
      visit.gather(rows);
      visit.write(writer);
      cell = visit.end();
    }
    for (; cell < end_cell; ++cell) visit_whole_cell(octree, cell, writer);
  });
  join(writers);
}

void CellNeighbours::visit_whole_cell(const Octree& octree, std::uint32_t cell, StepWriter& writer) const {
  const Place3 low = place_of(octree.cells_[cell].code);
  const std::int32_t edge = 1 << octree.cells_[cell].level;
  writer.begin(low, edge);
  Place3 begin = {};
  Place3 end = {};
  for (std::size_t a = 0; a < 3; ++a) {
    begin[a] = std::max(0, low[a] - 1);
    end[a] = std::min(octree.grid_.resolution, low[a] + edge + 1);
  }
  std::uint32_t entry = Octree::kNoEntry;
  for (std::int32_t z = begin[2]; z < end[2]; ++z) {
    for (std::int32_t y = begin[1]; y < end[1]; ++y) {
      const bool through = z >= low[2] && z < low[2] + edge && y >= low[1] && y < low[1] + edge;
      for (std::int32_t x = begin[0]; x < end[0]; ++x) {
        if (through && x == low[0]) x += edge;
        if (x >= end[0]) break;
        if (x == begin[0] || (x & 7) == 0) entry = octree.brick_entry(code_of({x >> 3, y >> 3, z >> 3}));
        if (entry == Octree::kNoEntry) continue;
        if ((entry & Octree::kWholeCell) != 0) {
          writer.add(entry & ~Octree::kWholeCell, {x, y, z});
          continue;
        }
        const auto voxel = static_cast<std::uint32_t>((x & 7) + 8 * (y & 7) + 64 * (z & 7));
        const std::uint16_t local = local_[std::size_t{entry} << 9 | voxel];
        if (local != kExterior) writer.add(base_[entry] + local, {x, y, z});
      }
    }
  }
}

void CellNeighbours::join(const std::vector<StepWriter>& writers) {
  step_begin_.reserve(place_.size() + 1);
  step_begin_.push_back(0);
  std::size_t total = 0;
  for (const StepWriter& writer : writers) total += writer.steps().size();
  if (total > 0 && place_.size() > Step::kMaxCells) {
    throw_unsupported("the solid has more than 33 million cells; choose a lower resolution");
  }
  steps_.reserve(total);
  squared_.reserve(total);
  for (const StepWriter& writer : writers) {
    for (const std::uint32_t n : writer.counts()) step_begin_.push_back(step_begin_.back() + n);
    steps_.insert(steps_.end(), writer.steps().begin(), writer.steps().end());
    squared_.insert(squared_.end(), writer.squared().begin(), writer.squared().end());
  }
  for (const std::uint16_t d : squared_) longest_ = std::max<std::uint32_t>(longest_, d);
}

std::size_t CellNeighbours::memory() const {
  return (base_.capacity() + place_.capacity() + step_begin_.capacity()) * sizeof(std::uint32_t) +
         around_.capacity() * sizeof(Around) + (local_.capacity() + squared_.capacity()) * sizeof(std::uint16_t) +
         steps_.capacity() * sizeof(Step) + masks_.capacity() * sizeof(Masks);
}

}  // namespace isochor
