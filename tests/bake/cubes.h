#pragma once

#include "isochor/mesh/topology.h"
#include "isochor/mesh/volume.h"

namespace isochor::test {

/// Two cubes of side 1, apart.
struct Cubes {
  Surface surface;
  Topology topology;
  std::vector<VolumeFunctional> functionals;  // by component

  Cubes() {
    for (int side = 0; side < 2; ++side) {
      const auto first = static_cast<Index>(surface.vertex_count());
      for (int k = 0; k < 8; ++k) surface.positions.emplace_back((k & 1) + 3 * side, (k >> 1) & 1, k >> 2);
      const Index faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
      for (const auto& f : faces) surface.add_face({first + f[0], first + f[1], first + f[2], first + f[3]});
    }
    topology = analyse(surface);
    for (const Component& component : topology.components) functionals.emplace_back(surface, component);
  }
  double volume(std::size_t component, std::span<const Vec3> displacements) const {
    std::vector<Vec3> moved = surface.positions;
    for (std::size_t v = 0; v < displacements.size(); ++v) moved[v] += displacements[v];
    return signed_volume(surface, topology.components[component], moved);
  }
};

}  // namespace isochor::test
