#include "volume/together.h"

#include <cmath>

namespace isochor::volume {
namespace {

/// What is known before anything moves, and stays so where nothing can give.
void report_start(const ComponentPose& at, const PoseReading& pose, CorrectedFrame& out) {
  ComponentVolume& volume = out.components[at.component.index];
  volume.target = at.target;
  volume.before = volume.after = pose.start_volume;
  volume.residual = at.target - pose.start_volume;
  for (Index r = at.component.first_region; r < at.component.end_region(); ++r) {
    const double error = std::abs(pose.region_error[r]);
    out.joints[r] = {.error_before = error, .error_after = error};
  }
}

/// Vertices that follow one bone each, but not the same: no joint blends, and yet the skin between them stretches.
bool stretched(const ComponentPose& at, const PoseReading& pose) {
  return !at.component.rigid && std::abs(at.target - pose.start_volume) > kReached * std::abs(at.target);
}

void report_end(const ComponentPose& at, const PoseReading& pose, const Closed& closed, CorrectedFrame& out) {
  ComponentVolume& volume = out.components[at.component.index];
  volume.outcome = closed.outcome;
  volume.after = closed.volume;
  volume.residual = at.target - closed.volume;
  for (Index r = at.component.first_region; r < at.component.end_region(); ++r) {
    out.joints[r].error_after = std::abs(region_error(at, r, pose.region_target[r], closed.ring_volume));
  }
}

}  // namespace

std::optional<MeasuredRings> correct_together(const ComponentPose& at, TogetherBuffers& buffers, CorrectedFrame& out) {
  const PoseReading pose = read_pose(at, buffers.pose);
  const Givers givers = gather_givers(at, pose, buffers.givers);
  report_start(at, pose, out);
  if (givers.all.empty() || at.target == 0) {
    const bool linear = at.plan.options.solve.solver == VolumeSolver::linear;
    if (stretched(at, pose) && !linear) out.components[at.component.index].outcome = VolumeOutcome::no_hold;
    return MeasuredRings{};  // nothing moves
  }
  const Gifts gifts = balance_gifts(at, pose, givers, buffers.balance);
  const Closed closed = close_volume({at, pose, givers, gifts}, buffers.closing, out);
  report_end(at, pose, closed, out);
  if (pose.extent.wide) return {};
  return MeasuredRings{.extent = pose.extent,
                       .before = pose.ring_area,
                       .after = buffers.closing.ring_area,
                       .volume = buffers.closing.ring_volume,
                       .region_target = pose.region_target};
}

}  // namespace isochor::volume
