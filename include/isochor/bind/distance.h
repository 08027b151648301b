#pragma once

/// Weights by Euclidean distance (Rohmer 2008): w = d^-f. It looks through walls, so that limbs which are near each
/// other share weights: a baseline and a contrast.

#include "isochor/base/context.h"
#include "isochor/bind/handles.h"
#include "isochor/bind/limits.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

struct DistanceOptions {
  double exponent = 4;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, DistanceOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.exponent,
        FieldInfo{
            .name = "distance-exponent",
            .help =
                "method distance: higher: weights more local, bends harder; they fall with this power of the distance",
            .min = 0.5,
            .max = 64,
            .expert = true});
}

/// One row per position; Influence::joint is the handle's index. Throws Error(bad_input) without handles.
SkinWeights distance_weights(std::span<const Vec3> positions, std::span<const Handle> handles,
                             const DistanceOptions& options, const Context& context);

}  // namespace isochor
