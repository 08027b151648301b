#pragma once

/// Heat in equilibrium over the surface, started from distances through the voxels (Rohmer 2009, section 4.1): every
/// vertex has a nearest bone and a finite distance to it, so that heat comes everywhere, on any mesh.

#include "isochor/bind/gvb.h"

namespace isochor {

struct GeodesicHeatOptions {
  double stiffness = 4;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GeodesicHeatOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.stiffness, FieldInfo{.name = "geodesic-heat-stiffness",
                                     .help = "method geodesic-heat: higher: weights more local, bends harder",
                                     .min = 0.01,
                                     .max = 1000,
                                     .expert = true});
}

/// `surface` is that of the binding. Rows of temperatures, every one with at least one weight; Influence::joint is the
/// handle's index. Limit and normalise them afterwards.
SkinWeights geodesic_heat_weights(const Surface& surface, const GvbBinding& binding, const GeodesicHeatOptions& options,
                                  const Context& context);

}  // namespace isochor
