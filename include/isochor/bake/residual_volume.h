#pragma once

/// The last pass of baking: if a map is singular, no offset in the rest pose reaches the place that was meant, and
/// the volume is a little off. The skin around makes up for it.

#include <span>
#include <vector>

#include "isochor/mesh/volume.h"

namespace isochor {

struct ResidualVolumeInput {
  const Surface& surface;
  std::span<const VolumeFunctional> components;
  std::span<const Vec3> positions;   // #V: what the file would show
  std::span<const double> volumes;   // by component, signed: what it should enclose; 0: not looked at
  std::span<const double> mobility;  // #V, >= 0: how far a vertex may go compared with others; 0: not at all
};

struct ResidualVolume {
  std::vector<Vec3> displacements;  // #V; empty if nothing had to move
  double max_displacement = 0;
  std::vector<Index> corrected;  ///< components that were off and are not any more
  std::vector<Index> unreached;  ///< components that are still off: nothing may move, or not far enough
};

/// Relative volume errors below this are rounding, and are left alone.
inline constexpr double kResidualVolumeTolerance = 1e-7;

/// Moves vertices along their normals, by `mobility` times one length for each component: the root of a cubic.
ResidualVolume residual_volume(const ResidualVolumeInput& input);

}  // namespace isochor
