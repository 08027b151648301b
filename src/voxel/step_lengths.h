#pragma once

/// Lengths of steps in whole units, and which steps need not be taken.

#include <array>
#include <cstdint>
#include <vector>

#include "isochor/voxel/octree.h"
#include "voxel/cell_neighbours.h"

namespace isochor {

class StepLengths {
 public:
  static constexpr std::uint32_t kVoxel = 1024;
  /// How a label came to its cell, in six bits: 1 … 27 by a step between voxels in the directions 0 … 26; from
  /// kFromLarge on, by a step from a larger cell to a voxel, by its side; kNoDirection for all others, and seeds.
  static constexpr std::uint32_t kNoDirection = 28;
  static constexpr std::uint32_t kFromLarge = 32;

  StepLengths(double penalty, std::uint32_t longest);

  /// Of a step to a neighbouring voxel; `boundary` is 1 where that is boundary, else 0.
  std::uint32_t near(std::uint32_t direction, std::uint32_t boundary) const { return near_[32 * boundary + direction]; }
  /// By the squared distance of the centres in half voxels.
  std::uint32_t far(std::uint32_t squared, CellKind kind) const {
    return kind == CellKind::boundary ? far_boundary_[squared] : far_interior_[squared];
  }

  /// Directions worth going from a voxel that was reached from a cell p, by how it was reached. A neighbour that p
  /// touches too, and reaches by a step no longer than the way by this voxel, has been served by p. By the triangle
  /// inequality that is always so, but for the penalty.
  const CellNeighbours::Masks& kept(CellKind kind, std::uint32_t way) const {
    return kept_[static_cast<std::size_t>(kind)][way];
  }
  /// The same for larger cells beside the voxel, which are never boundary: one bit a side.
  std::uint32_t kept_large(std::uint32_t way) const { return kept_large_[way]; }

  /// From here on a step might pass what 31 bits hold: labels end there.
  std::uint32_t limit() const { return limit_; }

 private:
  void keep_after_voxel(std::uint32_t last);
  void keep_after_large(std::uint32_t side);

  std::uint32_t limit_ = 0;

  std::array<std::uint32_t, 64> near_ = {};
  std::vector<std::uint32_t> far_interior_;
  std::vector<std::uint32_t> far_boundary_;
  std::array<std::array<CellNeighbours::Masks, 64>, 2> kept_ = {};
  std::array<std::uint32_t, 64> kept_large_ = {};
};

}  // namespace isochor
