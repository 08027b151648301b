#pragma once

/// Weights that respect the mirror symmetry of a surface and its handles.

#include <optional>
#include <string>

#include "isochor/bind/handles.h"
#include "isochor/bind/weight_metrics.h"

namespace isochor {

/// The mirror that weights can respect: a plane across x, y or z (find_mirror_pairs()) in which every handle has an
/// image and so have at least 90 % of the vertices.
struct MirrorSearch {
  std::optional<MirrorPairs> mirror;  ///< `joints` are handles
  std::string reason;                 ///< a sentence, found or not
};
MirrorSearch find_mirror(std::span<const Vec3> positions, std::span<const Handle> handles);

/// Each row becomes the mean of itself and its mirror image's with joints exchanged, so that a vertex and its image
/// have the same weights to the bit. Rows without an image stay. Limit again afterwards.
void symmetrise(SkinWeights& weights, const MirrorPairs& mirror);

/// Keeps the `k` largest weights of each vertex; if the cut would part a joint from its image of the same weight, as
/// it can on the plane, both go. Rows must be sorted. Does not renormalise.
void limit_pairs(SkinWeights& weights, const MirrorPairs& mirror, Index k);

}  // namespace isochor
