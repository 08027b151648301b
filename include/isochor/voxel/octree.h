#pragma once

/// A solid as cells of many sizes (Dionne 2014, section 5.2): boundary and bone voxels at full depth, elsewhere the
/// largest cells that are wholly interior. Linear: the cells in Morton order, no nodes above them. Memory grows with
/// the surface, as r².

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/voxel/solid.h"

namespace isochor {

enum class CellKind : std::uint8_t { interior, boundary };

struct OctreeCell {
  std::uint32_t code = 0;  ///< Morton code of its lowest voxel
  std::uint8_t level = 0;  ///< its edge is 2^level voxels
  CellKind kind = CellKind::interior;
};

enum class CellSizes {
  sparse,   ///< the largest wholly interior cells
  uniform,  ///< every voxel that is not exterior is a cell: for comparison, its memory grows with r³
};

class Octree {
 public:
  /// Cells of 64 voxels are the largest made: beyond that nothing is gained.
  static constexpr int kMaxLevel = 6;

  Octree() = default;

  const VoxelGrid& grid() const { return grid_; }
  std::size_t size() const { return cells_.size(); }
  std::span<const OctreeCell> cells() const { return cells_; }
  const OctreeCell& cell(Index i) const { return cells_[static_cast<std::size_t>(i)]; }

  /// A cell's centre in units of voxels from the grid's lowest corner (as VoxelGrid::to_grid gives).
  Vec3 centre(Index cell) const;
  /// The cell that holds a voxel, by coordinates or Morton code; kNone for exterior voxels. Constant time.
  Index find(const Voxel& voxel) const { return find(morton_encode(voxel)); }
  Index find(std::uint32_t code) const;
  /// The cells that share a face, an edge or a corner with a cell, of any size, increasing. `out` is overwritten.
  void neighbours(Index cell, std::vector<Index>& out) const;
  /// Bytes held.
  std::size_t memory() const;

 private:
  friend class OctreeBuilder;
  friend class CellNeighbours;

  /// 8 × 8 × 8 voxels that do not lie in one cell. Cells are ranges in Morton order, so the cell of a voxel is found by
  /// counting the first voxels of cells up to it.
  struct Block {
    BrickBits first = {};                      ///< lowest voxels of cells
    BrickBits solid = {};                      ///< not exterior
    std::array<std::uint16_t, 8> before = {};  ///< bits of `first` in earlier words
    std::uint32_t base = 0;                    ///< the block's first cell
  };
  static constexpr std::uint32_t kNoEntry = 0xffffffffu;
  static constexpr std::uint32_t kWholeCell = 0x80000000u;

  /// kNoEntry, a block, or kWholeCell | a cell that covers the whole brick.
  std::uint32_t brick_entry(std::uint32_t brick_code) const;

  VoxelGrid grid_;
  std::vector<OctreeCell> cells_;
  std::vector<Block> blocks_;
  /// Bricks in pages of 8 × 8 × 8; pages that are wholly exterior are not held.
  std::vector<std::uint32_t> page_of_;
  std::vector<std::uint32_t> entries_;
};

/// `bone_voxels` (Morton codes in any order, repeats allowed, such as voxels_of() gives) become cells of their own
/// where they are interior; exterior ones are ignored.
Octree build_octree(const VoxelSolid& solid, std::span<const std::uint32_t> bone_voxels, CellSizes sizes,
                    Context& context);

}  // namespace isochor
