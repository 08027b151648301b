#pragma once

/// Last stage of `together`: the gifts become displacements, displacements offsets at rest, and the total exact.

#include <span>
#include <vector>

#include "volume/together_balance.h"

namespace isochor::volume {

/// What the stages before have found.
struct BalancedPose {
  const ComponentPose& at;
  const PoseReading& pose;
  const Givers& givers;
  const Gifts& gifts;
};

struct Closed {
  VolumeOutcome outcome = VolumeOutcome::nothing;
  double volume = 0;
  std::span<const double> ring_volume;  ///< see Extent; a view of the buffers
};

/// Kept between frames.
struct ClosingBuffers {
  explicit ClosingBuffers(const TogetherPlan& plan);

  // #V, valid on the support. Heights are along the pose's normals, in local radii.
  std::vector<double> height, closing_height;
  std::vector<Vec3> own_shift;           // what fields of the artist's add
  std::vector<double> own_slope;         // how much of a little more would be granted, 1 where nothing saturates
  std::vector<Vec3> closing_offset;      // the closing direction at rest
  std::vector<Vec3> closing, positions;  // #V, valid where the extent's functional has vertices
  std::vector<double> ring_volume;
  std::vector<Vec3> ring_area;  // by ring of `touched`: area vectors
  CorrectionField axis_field;
  FieldSolver axis_solver;
};

/// Writes out.positions and out.offsets on the support. Allocates nothing but for three-step, once.
Closed close_volume(const BalancedPose& balanced, ClosingBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
