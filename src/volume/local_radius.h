#pragma once

/// How thick the body is at each vertex.

#include <vector>

#include "isochor/base/context.h"
#include "isochor/rig/welded_character.h"

namespace isochor::volume {

/// By vertex of the welded surface: the radius of the largest ball that touches the skin there from inside and holds no
/// other vertex of the component (vertices within 17° of the tangent plane are the skin itself and do not count),
/// averaged over neighbours so that it varies smoothly. 0 outside components with a volume.
std::vector<double> local_radii(const WeldedCharacter& welded, const Context& context);

}  // namespace isochor::volume
