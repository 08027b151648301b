#pragma once

/// Casts the rays of a picture.

#include "isochor/base/context.h"
#include "render/film.h"
#include "render/shot.h"

namespace isochor::detail {

/// The light that a floor in full light sends back, as a share of what it would without any shadow: 1 far from the
/// subject.
float floor_light(const Visibility& visibility, const Lights& lights);

Film trace(const Shot& shot, Context& context);

}  // namespace isochor::detail
