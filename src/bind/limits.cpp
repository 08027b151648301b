#include "isochor/bind/limits.h"

namespace isochor {

void apply(const WeightLimits& limits, SkinWeights& weights) {
  limit(weights, static_cast<Index>(limits.influences));
  normalise(weights);
  prune(weights, limits.prune);
  normalise(weights);
  sort_by_weight(weights);
}

}  // namespace isochor
