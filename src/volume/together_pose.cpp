#include "volume/together_pose.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "isochor/base/math.h"
#include "volume/vertex_kernels.h"

namespace isochor::volume {
namespace {

/// Variation of the maps over a region (the mean squared distance from their mean, in units of the component's scale)
/// at which it counts as half active.
constexpr double kHalfActive = 0.05;
/// The activity of joints that do not move, where those that do cannot be what the volume is asked of: a breathing
/// body.
constexpr double kIdleActivity = 0.02;
/// Joints that do not move stay out as long as half of what the moving ones have lost is as much as the body has, and
/// are in with all their idle activity where half of the total remains beyond that.
constexpr double kExplainedShare = 0.5, kFullyIdle = 0.5;

void read_region_targets(const ComponentPose& at, std::span<double> out) {
  for (Index r = at.component.first_region; r < at.component.end_region(); ++r) {
    out[r] = region_target(*at.plan.welded, at.plan.regions[r], at.posed);
  }
}

/// How much the maps differ over each region.
void read_activity(const ComponentPose& at, std::span<double> out) {
  const double unit = at.scale > 0 ? 1 / (at.scale * at.scale) : 1;
  for (Index r = at.component.first_region; r < at.component.end_region(); ++r) {
    Mat3 mean = Mat3::Zero();
    double squares = 0;
    for (const Index v : at.plan.samples[r]) {
      const auto linear = at.posed.maps[v].leftCols<3>();
      mean += linear;
      squares += linear.squaredNorm();
    }
    const auto count = static_cast<double>(at.plan.samples[r].size());
    const double variation = std::max(0.0, unit * (squares / count - (mean / count).squaredNorm()));
    out[r] = variation / (variation + kHalfActive);
  }
}

bool any_asleep(const ComponentPlan& component, std::span<const double> activity) {
  const auto here = activity.subspan(component.first_region, component.region_count);
  return std::any_of(here.begin(), here.end(), [](double a) { return a < kAsleep; });
}

/// The plan's support, and whatever fields of the artist's reach on this component.
Extent full_extent(const ComponentPose& at, std::vector<Index>& own_support) {
  const ComponentPlan& component = at.component;
  const auto& positions = at.posed.positions;
  const Vec3 origin = positions[component.whole.vertices().front()];
  Extent extent{.support = component.support,
                .view = {origin, component.touched.all_rings()},
                .untouched_volume = component.untouched.volume(positions, origin)};
  if (at.fields.empty()) return extent;
  const auto& component_of = at.plan.welded->topology().component_of_vertex;
  own_support = component.support;
  for (const JointField& own : at.fields) {
    for (const Index v : own.field.vertices) {
      if (component_of[v] == component.index) own_support.push_back(v);
    }
  }
  extent.wide = own_support.size() > component.support.size();
  if (!extent.wide) return extent;
  std::sort(own_support.begin(), own_support.end());
  own_support.erase(std::unique(own_support.begin(), own_support.end()), own_support.end());
  extent.support = own_support;
  return extent;
}

/// What is left where joints that do not move, and all that only they would move, stay out of the frame.
Extent extent_without_sleepers(const ComponentPose& at, const Extent& full, PoseBuffers& buffers) {
  const TogetherPlan& plan = at.plan;
  buffers.support.clear();
  for (const Index v : full.support) {
    const auto begin = plan.blend_region.begin() + plan.blend_begin[v];
    const auto end = plan.blend_region.begin() + plan.blend_begin[v + 1];
    buffers.awake[v] = std::any_of(begin, end, [&](Index r) { return !(buffers.activity[r] < kAsleep); }) ? 1 : 0;
    if (buffers.awake[v] != 0) buffers.support.push_back(v);
  }
  buffers.rings.clear();
  for (const Index r : full.view.rings) {
    const auto ring = at.component.touched.ring(r);
    const bool moves = std::any_of(ring.begin(), ring.end(), [&](Index v) { return buffers.awake[v] != 0; });
    if (moves) buffers.rings.push_back(r);
  }
  Extent extent = full;
  extent.support = buffers.support;
  extent.view.rings = buffers.rings;
  extent.without_sleepers = true;
  return extent;
}

/// Nothing where the joints that move have lost about as much as the body; more where they have not, and all must give.
double idle_activity(const ComponentPose& at, double start_volume, const PoseBuffers& read) {
  const double total = std::abs(at.target - start_volume);
  double explained = 0;
  for (Index r = at.component.first_region; r < at.component.end_region(); ++r) {
    const double moves = read.activity[r] / (read.activity[r] + kIdleActivity);
    explained += moves * std::abs(read.region_error[r]) * at.scaled_size(r);
  }
  const double unexplained = total - kExplainedShare * explained;
  return kIdleActivity * smooth_step(0, kFullyIdle, unexplained / std::max(total, 1e-9 * std::abs(at.target)));
}

double mean_rest_area(const TogetherPlan& plan, std::span<const Index> support) {
  double sum = 0;
  for (const Index v : support) sum += plan.rest_areas[v];
  return sum > 0 ? sum / static_cast<double>(support.size()) : 1;
}

/// Fills loss and normal.
void read_maps(const ComponentPose& at, const Extent& extent, PoseBuffers& buffers) {
  const TogetherPlan& plan = at.plan;
  vertex_kernels::best().read_fibres({extent.support.data(), extent.support.size()},
                                     {.maps = numbers(at.posed.maps),
                                      .rest_normals = numbers(plan.rest_normals),
                                      .gradient = numbers(buffers.gradient),
                                      .radius = plan.radius.data(),
                                      .areas = plan.rest_areas.data(),
                                      .scale = at.scale,
                                      .sign = at.sign()},
                                     {.loss = buffers.loss.data(), .normals = numbers(buffers.normal)});
  if (plan.options.solve.norm == FieldNorm::area) return;
  const double mean_area = mean_rest_area(plan, extent.support) * at.scale * at.scale;
  for (const Index v : extent.support) {
    buffers.normal[v] = at.sign() * at.scale * plan.radius[v] * buffers.gradient[v] / mean_area;
  }
}

}  // namespace

PoseBuffers::PoseBuffers(const TogetherPlan& plan) {
  const std::size_t vertices = plan.welded->surface().vertex_count();
  support.reserve(vertices);
  rings.reserve(plan.most_rings());
  awake.assign(vertices, 0);
  for (auto* values : {&activity, &region_target, &region_error}) values->assign(plan.regions.size(), 0.0);
  ring_volume.assign(plan.most_rings(), 0.0);
  loss.assign(vertices, 0.0);
  for (auto* field : {&gradient, &normal}) field->assign(vertices, Vec3::Zero());
  ring_area.assign(plan.most_rings(), Vec3::Zero());
}

PoseReading read_pose(const ComponentPose& at, PoseBuffers& buffers) {
  const ComponentPlan& component = at.component;
  const std::span<const Vec3> positions = at.posed.positions;
  read_region_targets(at, buffers.region_target);
  read_activity(at, buffers.activity);
  const Extent full = full_extent(at, buffers.support);
  const bool sleepers = !full.wide && any_asleep(component, buffers.activity);

  // Volumes and gradient come from one pass, unless volumes must first say which rings the gradient needs.
  const bool one_pass = !full.wide && !sleepers;
  if (one_pass) {
    component.touched.gradient(positions, full.view, buffers.gradient, buffers.ring_volume, buffers.ring_area);
    measure_lids(component, full, positions, buffers.ring_volume);
  } else {
    measure_rings(component, full, positions, buffers.ring_volume, buffers.ring_area);
  }
  const double start_volume = component_volume(component, full, positions, buffers.ring_volume);
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    buffers.region_error[r] = region_error(at, r, buffers.region_target[r], buffers.ring_volume);
  }
  const double idle = idle_activity(at, start_volume, buffers);
  const Extent extent = sleepers && idle == 0 ? extent_without_sleepers(at, full, buffers) : full;
  if (extent.wide) {
    component.whole.gradient(positions, buffers.gradient);
  } else if (!one_pass) {
    component.touched.gradient(positions, extent.view, buffers.gradient, {});
  }
  read_maps(at, extent, buffers);
  return {.extent = extent,
          .start_volume = start_volume,
          .idle = idle,
          .activity = buffers.activity,
          .region_target = buffers.region_target,
          .region_error = buffers.region_error,
          .ring_volume = buffers.ring_volume,
          .ring_area = buffers.ring_area,
          .gradient = buffers.gradient,
          .normal = buffers.normal,
          .loss = buffers.loss};
}

}  // namespace isochor::volume
