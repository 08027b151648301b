#pragma once

/// The neighbours of all cells of an octree, in a form that a sweep can run over quickly and that costs little memory.
///
/// Most cells are single voxels, and most of their neighbours too: those are 26 bits a cell, and the neighbour's index
/// is looked up in tables of 8³ voxels. Steps from or to larger cells are listed one by one.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/voxel/octree.h"

namespace isochor {

/// The 27 offsets of a 3³ neighbourhood, (dx+1) + 3 (dy+1) + 9 (dz+1); 13 is no step at all.
inline constexpr int kDirections = 27;

class StepWriter;

class CellNeighbours {
 public:
  CellNeighbours(const Octree& octree, const Context& context);

  /// Single-voxel neighbours of a single voxel, one bit a direction. None for larger cells.
  struct Masks {
    std::uint32_t interior = 0;
    std::uint32_t boundary = 0;  ///< the bit of no step tells the cell's own kind

    CellKind kind() const { return (boundary & kNoStep) != 0 ? CellKind::boundary : CellKind::interior; }
  };
  static constexpr std::uint32_t kNoStep = 1u << 13;
  const Masks& masks(std::uint32_t cell) const { return masks_[cell]; }

  /// What is asked of a cell when its turn comes.
  void prefetch(std::uint32_t cell) const {
    __builtin_prefetch(masks_.data() + cell);
    __builtin_prefetch(place_.data() + cell);
    __builtin_prefetch(step_begin_.data() + cell);
  }
  void prefetch_steps(std::uint32_t cell) const { __builtin_prefetch(steps_.data() + step_begin_[cell]); }

  /// Calls visit(direction, cell) for the neighbours of a voxel in the directions of a mask, a part of its masks.
  template <class Visit>
  void each_voxel(std::uint32_t cell, std::uint32_t mask, Visit&& visit) const {
    const std::uint32_t place = place_[cell];
    const Around* around = around_.data() + std::size_t{place >> 10} * kDirections;
    const std::uint16_t* halo = halo_.data() + (place & 1023);
    const std::uint16_t* local = local_.data();
    for (; mask != 0; mask &= mask - 1) {
      const auto d = static_cast<std::uint32_t>(std::countr_zero(mask));
      const std::uint32_t where = halo[halo_offset_[d]];
      const Around block = around[where >> 9];
      visit(d, block.base + local[(std::size_t{block.entry} << 9) + (where & 511)]);
    }
  }

  /// A step from or to a cell larger than a voxel.
  class Step {
   public:
    /// What it leads to.
    enum class To : std::uint32_t { smaller, boundary, equal, larger };

    /// `side` is where the neighbour lies, by axis below, beside (the two overlap) or above, as a direction.
    Step(std::uint32_t cell, To to, std::uint32_t side)
        : bits_(cell | side << kSideShift | static_cast<std::uint32_t>(to) << kToShift) {}
    std::uint32_t cell() const { return bits_ & (kMaxCells - 1); }
    std::uint32_t side() const { return bits_ >> kSideShift & 31; }
    To to() const { return static_cast<To>(bits_ >> kToShift); }
    CellKind kind() const { return to() == To::boundary ? CellKind::boundary : CellKind::interior; }

    static constexpr std::uint32_t kMaxCells = 1u << 25;

   private:
    static constexpr int kSideShift = 25;
    static constexpr int kToShift = 30;
    std::uint32_t bits_;
  };
  struct Steps {
    std::span<const Step> steps;
    std::span<const std::uint16_t> squared;  ///< squared distances of the centres, in half voxels
  };
  Steps steps(std::uint32_t cell) const {
    const std::size_t begin = step_begin_[cell];
    const std::size_t n = step_begin_[cell + 1] - begin;
    return {{steps_.data() + begin, n}, {squared_.data() + begin, n}};
  }
  /// The largest squared distance among the steps.
  std::uint32_t longest() const { return longest_; }

  std::size_t memory() const;

 private:
  /// What lies at a brick: an entry of the octree, and where that is a block, its first cell.
  struct Around {
    std::uint32_t entry = 0;
    std::uint32_t base = 0;
  };
  struct Rows;
  struct Tables;
  class Neighbourhood;
  class BlockVisit;

  static const Tables& tables();
  void make_halo();
  void lay_out_block(const Octree& octree, std::size_t block, Rows& rows);
  void find_around(const Octree& octree, std::size_t block);
  void make_neighbours(const Octree& octree, const std::vector<Rows>& rows, const Context& context);
  void visit_whole_cell(const Octree& octree, std::uint32_t cell, StepWriter& writer) const;
  void join(const std::vector<StepWriter>& writers);

  std::array<std::uint16_t, 1000> halo_ = {};  ///< which of 27 blocks << 9 | voxel in it, x + 8 y + 64 z
  std::array<std::ptrdiff_t, kDirections> halo_offset_ = {};
  std::vector<Around> around_;        ///< #blocks × 27
  std::vector<std::uint32_t> base_;   ///< #blocks
  std::vector<std::uint16_t> local_;  ///< #blocks × 512: the cell of each voxel, less the base
  std::vector<std::uint32_t> place_;  ///< #cells: block << 10 | place in 10³
  std::vector<Masks> masks_;
  std::vector<std::uint32_t> step_begin_;
  std::vector<Step> steps_;
  std::vector<std::uint16_t> squared_;
  std::uint32_t longest_ = 0;
};

}  // namespace isochor
