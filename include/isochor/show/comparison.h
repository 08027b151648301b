#pragma once

/// One character against another in every respect: bind shape, weights, and the clips that both have.

#include <optional>
#include <vector>

#include "isochor/bind/weight_comparison.h"
#include "isochor/deform/shape_comparison.h"
#include "isochor/io/load.h"

namespace isochor {

struct ComparisonOptions {
  int moments = 24;    ///< of each clip
  PruneOptions prune;  ///< for the weights as an engine keeps them
};

/// Lengths are relative to a diagonal: those of the bind shapes to that of A's bind shape; those of what moves to that
/// of the character at rest in the world, as a scale may lie between the two.
struct CharacterComparison {
  std::size_t vertices_a = 0, vertices_b = 0;  ///< welded
  CorrespondenceKind by = CorrespondenceKind::index;
  ShapeDistance shape;                               ///< of the bind shapes
  std::optional<WeightComparison> weights;           ///< nothing if no vertex has weights on both sides
  std::vector<ClipPositionError> weights_in_motion;  ///< what the weights alone do in A's clips (B's, if A has none)
  ClipPositionError worst_in_motion;                 ///< of these: the largest `max`, and the mean of `mean`
  std::vector<ClipComparison> clips;                 ///< by the triangles that viewers draw
};

/// Throws Error(bad_input) if one of them has no mesh.
CharacterComparison compare_characters(const Loaded& a, const Loaded& b, const ComparisonOptions& options,
                                       Context& context);

}  // namespace isochor
