#pragma once

/// Heat in equilibrium over a surface: −Δw + H w = H p, for all bones with one factorisation.

#include <span>
#include <vector>

#include "bind/tufted_laplacian.h"
#include "isochor/base/context.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// Where heat comes from: at each vertex some handles, and how strongly they hold it.
struct HeatSources {
  std::vector<double> strength;  ///< #V: H, one over an area; 0 where nothing heats the vertex
  SkinWeights share;             ///< #V rows: p, the handles that heat it; each row sums to 1, empty without strength
};

/// #V: whether heat reaches each vertex: it is heated itself, or conducts from one that is.
std::vector<char> reached_by_heat(const SurfaceLaplacian& laplacian, std::span<const double> strength);

/// The temperatures of all handles, each between 0 and 1; low ones fade out, so that rows sum to about 1. Rows of
/// vertices that no heat reaches are empty; all are, if the factorisation fails.
SkinWeights solve_heat(const SurfaceLaplacian& laplacian, const HeatSources& sources, std::size_t handles,
                       const Context& context);

}  // namespace isochor
