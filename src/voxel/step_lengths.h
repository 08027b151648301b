#pragma once

/// Lengths of steps in whole units, and which steps need not be taken.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isochor/voxel/octree.h"
#include "voxel/cell_neighbours.h"

namespace isochor {

class StepLengths {
 public:
  static constexpr std::uint32_t kVoxel = 1024;
  /// How a label came to its cell, in six bits: 1 … 27 by a step between voxels in the directions 0 … 26; from
  /// kFromLarge on, by a step from a cell larger than a voxel to one that is not larger than that, by its side;
  /// kNoDirection for all others, and seeds.
  static constexpr std::uint32_t kNoDirection = 28;
  static constexpr std::uint32_t kFromLarge = 32;

  StepLengths(double penalty, std::uint32_t longest);

  /// Of a step to a neighbouring voxel; `boundary` is 1 where that is boundary, else 0.
  std::uint32_t near(std::uint32_t direction, std::uint32_t boundary) const { return near_[32 * boundary + direction]; }
  /// By the squared distance of the centres in half voxels.
  std::uint32_t far(std::uint32_t squared, CellKind kind) const {
    return kind == CellKind::boundary ? far_boundary_[squared] : far_interior_[squared];
  }

  /// Directions worth going from a voxel with these neighbours that was reached from a cell p, by how it was reached.
  /// Left out is what p serves without this voxel:
  ///   - a neighbour that p touches too, and reaches by a step no longer than the way by this voxel. By the triangle
  ///     inequality that is always so, but for the penalty;
  ///   - a neighbour to which p has another way of two steps, by a cell m beside this voxel, that is shorter; or as
  ///   long,
  ///     where m is nearer to p, or as near and the step from m comes first among the directions.
  /// Of all shortest ways to a cell one is always gone: the last but one cell that is nearest to the source, and of
  /// those that are as near the one with the first direction, is left out for none of these reasons. In the open, one
  /// direction is left after a step over a corner, three after one over an edge, nine after one over a face.
  std::uint32_t worth_going(const CellNeighbours::Masks& around, std::uint32_t way) const {
    const std::size_t kind = static_cast<std::size_t>(around.kind());
    const CellNeighbours::Masks& kept = kept_[kind][way];
    CellNeighbours::Masks left = {around.interior & kept.interior, around.boundary & kept.boundary};
    if (way >= kNoDirection) return left.interior | left.boundary;
    const Detours& detours = detours_[kind][way];
    const auto leave_out = [&](const CellNeighbours::Masks& served) {
      left.interior &= ~served.interior;
      left.boundary &= ~served.boundary;
    };
    for (std::uint32_t by = around.interior & detours.useful.interior; by != 0; by &= by - 1) {
      leave_out(detours.by_interior[static_cast<std::size_t>(std::countr_zero(by))]);
    }
    for (std::uint32_t by = around.boundary & detours.useful.boundary; by != 0; by &= by - 1) {
      leave_out(detours.by_boundary[static_cast<std::size_t>(std::countr_zero(by))]);
    }
    return left.interior | left.boundary;
  }
  /// The same for neighbours that are not smaller than the cell, and not a voxel like it: one bit a side.
  std::uint32_t kept_large(std::uint32_t way) const { return kept_large_[way]; }

  /// Of the interior voxels about a boundary voxel, those that it must take labels from: another has a way to it, by
  /// one of these, that is no longer than its own step.
  std::uint32_t worth_taking(std::uint32_t interior) const {
    constexpr std::uint32_t kFaces = 1u << 4 | 1u << 10 | 1u << 12 | 1u << 14 | 1u << 16 | 1u << 22;
    std::uint32_t left = interior;
    for (std::uint32_t by = interior & kFaces; by != 0; by &= by - 1) {
      left &= ~served_[static_cast<std::size_t>(std::countr_zero(by))];
    }
    for (std::uint32_t by = left & ~kFaces; by != 0; by &= by - 1) {
      left &= ~served_[static_cast<std::size_t>(std::countr_zero(by))];
    }
    return left;
  }

  /// From here on a step might pass what 31 bits hold: labels end there.
  std::uint32_t limit() const { return limit_; }

 private:
  void keep_after_voxel(std::uint32_t last);
  void keep_after_large(std::uint32_t side);
  void find_detours(std::uint32_t last);
  void choose_detours(std::uint32_t last);
  void find_served(std::uint32_t by);

  /// What the cell that a voxel was reached from serves by way of another neighbour of that voxel.
  struct Detours {
    CellNeighbours::Masks useful;  ///< neighbours that are asked
    std::array<CellNeighbours::Masks, kDirections> by_interior = {}, by_boundary = {};
  };

  std::uint32_t limit_ = 0;

  std::array<std::uint32_t, 64> near_ = {};
  std::vector<std::uint32_t> far_interior_;
  std::vector<std::uint32_t> far_boundary_;
  std::array<std::array<CellNeighbours::Masks, 64>, 2> kept_ = {};
  std::array<std::array<Detours, kNoDirection>, 2> detours_ = {};
  std::array<std::uint32_t, 64> kept_large_ = {};
  std::array<std::uint32_t, kDirections> served_ = {};  ///< by an interior voxel beside a boundary voxel: others
};

}  // namespace isochor
