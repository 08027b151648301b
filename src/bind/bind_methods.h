#pragma once

/// The methods of bind(), each in two steps: what does not depend on falloffs is measured once, the rest is quick.

#include <optional>
#include <vector>

#include "isochor/bind/bind.h"
#include "isochor/mesh/weld.h"

namespace isochor {

struct MeasuredVolume {
  std::vector<Handle> handles;             ///< leaves grown
  SkinWeights weights;                     ///< #V, of methods that know no falloff; Influence::joint is the handle
  std::optional<GvbBinding> gvb;           ///< of those that do
  std::vector<char> by_gvb;                ///< #V, with both: whose weights are those of gvb
  std::vector<std::vector<Index>> shells;  ///< vertices of pieces that follow one handle alone
};

/// Adds to the report which rules were applied, and what the methods found.
MeasuredVolume measure(const Weld& weld, std::vector<Handle> handles, const BindOptions& options, BoundVolume& report,
                       Context& context);

/// Weights of all vertices; Influence::joint is the handle. Handles that took a shell are added to the rules.
SkinWeights weigh(const MeasuredVolume& volume, const Skeleton& skeleton, const Falloffs& falloffs,
                  const WeightLimits& limits, AppliedBoneRules& rules, const Context& context);

}  // namespace isochor
