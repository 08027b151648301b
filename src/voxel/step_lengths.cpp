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

void StepLengths::keep_after_large(std::uint32_t side) {
  const Offset from = offset_of(side);
  for (std::uint32_t next = 0; next < kDirections; ++next) {
    const Offset step = offset_of(next);
    bool touches = true;
    for (std::size_t a = 0; a < 3; ++a) touches = touches && from[a] * step[a] <= 0;
    if (!touches) continue;
    const std::uint32_t bit = 1u << next;
    const std::uint32_t way = kFromLarge + side;
    for (auto& by_kind : kept_) by_kind[way].interior &= ~bit;
    // From an interior voxel, a long penalised step from p may cost more than the way by this voxel.
    kept_[static_cast<std::size_t>(CellKind::boundary)][way].boundary &= ~bit;
  }
}

}  // namespace isochor
