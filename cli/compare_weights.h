#pragma once

/// Weights against weights, for `compare`.

#include "correspondence.h"
#include "isochor/bind/weight_metrics.h"
#include "session.h"

namespace isochor::cli {

/// Both weight sets in one list of joints: as each file has them, and row by row for the vertices that belong together.
struct WeightSets {
  JointUnion joints;
  SkinWeights whole_a, whole_b;  ///< by welded vertex
  SkinWeights rows_a, rows_b;    ///< by pair of the correspondence
};
WeightSets weight_sets(const Playback& a, const Playback& b, const Correspondence& correspondence);

/// The report's `weights`; null where one side has none.
Json compare_weights(const Playback& a, const Playback& b, const WeightSets& sets, const PruneOptions& prune);

/// What the difference of the weights alone does to the shape in motion: the clips of A (of B, where A has none) under
/// both weight sets, at some moments each. Distances relative to `size`. Null where there is no clip.
struct WeightMotion {
  const Correspondence& correspondence;
  int moments = 24;
  double size = 1;
};
Json compare_weights_in_motion(const Playback& a, const Playback& b, const WeightSets& sets,
                               const WeightMotion& options);

void print_weights(const Session& session, const Json& weights);

}  // namespace isochor::cli
