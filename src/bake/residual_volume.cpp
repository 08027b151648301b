#include "isochor/bake/residual_volume.h"

#include <algorithm>
#include <cmath>

#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

/// Displaced by t · direction, a component's volume is a cubic in t; this finds where it has a value.
class LengthSearch {
 public:
  LengthSearch(const ResidualVolumeInput& input, const Component& component, std::span<const Vec3> directions)
      : input_(input),
        component_(component),
        directions_(directions),
        moved_(input.positions.begin(), input.positions.end()) {}

  /// Secants from 0 and a first guess; false where they do not arrive.
  bool find(double wanted, double first_guess, double& t) {
    constexpr int kSteps = 40;
    constexpr double kEnough = 1e-13;
    double before = 0, error_before = volume(0) - wanted;
    t = first_guess;
    for (int step = 0; step < kSteps; ++step) {
      const double error = volume(t) - wanted;
      if (std::abs(error) <= kEnough * std::abs(wanted)) return true;
      if (!std::isfinite(error) || error == error_before) break;
      const double next = t - error * (t - before) / (error - error_before);
      before = t;
      error_before = error;
      t = next;
    }
    return std::abs(volume(t) - wanted) <= kResidualVolumeTolerance * std::abs(wanted);
  }

 private:
  double volume(double t) {
    for (const Index v : component_.vertices) moved_[v] = input_.positions[v] + t * directions_[v];
    return signed_volume(input_.surface, component_, moved_);
  }

  const ResidualVolumeInput& input_;
  const Component& component_;
  std::span<const Vec3> directions_;
  std::vector<Vec3> moved_;
};

}  // namespace

ResidualVolume residual_volume(const ResidualVolumeInput& input) {
  ResidualVolume result;
  std::vector<Vec3> directions;
  for (std::size_t c = 0; c < input.topology.components.size(); ++c) {
    const Component& component = input.topology.components[c];
    const double wanted = input.volumes[c];
    const double missing = wanted - signed_volume(input.surface, component, input.positions);
    if (wanted == 0 || std::abs(missing) <= kResidualVolumeTolerance * std::abs(wanted)) continue;
    if (directions.empty()) {
      directions = vertex_normals(input.surface, input.positions);
      for (std::size_t v = 0; v < directions.size(); ++v) directions[v] *= input.mobility[v];
    }
    // The slope at t = 0, by a step that is small against the component and large against rounding.
    double size = 0;
    for (const Index v : component.vertices) {
      size = std::max(size, (input.positions[v] - input.positions[component.vertices[0]]).norm());
    }
    LengthSearch search(input, component, directions);
    double t = 0;
    if (!search.find(wanted, 1e-6 * size, t)) {
      result.unreached.push_back(static_cast<Index>(c));
      continue;
    }
    result.corrected.push_back(static_cast<Index>(c));
    result.displacements.resize(input.positions.size(), Vec3::Zero());
    for (const Index v : component.vertices) {
      result.displacements[v] = t * directions[v];
      result.max_displacement = std::max(result.max_displacement, result.displacements[v].norm());
    }
  }
  return result;
}

}  // namespace isochor
