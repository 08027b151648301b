#pragma once

/// Takes the grain out of shadows.

#include "isochor/base/context.h"
#include "render/film.h"

namespace isochor::detail {

/// Replaces each pixel's visibility by a mean over neighbours that lie on the same piece of surface: an edge-avoiding
/// à-trous wavelet filter (Dammertz 2010), guided by normals and positions. Colours, edges and lines are not touched.
void smooth_visibility(Film& film, const Context& context);

}  // namespace isochor::detail
