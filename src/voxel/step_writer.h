#pragma once

/// Collects the steps from and to cells larger than a voxel, cell after cell.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/voxel/octree.h"
#include "voxel/cell_neighbours.h"

namespace isochor {

class StepWriter {
 public:
  using Place = std::array<std::int32_t, 3>;

  explicit StepWriter(std::span<const OctreeCell> cells) : cells_(cells) {}

  /// Begins the next cell: its lowest voxel and its edge.
  void begin(const Place& low, std::int32_t edge) {
    low_ = low;
    edge_ = edge;
    counts_.push_back(0);
  }

  /// Adds the step to a cell, found at a voxel that touches the current cell. A neighbour that touches in many voxels
  /// is added at the lowest of them, which is a corner: two boxes meet in a box.
  void add(std::uint32_t neighbour, const Place& voxel) {
    const OctreeCell& n = cells_[neighbour];
    const std::int32_t edge = 1 << n.level;
    std::int32_t squared = 0;
    std::uint32_t side = 0;
    for (std::size_t a = 3; a-- > 0;) {
      const std::int32_t low = voxel[a] & ~(edge - 1);
      if (voxel[a] != std::max(low, low_[a] - 1)) return;
      const std::int32_t apart = 2 * (low - low_[a]) + edge - edge_;
      squared += apart * apart;
      const int above = static_cast<int>(low >= low_[a] + edge_) - static_cast<int>(low + edge <= low_[a]);
      side = 3 * side + static_cast<std::uint32_t>(1 + above);
    }
    using To = CellNeighbours::Step::To;
    const To to = n.kind == CellKind::boundary ? To::boundary
                  : edge < edge_               ? To::smaller
                  : edge == edge_              ? To::equal
                                               : To::larger;
    add(CellNeighbours::Step(neighbour, to, side), static_cast<std::uint16_t>(squared));
  }
  void add(CellNeighbours::Step step, std::uint16_t squared) {
    steps_.push_back(step);
    squared_.push_back(squared);
    ++counts_.back();
  }

  /// Steps of each cell begun.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  const std::vector<CellNeighbours::Step>& steps() const { return steps_; }
  const std::vector<std::uint16_t>& squared() const { return squared_; }

 private:
  std::span<const OctreeCell> cells_;
  Place low_ = {};
  std::int32_t edge_ = 1;
  std::vector<std::uint32_t> counts_;
  std::vector<CellNeighbours::Step> steps_;
  std::vector<std::uint16_t> squared_;
};

}  // namespace isochor
