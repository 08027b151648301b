#pragma once

/// Weights as heat in equilibrium over the surface (Baran and Popović 2007): each vertex is warmed by the nearest bone
/// that it sees, with c/d². It looks natural wherever vertices see their bones, and is what many tools call automatic
/// weights. With c = 4 the weights are those that Blender computes (docs/weights.md).

#include "isochor/base/context.h"
#include "isochor/base/problem.h"
#include "isochor/bind/handles.h"
#include "isochor/mesh/surface.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

struct HeatOptions {
  double stiffness = 4;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, HeatOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.stiffness, FieldInfo{.name = "heat-stiffness",
                                     .help = "method heat: higher: weights more local, bends harder",
                                     .min = 0.01,
                                     .max = 1000,
                                     .expert = true});
}

/// Rows of temperatures; Influence::joint is the handle's index. Limit and normalise them afterwards.
struct HeatWeights {
  SkinWeights weights;
  std::vector<char> sees_bone;  ///< #V: whether each sees its nearest bone; otherwise its heat comes along the surface
  std::vector<double>
      reach;  ///< #V: the length over which heat fades there; edges should be shorter. 0 if it sees none
  Problems problems;
};

/// `surface` is welded, any quality: its Laplacian is intrinsic and cannot fail. Every vertex gets weights: pieces
/// where none sees its bone are warmed through walls. Stage of the context: "weights". Throws Error(bad_input) without
/// handles.
HeatWeights heat_weights(const Surface& surface, std::span<const Handle> handles, const HeatOptions& options,
                         Context& context);

}  // namespace isochor
