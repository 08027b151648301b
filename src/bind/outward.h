#pragma once

/// Which way a surface faces: for what depends on it, such as sight.

#include <array>
#include <span>
#include <vector>

#include "isochor/mesh/surface.h"

namespace isochor {

/// The triangles of a surface: within a component the faces that disagree with the others are turned over, and then
/// all where its volume is negative.
std::vector<std::array<Index, 3>> outward_triangles(const Surface& surface);

/// For each vertex the mean of the normals of the triangles around it, each counting alike; unit, or zero without any.
std::vector<Vec3> mean_normals(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles);

}  // namespace isochor
