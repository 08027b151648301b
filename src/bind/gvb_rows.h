#pragma once

/// From affinities to weights: eq. 8 and 9, limits, rigid regions.

#include "bind/gvb_samples.h"

namespace isochor {

/// What rigid regions need beyond the slots: the drivers' Euclidean distances.
struct RowTask {
  const VertexSlots& slots;
  std::span<const Handle> handles;
  std::span<const Vec3> positions;
  double voxel = 1;
  /// Weights fade to 0 where a handle drops out of those that count, instead of being cut off: less by the weight of
  /// the first handle left out.
  bool fade = false;
  std::size_t known = 0;  ///< handles whose distances each cell keeps, unless there are no more
};

/// Throws Error(bad_input) where an array has the wrong size or an index is out of range.
SkinWeights weight_rows(const RowTask& task, const GvbWeighting& weighting, const Context& context);

}  // namespace isochor
