#include "deform/skin_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "deform/joint_motion.h"
#include "isochor/base/error.h"

namespace isochor {
namespace {

using skin_kernels::kBlock;
using skin_kernels::Rows;

constexpr std::size_t kBlocksPerChunk = 512;

struct PaletteWeight {
  std::uint32_t entry = 0;
  double weight = 0;
};
using PaletteRow = std::vector<PaletteWeight>;

double checked_sum(const SkinWeights& weights, std::size_t v) {
  double sum = 0;
  for (const Influence& influence : weights.row(v)) {
    if (!(influence.weight >= 0) || influence.joint < 0) {
      throw_bad_input("vertex " + std::to_string(v) + " has the weight " + std::to_string(influence.weight) +
                          " for joint " + std::to_string(influence.joint) + "; repair the weights before skinning",
                      static_cast<Index>(v));
    }
    sum += influence.weight;
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw_bad_input("vertex " + std::to_string(v) + " follows no joint; bind it before skinning",
                    static_cast<Index>(v));
  }
  return sum;
}

PaletteSource source_of(const Influence& influence, Index strongest_joint, std::size_t v) {
  return {influence.joint, strongest_joint, static_cast<Index>(v)};
}
bool by_joints(const PaletteSource& a, const PaletteSource& b) {
  return a.strongest != b.strongest ? a.strongest < b.strongest : a.joint < b.joint;
}

/// Which joint decides the hemisphere: one and the same for all vertices where it does not matter.
Index pivot_of(std::span<const Influence> row, Deformer deformer) {
  return deformer == Deformer::lbs ? kNone : strongest(row).joint;
}

std::vector<PaletteSource> palette_sources(const SkinWeights& weights, Deformer deformer) {
  std::vector<PaletteSource> sources;
  std::vector<PaletteSource> recent;  // most influences repeat those of the vertices just before
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const Index pivot = pivot_of(weights.row(v), deformer);
    for (const Influence& influence : weights.row(v)) {
      const PaletteSource source = source_of(influence, pivot, v);
      if (influence.weight == 0 || std::find(recent.begin(), recent.end(), source) != recent.end()) continue;
      constexpr std::size_t kRecent = 32;
      if (recent.size() == kRecent) recent.clear();
      recent.push_back(source);
      sources.push_back(source);
    }
  }
  std::stable_sort(sources.begin(), sources.end(), by_joints);  // the first of equal ones has the lowest vertex
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

/// The weights of eight vertices; beyond the last vertex, its own again.
class BlockRows {
 public:
  BlockRows(const SkinWeights& weights, Deformer deformer, std::span<const PaletteSource> palette)
      : weights_(weights), deformer_(deformer), palette_(palette) {}

  void read(std::size_t block) {
    for (int i = 0; i < kBlock; ++i) {
      const std::size_t v = std::min(block * kBlock + i, weights_.vertex_count() - 1);
      read_row(v, rows_[i]);
    }
    entries_.clear();
    longest_ = 0;
    for (const PaletteRow& row : rows_) {
      for (const PaletteWeight& w : row) entries_.push_back(w.entry);
      longest_ = std::max(longest_, row.size());
    }
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  }

  std::span<const PaletteRow> rows() const { return rows_; }
  std::span<const std::uint32_t> entries() const { return entries_; }  ///< of all rows, increasing
  std::size_t longest() const { return longest_; }

 private:
  void read_row(std::size_t v, PaletteRow& out) const {
    const double sum = checked_sum(weights_, v);
    const Index pivot = pivot_of(weights_.row(v), deformer_);
    out.clear();
    for (const Influence& influence : weights_.row(v)) {
      if (influence.weight == 0) continue;
      const auto at = std::lower_bound(palette_.begin(), palette_.end(), source_of(influence, pivot, v), by_joints);
      out.push_back({static_cast<std::uint32_t>(at - palette_.begin()), influence.weight / sum});
    }
  }

  const SkinWeights& weights_;
  Deformer deformer_;
  std::span<const PaletteSource> palette_;
  std::array<PaletteRow, kBlock> rows_;
  std::vector<std::uint32_t> entries_;
  std::size_t longest_ = 0;
};

/// Appends blocks to SkinBlocks, with stored indices in 32 bits.
class BlockWriter {
 public:
  BlockWriter(SkinBlocks& out, Deformer deformer)
      : out_(out),
        unit_(deformer == Deformer::lbs ? skin_kernels::kLbsIndexUnit : skin_kernels::kDqsIndexUnit),
        spare_(deformer == Deformer::lbs ? 2 : 0) {}

  void write(const BlockRows& block) {
    // About where the two forms take the same time: estimated from the cost of a shared joint and of a block of
    // separate rows with four influences.
    const bool shared = block.entries().size() <= 2 * block.longest() + spare_;
    shared ? write_shared(block) : write_separate(block);
  }

 private:
  void write_shared(const BlockRows& block) {
    add_header(block.entries().size(), Rows::shared);
    for (const std::uint32_t entry : block.entries()) {
      out_.joints32.push_back(entry * unit_);
      for (const PaletteRow& row : block.rows()) {
        double weight = 0;
        for (const PaletteWeight& w : row) weight += w.entry == entry ? w.weight : 0;
        out_.weights.push_back(static_cast<float>(weight));
      }
    }
  }

  void write_separate(const BlockRows& block) {
    const std::size_t count = block.longest() <= 2 ? 2 : std::max<std::size_t>(block.longest(), 4);
    add_header(count, Rows::separate);
    for (const PaletteRow& row : block.rows()) {
      for (std::size_t k = 0; k < count; ++k) {
        const PaletteWeight w = k < row.size() ? row[k] : PaletteWeight{row[0].entry, 0};
        out_.joints32.push_back(w.entry * unit_);
        out_.weights.push_back(static_cast<float>(w.weight));
      }
    }
  }

  void add_header(std::size_t count, Rows rows) {
    if (count > std::numeric_limits<std::uint16_t>::max()) {
      throw_unsupported("a vertex follows " + std::to_string(count) + " joints, which is more than 65535");
    }
    out_.headers.push_back({static_cast<std::uint16_t>(count), rows});
  }

  SkinBlocks& out_;
  std::uint32_t unit_;
  std::size_t spare_;
};

void narrow_joints(SkinBlocks& blocks) {
  const auto fits = [](std::uint32_t j) { return j <= std::numeric_limits<std::uint16_t>::max(); };
  if (!std::all_of(blocks.joints32.begin(), blocks.joints32.end(), fits)) return;
  blocks.joints16.assign(blocks.joints32.begin(), blocks.joints32.end());
  blocks.joints32 = {};
}

}  // namespace

SkinBlocks make_skin_blocks(const SkinWeights& weights, Deformer deformer) {
  SkinBlocks blocks;
  blocks.vertex_count = weights.vertex_count();
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) checked_sum(weights, v);
  blocks.palette = palette_sources(weights, deformer);
  const std::size_t block_count = (blocks.vertex_count + kBlock - 1) / kBlock;
  BlockRows rows(weights, deformer, blocks.palette);
  BlockWriter writer(blocks, deformer);
  for (std::size_t b = 0; b < block_count; ++b) {
    const bool partial = (b + 1) * kBlock > blocks.vertex_count;
    if (b % kBlocksPerChunk == 0 || partial) {
      blocks.chunks.push_back({b, 0, blocks.weights.size(), blocks.joints32.size()});
    }
    ++blocks.chunks.back().blocks;
    rows.read(b);
    writer.write(rows);
  }
  narrow_joints(blocks);
  return blocks;
}

}  // namespace isochor
