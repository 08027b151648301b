#pragma once

/// All joints of a component at once: how much each gives, so that every region comes as near to its rest volume as its
/// neighbours allow while the total is exact. See docs/design/volume.md. In four stages, each of which takes what those
/// before it returned, and buffers of its own:
///
///   read_pose      together_pose.h      directions, activity, volumes at the start, what may move
///   gather_givers  together_givers.h    who gives, in what shape, and how far
///   balance_gifts  together_balance.h   how much each gives
///   close_volume   together_closing.h   displacements, offsets at rest, the cubic that makes the total exact

#include <optional>

#include "volume/together_closing.h"

namespace isochor::volume {

/// A total that is this near to its target, relative to it, counts as reached.
constexpr double kReached = 1e-12;

/// The working memory of all stages, kept between frames.
struct TogetherBuffers {
  explicit TogetherBuffers(const TogetherPlan& plan) : pose(plan), givers(plan), balance(plan), closing(plan) {}

  PoseBuffers pose;
  GiverBuffers givers;
  BalanceBuffers balance;
  ClosingBuffers closing;
};

/// What is known of the rings of `touched` where the correction has ended, so that those who look at its faces need not
/// measure them again. Views of the buffers.
struct MeasuredRings {
  Extent extent;                        ///< all other rings are where the deformer put them
  std::span<const Vec3> before, after;  ///< area vectors; `after` is valid for the rings of the extent
  std::span<double> volume;             ///< at the end, see Extent
  std::span<const double> region_target;
};

/// Corrects one component in `out`, whose positions are those of the pose and whose offsets are zero there. `buffers`
/// are those of its plan. Nothing is returned where fields reach beyond `touched`.
std::optional<MeasuredRings> correct_together(const ComponentPose& at, TogetherBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
