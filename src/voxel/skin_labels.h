#pragma once

/// Labels of the boundary's voxels, which are most of a solid's cells and carry hardly any label on: with the penalty,
/// a way along the skin is nearly always longer than one below it. So a sweep that starts from nothing
///   1. goes through the inside alone,
///   2. lets each boundary voxel take the labels of what it touches inside, cell after cell,
///   3. looks for labels that a boundary voxel would bring to a neighbour after all (in thin parts, from seeds in the
///      skin), and carries those on as any other.
/// At the end no label is left that would improve any cell, so that the result is that of a single sweep.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/parallel.h"
#include "isochor/voxel/geodesic.h"
#include "voxel/cell_neighbours.h"
#include "voxel/label_rows.h"
#include "voxel/step_lengths.h"

namespace isochor {

template <int K>
class SkinLabels {
 public:
  SkinLabels(const CellNeighbours& neighbours, const StepLengths& lengths, LabelRows<K>& rows, std::size_t cells)
      : neighbours_(neighbours), lengths_(lengths), rows_(rows), cells_(cells) {}

  /// The second stage. Voxels that touch nothing inside take from the skin.
  void take_from_inside(Context& context) {
    each_cell(context, [&](std::uint32_t cell) {
      if (!outer(cell)) take(cell);
    });
    each_cell(context, [&](std::uint32_t cell) {
      if (outer(cell)) take_from_skin(cell);
    });
  }

  /// The third stage: what boundary voxels would bring to their neighbours, in the order of the cells.
  std::vector<LabelOffer> find_ways_over(std::span<const GeodesicSeed> seeds, Context& context) const {
    std::vector<std::vector<LabelOffer>> found((cells_ + kChunk - 1) / kChunk + 1);
    parallel_for(context, cells_, kChunk, [&](Range range) {
      std::vector<LabelOffer>& offers = found[range.begin / kChunk];
      for (std::size_t c = range.begin; c < range.end; ++c) {
        const auto cell = static_cast<std::uint32_t>(c);
        if (neighbours_.masks(cell).kind() != CellKind::boundary || !rows_.reached(cell)) continue;
        find(cell, outer(cell) ? after_skin(cell) : after_inside(cell), offers);
      }
    });
    for (const GeodesicSeed& seed : seeds) {
      const auto cell = static_cast<std::uint32_t>(seed.cell);
      if (neighbours_.masks(cell).kind() == CellKind::boundary) find(cell, Ways{}, found.back());
    }
    std::vector<LabelOffer> all;
    for (const auto& offers : found) all.insert(all.end(), offers.begin(), offers.end());
    return all;
  }

 private:
  static constexpr std::size_t kChunk = 4096;

  /// Directions of voxels, and sides of larger cells, to which labels may be worth carrying.
  struct Ways {
    std::uint32_t voxels = ~0u;
    std::uint32_t large = ~0u;
  };

  template <class Visit>
  void each_cell(Context& context, Visit&& visit) const {
    parallel_for(context, cells_, kChunk, [&](Range range) {
      for (std::size_t c = range.begin; c < range.end; ++c) {
        const auto cell = static_cast<std::uint32_t>(c);
        if (neighbours_.masks(cell).kind() == CellKind::boundary) visit(cell);
      }
    });
  }

  /// Touches the skin alone.
  bool outer(std::uint32_t cell) const {
    return neighbours_.masks(cell).interior == 0 && neighbours_.steps(cell).steps.empty();
  }

  void take(std::uint32_t cell) {
    const std::uint32_t inside = lengths_.worth_taking(neighbours_.masks(cell).interior);
    neighbours_.each_voxel(cell, inside, [&](std::uint32_t d, std::uint32_t from) {
      rows_.take(cell, from, lengths_.near(d, 1), lengths_.limit());
    });
    const CellNeighbours::Steps steps = neighbours_.steps(cell);
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      rows_.take(cell, steps.steps[i].cell(), lengths_.far(steps.squared[i], CellKind::boundary), lengths_.limit());
    }
  }

  void take_from_skin(std::uint32_t cell) {
    const std::uint32_t around = neighbours_.masks(cell).boundary & ~CellNeighbours::kNoStep;
    neighbours_.each_voxel(cell, around, [&](std::uint32_t d, std::uint32_t from) {
      if (!outer(from)) rows_.take(cell, from, lengths_.near(d, 1), lengths_.limit());
    });
  }

  /// What is worth going after a step from any of the cells that a boundary voxel has taken labels from.
  Ways after_skin(std::uint32_t cell) const {
    const CellNeighbours::Masks& masks = neighbours_.masks(cell);
    Ways ways = {0, 0};
    neighbours_.each_voxel(cell, masks.boundary & ~CellNeighbours::kNoStep, [&](std::uint32_t d, std::uint32_t from) {
      if (!outer(from)) ways.voxels |= lengths_.worth_going(masks, kDirections - d);
    });
    return ways;
  }

  Ways after_inside(std::uint32_t cell) const {
    const CellNeighbours::Masks& masks = neighbours_.masks(cell);
    Ways ways = {0, 0};
    for (std::uint32_t rest = lengths_.worth_taking(masks.interior); rest != 0; rest &= rest - 1) {
      const std::uint32_t way = kDirections - static_cast<std::uint32_t>(std::countr_zero(rest));  // back, plus one
      ways.voxels |= lengths_.worth_going(masks, way);
      ways.large |= lengths_.kept_large(way);
    }
    for (const CellNeighbours::Step step : neighbours_.steps(cell).steps) {
      const std::uint32_t way = StepLengths::kFromLarge + kDirections - 1 - step.side();
      ways.voxels |= lengths_.worth_going(masks, way);
      ways.large |= lengths_.kept_large(way);
    }
    return ways;
  }

  void find(std::uint32_t cell, const Ways& ways, std::vector<LabelOffer>& offers) const {
    const CellNeighbours::Masks& masks = neighbours_.masks(cell);
    const std::uint32_t around = (masks.interior | masks.boundary) & ~CellNeighbours::kNoStep;
    neighbours_.each_voxel(cell, around & ways.voxels, [&](std::uint32_t d, std::uint32_t to) {
      rows_.find_welcome(cell, to, lengths_.near(d, masks.boundary >> d & 1), lengths_.limit(), d + 1, offers);
    });
    const CellNeighbours::Steps steps = neighbours_.steps(cell);
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      const CellNeighbours::Step step = steps.steps[i];
      if ((ways.large >> step.side() & 1) == 0) continue;
      rows_.find_welcome(cell, step.cell(), lengths_.far(steps.squared[i], step.kind()), lengths_.limit(),
                         StepLengths::kNoDirection, offers);
    }
  }

  const CellNeighbours& neighbours_;
  const StepLengths& lengths_;
  LabelRows<K>& rows_;
  std::size_t cells_;
};

}  // namespace isochor
