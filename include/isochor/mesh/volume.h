#pragma once

/// The enclosed volume as a trilinear function of the vertices (Rohmer 2009, eq. 1 and 2).

#include <span>

#include "isochor/mesh/topology.h"

namespace isochor {

/// The signed volume of a component: triangles, bilinear quads (the mean of both triangulations), n-gons as a fan about
/// the mean of their corners, and boundary loops closed by a fan about theirs. Positive where faces point outward.
/// `component.flips` are applied, so that an orientable component is measured consistently.
double signed_volume(const Surface& surface, const Component& component, std::span<const Vec3> positions);
double signed_volume(const Surface& surface, const Component& component);

}  // namespace isochor
