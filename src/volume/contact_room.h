#pragma once

/// Room between two triangles that look against each other, and quick proofs that there is enough of it: most pairs
/// that are asked about are far from touching.

#include "isochor/mesh/triangle_crossing.h"

namespace isochor::volume {

/// By how much more than is asked for there must be for rounding not to matter.
inline constexpr double kSurely = 1.001;

/// The gap between two triangles, as far as the second lies ahead of the first or aside: none for skin behind other
/// skin. `towards` is of length 1.
double room_between(const Triangle& a, const Triangle& b, const Vec3& towards);

/// Whether room_between() is surely no less than `enough`; false may mean that it is not known. `towards` is of any
/// length but 0.
bool has_room(const Triangle& a, const Triangle& b, const Vec3& towards, double enough);

/// Whether two triangles surely do not cross: one lies beyond the other, along the line through their middles.
bool clearly_beyond(const Triangle& a, const Triangle& b);

}  // namespace isochor::volume
