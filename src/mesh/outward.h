#pragma once

/// Which way a surface faces: for what depends on it, such as sight.

#include <array>
#include <span>
#include <vector>

#include "isochor/mesh/topology.h"

namespace isochor {

/// The triangles of a surface: within a component the faces that disagree with the others are turned over, and then
/// all of a closed one whose volume is negative. Open ones, such as the inside of a mouth, have no volume to tell by:
/// they are turned over if the whole surface faces inward. In the order of triangulate().
std::vector<std::array<Index, 3>> outward_triangles(const Surface& surface, const Topology& topology);
inline std::vector<std::array<Index, 3>> outward_triangles(const Surface& surface) {
  return outward_triangles(surface, analyse(surface));
}

/// For each vertex the mean of the normals of the triangles around it, each counting alike; unit, or zero without any.
std::vector<Vec3> mean_normals(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles);

/// How straight a bone lies below the skin, from 1 (straight below) to almost 0 (straight above): heat counts a way as
/// longer by the inverse. `way` leads from the bone to the skin, and is not zero.
inline double facing(const Vec3& way, const Vec3& normal) {
  constexpr double kAboveOne = 1.001;  // bones straight above stay at a finite distance
  return 0.5 * (way.dot(normal) / way.norm() + kAboveOne);
}

}  // namespace isochor
