#include "voxel/step_lengths.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "isochor/voxel/geodesic.h"

namespace isochor {
namespace {

using Offset = std::array<int, 3>;

Offset offset_of(std::size_t direction) {
  const auto d = static_cast<int>(direction);
  return {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
}

std::uint32_t direction_of(const Offset& offset) {
  return static_cast<std::uint32_t>((offset[0] + 1) + 3 * (offset[1] + 1) + 9 * (offset[2] + 1));
}

/// b − a, where that is a step; the middle of the 27, which is none, elsewhere.
std::uint32_t step_between(const Offset& a, const Offset& b) {
  const Offset step = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const bool is_step = std::all_of(step.begin(), step.end(), [](int x) { return std::abs(x) <= 1; });
  return is_step ? direction_of(step) : kDirections / 2;
}

std::uint32_t units(double voxels) { return static_cast<std::uint32_t>(std::lround(voxels * StepLengths::kVoxel)); }

}  // namespace

StepLengths::StepLengths(double penalty, std::uint32_t longest) {
  for (std::size_t d = 0; d < kDirections; ++d) {
    const Offset o = offset_of(d);
    const double length = std::sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
    near_[d] = units(length);
    near_[32 + d] = units(length * penalty);
  }
  for (std::uint32_t squared = 0; squared <= longest; ++squared) {
    const double length = 0.5 * std::sqrt(static_cast<double>(squared));
    far_interior_.push_back(units(length));
    far_boundary_.push_back(units(length * penalty));
  }
  limit_ = (1u << 31) - 1 - std::max(near_[32], far_boundary_.back());
  constexpr std::uint32_t kAll = ((1u << kDirections) - 1) & ~CellNeighbours::kNoStep;
  for (auto& by_kind : kept_) by_kind.fill({kAll, kAll});
  kept_large_.fill(kAll);
  for (std::uint32_t d = 0; d < kDirections; ++d) {
    keep_after_voxel(d);
    keep_after_large(d);
    find_detours(d);
    choose_detours(d);
    find_served(d);
  }
}

void StepLengths::keep_after_voxel(std::uint32_t last) {
  const Offset from = offset_of(last);
  for (std::uint32_t next = 0; next < kDirections; ++next) {
    const Offset step = offset_of(next);
    const std::uint32_t bit = 1u << next;
    // Does p touch a larger cell on that side? Where the two overlap, a step aside does not change it.
    bool touches = true;
    for (std::size_t a = 0; a < 3; ++a) touches = touches && from[a] * step[a] <= 0;
    if (touches) kept_large_[last + 1] &= ~bit;

    const Offset direct = {from[0] + step[0], from[1] + step[1], from[2] + step[2]};
    if (std::any_of(direct.begin(), direct.end(), [](int x) { return std::abs(x) > 1; })) continue;
    const std::uint32_t d = direction_of(direct);
    for (const CellKind kind : {CellKind::interior, CellKind::boundary}) {
      const std::uint32_t here = near(last, kind == CellKind::boundary ? 1 : 0);
      CellNeighbours::Masks& kept = kept_[static_cast<std::size_t>(kind)][last + 1];
      if (near(d, 0) <= here + near(next, 0)) kept.interior &= ~bit;
      if (near(d, 1) <= here + near(next, 1)) kept.boundary &= ~bit;
    }
  }
}

void StepLengths::find_detours(std::uint32_t last) {
  constexpr std::uint32_t kStay = kDirections / 2;
  const Offset p = offset_of(kDirections - 1 - last);  // seen from the voxel that was reached
  for (std::uint32_t m = 0; m < kDirections; ++m) {
    const std::uint32_t to_m = step_between(p, offset_of(m));
    if (m == kStay || to_m == kStay) continue;
    for (std::uint32_t next = 0; next < kDirections; ++next) {
      const std::uint32_t from_m = step_between(offset_of(m), offset_of(next));
      if (next == kStay || from_m == kStay) continue;
      for (std::uint32_t kinds = 0; kinds < 8; ++kinds) {
        const std::uint32_t here = kinds & 1, of_m = kinds >> 1 & 1, of_next = kinds >> 2;
        const std::uint32_t way = near(last, here) + near(next, of_next),
                            other = near(to_m, of_m) + near(from_m, of_next);
        const bool first =
            near(to_m, of_m) < near(last, here) || (near(to_m, of_m) == near(last, here) && from_m < next);
        if (other > way || (other == way && !first)) continue;
        Detours& detours = detours_[here][last + 1];
        CellNeighbours::Masks& served = (of_m == 1 ? detours.by_boundary : detours.by_interior)[m];
        (of_next == 1 ? served.boundary : served.interior) |= 1u << next;
      }
    }
  }
}

void StepLengths::choose_detours(std::uint32_t last) {
  for (std::size_t kind = 0; kind < 2; ++kind) {
    Detours& detours = detours_[kind][last + 1];
    const CellNeighbours::Masks& kept = kept_[kind][last + 1];
    // A few neighbours serve nearly all that any of them does where all are of one kind; asking the others costs more
    // than it saves.
    const auto choose = [](const auto& by, std::uint32_t wanted, auto served) {
      std::uint32_t chosen = 0;
      while (true) {
        std::uint32_t best = 0;
        int most = 0;
        for (std::uint32_t m = 0; m < kDirections; ++m) {
          const int gain = std::popcount(served(by[m]) & wanted);
          if (gain <= most) continue;
          most = gain;
          best = m;
        }
        if (most == 0) return chosen;
        chosen |= 1u << best;
        wanted &= ~served(by[best]);
      }
    };
    detours.useful.interior =
        choose(detours.by_interior, kept.interior, [](const CellNeighbours::Masks& m) { return m.interior; });
    detours.useful.boundary =
        choose(detours.by_boundary, kept.boundary, [](const CellNeighbours::Masks& m) { return m.boundary; });
  }
}

void StepLengths::find_served(std::uint32_t by) {
  constexpr std::uint32_t kStay = kDirections / 2;
  for (std::uint32_t d = 0; d < kDirections; ++d) {
    const std::uint32_t between = step_between(offset_of(d), offset_of(by));
    if (d == kStay || by == kStay || between == kStay) continue;
    if (near(between, 0) + near(by, 1) <= near(d, 1)) served_[by] |= 1u << d;
  }
}

// For a neighbour that is no smaller than the cell this holds with larger cells too: of all cells of 1 to 64 voxels,
// the way by this cell is longer by 8 units or more, which is more than rounding takes.
void StepLengths::keep_after_large(std::uint32_t side) {
  const Offset from = offset_of(side);
  for (std::uint32_t next = 0; next < kDirections; ++next) {
    const Offset step = offset_of(next);
    bool touches = true;
    for (std::size_t a = 0; a < 3; ++a) touches = touches && from[a] * step[a] <= 0;
    if (!touches) continue;
    const std::uint32_t bit = 1u << next;
    const std::uint32_t way = kFromLarge + side;
    kept_large_[way] &= ~bit;
    for (auto& by_kind : kept_) by_kind[way].interior &= ~bit;
    // From an interior voxel, a long penalised step from p may cost more than the way by this voxel.
    kept_[static_cast<std::size_t>(CellKind::boundary)][way].boundary &= ~bit;
  }
}

}  // namespace isochor
