#pragma once

/// First stage of `together`: what is read off a pose before anything is solved.

#include <span>
#include <vector>

#include "volume/component_pose.h"

namespace isochor::volume {

/// A joint with less activity than this does not move.
constexpr double kAsleep = 1e-9;

/// Views of the buffers that it was read into.
struct PoseReading {
  Extent extent;
  double start_volume = 0;
  double idle = 0;  ///< what counts as the activity of a joint that does not move

  // By region of the plan, valid for those of the component.
  std::span<const double> activity;       ///< 0 where the joint's maps are all the same, towards 1 where they differ
  std::span<const double> region_target;  ///< volumes
  std::span<const double> region_error;   ///< at the start

  std::span<const double> ring_volume;  ///< at the start, see Extent
  std::span<const Vec3> ring_area;      ///< at the start, by ring of `touched`: area vectors

  // #V, valid on the support.
  std::span<const Vec3> gradient;  ///< ∇V
  std::span<const Vec3> normal;    ///< where to go, as long as the body is thick there
  std::span<const double> loss;    ///< the share of the squared length that the rest normal loses under the map

  bool asleep(Index region) const { return extent.without_sleepers && activity[region] < kAsleep; }
};

/// Kept between frames.
struct PoseBuffers {
  explicit PoseBuffers(const TogetherPlan& plan);

  std::vector<Index> support, rings;  // of the extent, where they are not the plan's
  std::vector<char> awake;            // #V
  std::vector<double> activity, region_target, region_error, ring_volume, loss;
  std::vector<Vec3> gradient, normal, ring_area;
};

/// Allocates nothing where no fields are given. The result is good until the next call with the same buffers.
PoseReading read_pose(const ComponentPose& at, PoseBuffers& buffers);

}  // namespace isochor::volume
