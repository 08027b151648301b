#pragma once

/// Many frames of offsets as a few morph targets and their weights over time.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

struct MorphBasisOptions {
  double tolerance = 1e-4;
  Index max_targets = 0;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, MorphBasisOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.tolerance,
        FieldInfo{.name = "bake-tolerance",
                  .help = "lower: more morph targets, larger file; no baked vertex is farther than this from its place",
                  .unit = "of the diagonal of its component",
                  .min = 0,
                  .max = 0.1,
                  .expert = true});
  visit(options.max_targets,
        FieldInfo{.name = "bake-targets",
                  .help = "most morph targets that a mesh may get, whatever error that leaves (0: as many as needed)",
                  .min = 0,
                  .max = 100000});
}

/// Frames of one part, of all its clips one after another.
struct MorphBasisInput {
  std::span<const MorphTarget> frames;  // #frames: offsets of all #V vertices; normals in all of them or in none
  /// #V, > 0: what the tolerance is relative to at each vertex; the diagonal of the box around all that hangs together
  /// with it, so that small things, as eyes, are kept as well as large ones.
  std::span<const double> sizes;
};

struct MorphBasis {
  std::vector<MorphTarget> targets;  // #T; none if nothing moves. Offsets that do not matter are exactly zero
  Eigen::MatrixXd weights;           ///< #frames × #T, in [-1, 1]
  /// The largest distance between a frame and what the targets make of it, relative to the vertex's size.
  double max_error = 0;
  double max_normal_error = 0;  ///< the largest length of the difference of two normal offsets
};

/// Few targets that keep every vertex of every frame within the tolerance, by measuring each. They come in layers: a
/// truncated singular value decomposition over all vertices that move, one of what is left over those that are not yet
/// within the tolerance, and so on; so that late targets, of which there are many, have few vertices. The decomposition
/// runs inside the span of frames picked greedily: its cost is that of #frames × #V × #T and not of #frames². Normals
/// are fitted to the same weights by least squares. A limit on the number of targets leaves the smallest error that
/// layers can, found by bisection; one target of it is kept free for unit_weights(). Throws Error(bad_input) if
/// frames differ in size or hold numbers that are not finite.
MorphBasis morph_basis(const MorphBasisInput& input, const MorphBasisOptions& options, Context& context);

/// Makes all weights lie in [0, 1], as tools with sliders expect them and some clamp them: what a weight is below zero
/// at its lowest goes into one more target that is always on. Nothing is added if no weight is negative.
void unit_weights(MorphBasis& basis);

}  // namespace isochor
