#pragma once

/// Morph targets in layers, each over fewer vertices than the one before. Private to the module.

#include <limits>
#include <optional>

#include "bake/morph_span.h"

namespace isochor {

/// Targets over some of the vertices.
struct MorphLayer {
  std::vector<Index> vertices;  // #O, increasing; those of a layer are among those of the layer before
  MorphSpan span;               // basis: #T × 3 #O, coefficients: #frames × #T, columns orthonormal over all layers
};
using MorphLayers = std::vector<MorphLayer>;

std::size_t target_count(const MorphLayers& layers);

/// What layers are made of.
template <class Scalar>
struct LayerInput {
  RowsOf<Scalar> frames;        // #frames × 3 #V
  MorphSpan span;               // as turn_by_coefficients() leaves it
  std::vector<Index> vertices;  // #V, increasing: their names
};

/// A truncated singular value decomposition serves the mean. Taken until the last vertex is within `tolerance`, it
/// gives most of its directions to a few vertices and makes all others carry them. So: directions of all vertices until
/// a quarter of these is within the tolerance; of what is left of the others likewise, until none is left.
/// Nothing where that takes more than `limit` targets.
template <class Scalar>
std::optional<MorphLayers> layers_within(LayerInput<Scalar> input, double tolerance, std::size_t limit,
                                         const Context& context);

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
/// The layers with at most `limit` targets that leave the smallest error not below `tolerance`, by bisection.
template <class Scalar>
MorphLayers best_layers(LayerInput<Scalar> input, double tolerance, std::size_t limit, const Context& context);

}  // namespace isochor
