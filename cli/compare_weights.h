#pragma once

/// Weights against weights, in the report of `compare` and in words.

#include "isochor/show/comparison.h"
#include "session.h"

namespace isochor::cli {

/// The report's `weights`, but for what they do in motion.
Json weights_json(const WeightComparison& comparison, const PruneOptions& prune);
/// The report's `weights.position_error`; null where there is no clip.
Json position_error_json(const CharacterComparison& found);

void print_weights(const Session& session, const Json& weights);

}  // namespace isochor::cli
