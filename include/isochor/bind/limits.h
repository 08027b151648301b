#pragma once

/// How many influences a vertex may have.

#include "isochor/base/options.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

struct WeightLimits {
  int influences = 4;
  double prune = 0.01;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, WeightLimits>
void describe(Options& options, Visitor&& visit) {
  visit(options.influences,
        FieldInfo{
            .name = "influences",
            .help = "most joints that move one vertex; higher: softer where many meet; engines usually allow 4 or 8",
            .min = 1,
            .max = 32});
  visit(options.prune, FieldInfo{.name = "prune",
                                 .help = "weights below this are dropped; higher: fewer joints per vertex, and skin "
                                         "that passes from one to the next more abruptly",
                                 .min = 0,
                                 .max = 0.5});
}

/// Limit, prune, normalise, sort; in that order.
void apply(const WeightLimits& limits, SkinWeights& weights);

}  // namespace isochor
