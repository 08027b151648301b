#include "isochor/bake/residual_volume.h"

#include <algorithm>
#include <cmath>

#include "isochor/volume/solve.h"

namespace isochor {

ResidualVolume residual_volume(const ResidualVolumeInput& input) {
  ResidualVolume result;
  std::vector<Vec3> directions;
  for (std::size_t c = 0; c < input.components.size(); ++c) {
    const VolumeFunctional& component = input.components[c];
    const double wanted = input.volumes[c];
    const double missing = wanted - component.volume(input.positions);
    if (wanted == 0 || std::abs(missing) <= kResidualVolumeTolerance * std::abs(wanted)) continue;
    if (directions.empty()) {
      directions = vertex_normals(input.surface, input.positions);
      for (std::size_t v = 0; v < directions.size(); ++v) directions[v] *= input.mobility[v];
    }
    const VolumeCubic cubic = component.along(input.positions, directions);
    const CubicRoot root = continuing_root(cubic, missing);
    if (!root.found || std::abs(cubic(root.t) - missing) > kResidualVolumeTolerance * std::abs(wanted)) {
      result.unreached.push_back(static_cast<Index>(c));
      continue;
    }
    result.corrected.push_back(static_cast<Index>(c));
    result.displacements.resize(input.positions.size(), Vec3::Zero());
    for (const Index v : component.vertices()) {
      result.displacements[v] = root.t * directions[v];
      result.max_displacement = std::max(result.max_displacement, result.displacements[v].norm());
    }
  }
  return result;
}

}  // namespace isochor
