#pragma once

/// Weights by way of the medial (Bloomenthal 2002): the bones move the vertices of the medial complex, and these move
/// the skin, both by convolution; composed, they are weights as any other.

#include "isochor/base/context.h"
#include "isochor/bind/gvb.h"
#include "isochor/medial/complex.h"
#include "isochor/mesh/surface.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

struct MedialWeightOptions {
  MedialOptions complex;
  double width = 2;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, MedialWeightOptions>
void describe(Options& options, Visitor&& visit) {
  describe(options.complex, visit);
  visit(options.width, FieldInfo{.name = "medial-width",
                                 .help = "method medial: higher: softer bends; how far the filter reaches",
                                 .unit = "times the radius",
                                 .min = 1.2,
                                 .max = 6,
                                 .expert = true});
}

/// What moves what. Rows sum to 1; every vertex has one.
struct MedialBinding {
  MedialComplex complex;
  std::vector<Handle> handles;  ///< leaves grown
  SkinWeights skin;             // #V rows; Influence::joint is a vertex of the complex
  SkinWeights medial;           // #M rows; Influence::joint is a handle
  GvbEvidence evidence;         ///< of the voxels and distances
  std::size_t beyond = 0;       ///< vertices of the skin that no filter reaches
  std::size_t widened = 0;      ///< vertices of the complex whose filter reaches no bone before it is widened
  /// Codes: those of the voxels and distances; vertices-beyond-medial, medial-beyond-bones, medial-resolution.
  Problems problems;
};

/// `surface` is welded, any quality. Of `voxels` the resolution (at most 256) and the penalty are read.
/// Vertices of the complex follow bones that are near them through the inside, not across a gap. Vertices of the skin
/// follow the piece of the complex, connected within their filters' reach, that holds the ball nearest to them.
/// Stages of the context: "voxelize", "sparsify", "distance", "medial", "weights". Throws as GvbBinding does.
MedialBinding bind_by_medial(const Surface& surface, std::vector<Handle> handles, const GvbOptions& voxels,
                             const MedialWeightOptions& options, Context& context);

/// The bones' weights of the skin; Influence::joint is the handle. Limit them afterwards.
SkinWeights composed_weights(const MedialBinding& binding, const Context& context);

}  // namespace isochor
