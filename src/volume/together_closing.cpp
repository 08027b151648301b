#include "volume/together_closing.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "volume/rest_carrier.h"
#include "volume/saturate.h"
#include "volume/vertex_kernels.h"

namespace isochor::volume {
namespace {

/// Fields of the artist's may go this much further than the joints' own.
constexpr double kOwnReach = 2;
/// The closing stops where the total is this near to its target, relative to it: a few hundred roundings.
constexpr double kClosed = 1e-13;
/// A closing direction that changes the volume by less than this, relative to what it would do along normals, has no
/// hold.
constexpr double kNoHold = 1e-9;

/// Saturated vertices move in the last step too, or the few that are not would go far.
double closing_share(double slope) { return 0.2 + 0.8 * slope; }

/// Before anything moves.
void start_from_pose(const BalancedPose& in, ClosingBuffers& buffers) {
  std::copy(in.pose.ring_volume.begin(), in.pose.ring_volume.end(), buffers.ring_volume.begin());
  for (const Index v : in.pose.extent.functional(in.at.component).vertices()) {
    buffers.positions[v] = in.at.posed.positions[v];
    buffers.closing[v].setZero();
  }
}

/// How far each vertex goes along its normal, and how far in the closing direction.
void find_heights(const BalancedPose& in, std::span<double> height, std::span<double> closing_height) {
  const TogetherPlan& plan = in.at.plan;
  for (const Index v : in.pose.extent.support) {
    double amount = 0, closing = 0;
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const Gift& gift = in.gifts.of_region[plan.blend_region[b]];
      amount += in.givers.gamma[b] * gift.amount;
      closing += in.givers.gamma[b] * gift.closing;
    }
    const Saturated saturated = saturate(amount, in.givers.limit[v]);
    height[v] = saturated.value;
    closing_height[v] = closing_share(saturated.slope) * closing;
  }
}

/// What fields of the artist's ask for, as far as the body's radius bears it.
void find_own_shifts(const BalancedPose& in, std::span<Vec3> shift, std::span<double> slope) {
  for (const Index v : in.pose.extent.support) shift[v].setZero();
  for (std::size_t g = 0; g < in.givers.all.size(); ++g) {
    for (const Move& move : in.givers.moves_of(in.givers.all[g])) {
      shift[move.vertex] += in.gifts.of_giver[g].amount * move.d;
    }
  }
  const double limit = kOwnReach * in.at.plan.options.reach;
  for (const Index v : in.pose.extent.support) {
    const double radius = in.at.scale * in.at.plan.radius[v];
    const double length = shift[v].norm();
    slope[v] = 1;
    if (!(length > 0) || !(radius > 0)) continue;
    const Saturated saturated = saturate(length / radius, limit);
    slope[v] = saturated.slope;
    shift[v] = saturated.value * radius / length * shift[v];
  }
}

/// Positions and closing direction in the pose, where not everything goes along normals.
void displace(const BalancedPose& in, ClosingBuffers& buffers) {
  const Extent& extent = in.pose.extent;
  if (extent.wide) find_own_shifts(in, buffers.own_shift, buffers.own_slope);
  for (const Index v : extent.support) {
    buffers.positions[v] = in.at.posed.positions[v] + buffers.height[v] * in.pose.normal[v];
    if (extent.wide) buffers.positions[v] += buffers.own_shift[v];
    buffers.closing[v] = buffers.closing_height[v] * in.pose.normal[v];
  }
  for (std::size_t g = 0; g < in.givers.all.size(); ++g) {
    for (const Move& move : in.givers.moves_of(in.givers.all[g])) {
      const double free = closing_share(buffers.own_slope[move.vertex]);
      buffers.closing[move.vertex] += free * in.at.sign() * in.gifts.of_giver[g].closing * move.d;
    }
  }
}

/// Rohmer 2009, 2.2: what is missing to the total, one axis after another.
void step_along_axes(const BalancedPose& in, ClosingBuffers& buffers) {
  const ComponentPlan& component = in.at.component;
  const Extent& extent = in.pose.extent;
  measure_rings(component, extent, buffers.positions, buffers.ring_volume, buffers.ring_area);
  buffers.axis_field.vertices.assign(extent.support.begin(), extent.support.end());
  buffers.axis_field.gamma.clear();
  for (const Index v : extent.support) buffers.axis_field.gamma.push_back(buffers.closing[v].norm());
  const double left = in.at.target - component_volume(component, extent, buffers.positions, buffers.ring_volume);
  buffers.axis_solver.solve(extent.functional(component), buffers.axis_field, left, buffers.positions);
}

/// Offsets at rest of displacements in the pose, and what of these can be had by offsets.
void realise(const BalancedPose& in, ClosingBuffers& buffers, std::vector<Vec3>& offsets) {
  for (const Index v : in.pose.extent.support) {
    const RestCarrier rest(in.at.posed.maps[v].leftCols<3>());
    const Vec3& start = in.at.posed.positions[v];
    const Carried moved = rest.carry(buffers.positions[v] - start);
    const Carried closing = rest.carry(buffers.closing[v]);
    offsets[v] = moved.offset;
    buffers.closing_offset[v] = closing.offset;
    buffers.positions[v] = start + moved.displacement;
    buffers.closing[v] = closing.displacement;
  }
}

/// displace() and realise() at once where all goes along normals: what holds for the normal holds for every height.
void realise_along_normals(const BalancedPose& in, ClosingBuffers& buffers, std::vector<Vec3>& offsets) {
  const PosedSkin& posed = in.at.posed;
  const auto& support = in.pose.extent.support;
  vertex_kernels::best().carry_heights({support.data(), support.size()},
                                       {.maps = numbers(posed.maps),
                                        .positions = numbers(posed.positions),
                                        .normals = numbers(in.pose.normal),
                                        .heights = buffers.height.data(),
                                        .closing_heights = buffers.closing_height.data()},
                                       {.offsets = numbers(offsets),
                                        .closing_offsets = numbers(buffers.closing_offset),
                                        .positions = numbers(buffers.positions),
                                        .closing = numbers(buffers.closing)});
}

/// About what the closing direction would do if it were along the normals everywhere.
double closing_effect(const BalancedPose& in, std::span<const double> closing_height) {
  const TogetherPlan& plan = in.at.plan;
  const double scale = in.at.scale;
  double sum = 0;
  for (const Index v : in.pose.extent.support) sum += closing_height[v] * plan.radius[v] * plan.rest_areas[v];
  for (std::size_t g = 0; g < in.givers.all.size(); ++g) {
    for (const Move& move : in.givers.moves_of(in.givers.all[g])) {
      sum += in.gifts.of_giver[g].closing * move.d.norm() / scale * plan.rest_areas[move.vertex];
    }
  }
  return scale * scale * scale * sum;
}

/// The volume along the closing direction; measures rings on the way where the extent is not wide.
VolumeCubic expand_closing(const BalancedPose& in, ClosingBuffers& buffers) {
  const ComponentPlan& component = in.at.component;
  const Extent& extent = in.pose.extent;
  if (extent.wide) return component.whole.along(buffers.positions, buffers.closing);
  return component.touched.along(buffers.positions, buffers.closing, extent.view, buffers.ring_volume);
}

/// Steps along the closing direction to the root of the cubic.
Closed close_along(const BalancedPose& in, ClosingBuffers& buffers, std::vector<Vec3>& offsets) {
  const double target = in.at.target, near = kClosed * std::abs(target);
  const auto volume_now = [&] {
    return component_volume(in.at.component, in.pose.extent, buffers.positions, buffers.ring_volume);
  };
  double volume = 0;
  constexpr int kPasses = 3;  // the second and the third are for rounding alone
  for (int pass = 0; pass < kPasses; ++pass) {
    const VolumeCubic cubic = expand_closing(in, buffers);
    volume = volume_now();
    const double left = target - volume;
    CubicRoot root{.t = 0, .found = true};
    if (std::abs(left) > near) {
      const bool holds = std::abs(cubic.c1) > kNoHold * closing_effect(in, buffers.closing_height);
      if (holds) root = continuing_root(cubic, left);
      if (!holds || !std::isfinite(root.t)) return {VolumeOutcome::no_hold, volume, buffers.ring_volume};
      for (const Index v : in.pose.extent.support) {
        buffers.positions[v] += root.t * buffers.closing[v];
        offsets[v] += root.t * buffers.closing_offset[v];
      }
    }
    measure_rings(in.at.component, in.pose.extent, buffers.positions, buffers.ring_volume, buffers.ring_area);
    volume = volume_now();
    if (!root.found) return {VolumeOutcome::no_root, volume, buffers.ring_volume};
    if (std::abs(target - volume) <= near) break;
  }
  return {VolumeOutcome::exact, volume, buffers.ring_volume};
}

/// The linear solver leaves what the first order has left.
Closed leave_open(const BalancedPose& in, ClosingBuffers& buffers) {
  measure_rings(in.at.component, in.pose.extent, buffers.positions, buffers.ring_volume, buffers.ring_area);
  const double volume = component_volume(in.at.component, in.pose.extent, buffers.positions, buffers.ring_volume);
  return {VolumeOutcome::linear, volume, buffers.ring_volume};
}

}  // namespace

ClosingBuffers::ClosingBuffers(const TogetherPlan& plan)
    : axis_solver(plan.welded->surface().vertex_count(),
                  {.solver = VolumeSolver::three_step, .norm = plan.options.solve.norm}) {
  const std::size_t vertices = plan.welded->surface().vertex_count();
  for (auto* values : {&height, &closing_height, &own_slope}) values->assign(vertices, 0.0);
  for (auto* field : {&own_shift, &closing_offset, &closing, &positions}) field->assign(vertices, Vec3::Zero());
  ring_volume.assign(plan.most_rings(), 0.0);
  ring_area.assign(plan.most_rings(), Vec3::Zero());
}

Closed close_volume(const BalancedPose& balanced, ClosingBuffers& buffers, CorrectedFrame& out) {
  const VolumeSolver solver = balanced.at.plan.options.solve.solver;
  const Extent& extent = balanced.pose.extent;
  start_from_pose(balanced, buffers);
  find_heights(balanced, buffers.height, buffers.closing_height);
  if (extent.wide || solver == VolumeSolver::three_step) {
    displace(balanced, buffers);
    if (solver == VolumeSolver::three_step) step_along_axes(balanced, buffers);
    realise(balanced, buffers, out.offsets);
  } else {
    realise_along_normals(balanced, buffers, out.offsets);
  }
  const Closed closed =
      solver == VolumeSolver::linear ? leave_open(balanced, buffers) : close_along(balanced, buffers, out.offsets);
  for (const Index v : extent.support) out.positions[v] = buffers.positions[v];
  return closed;
}

}  // namespace isochor::volume
