#pragma once

/// The weights of one character against those of another: bound anew, painted by somebody else, or of another file.

#include <optional>
#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/bind/weight_metrics.h"
#include "isochor/rig/correspondence.h"

namespace isochor {

/// What a weight set is by itself.
struct WeightSide {
  double smoothness = 0;
  std::vector<std::size_t> influences;  ///< influence_histogram()
  double mean_influences = 0;           ///< of the vertices that have any
  Bleed bleed;
  std::optional<MirrorPairs> mirror;  ///< nothing if the shape is not symmetric
  SymmetryError symmetry;             ///< with a mirror
};

/// Vertices that follow one list of joints both ways, as they are and as an engine keeps them.
struct WeightComparison {
  WeightDifference difference, pruned;
  WeightSide a, b;
};
/// Nothing if no vertex has weights on both sides.
std::optional<WeightComparison> compare_weights(const WeldedCharacter& a, const WeldedCharacter& b,
                                                const Correspondence& correspondence, const PruneOptions& prune,
                                                Context& context);

/// How far apart vertices are in a clip under two weight sets.
struct ClipPositionError {
  std::string clip;
  double max = 0, mean = 0;
};
/// What the difference of the weights alone does to the shape in motion: the clips of A (of B, if A has none) under
/// both weight sets, at some moments each, in the units of the file. Empty if there is no clip or no weight.
std::vector<ClipPositionError> compare_weights_in_motion(const WeldedCharacter& a, const WeldedCharacter& b,
                                                         const Correspondence& correspondence, int moments,
                                                         Context& context);

}  // namespace isochor
