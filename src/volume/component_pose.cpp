#include "volume/component_pose.h"

#include <cmath>

namespace isochor::volume {

double length_scale(const PosedSkin& posed, Index component) {
  return std::cbrt(std::abs(posed.target_volumes[component] / posed.rest_volumes[component]));
}

double ComponentPose::scaled_size(Index region) const { return std::abs(ratio) * plan.regions[region].size; }

ComponentPose component_pose(const TogetherPlan& plan, const ComponentPlan& component, const PosedSkin& posed,
                             std::span<const JointField> fields) {
  const double target = posed.target_volumes[component.index];
  const double ratio = target / posed.rest_volumes[component.index];
  return {.plan = plan,
          .component = component,
          .posed = posed,
          .fields = fields,
          .target = target,
          .ratio = ratio,
          .scale = length_scale(posed, component.index)};
}

void measure_rings(const ComponentPlan& component, const Extent& extent, std::span<const Vec3> positions,
                   std::span<double> ring_volumes, std::span<Vec3> areas) {
  component.touched.ring_volumes(positions, extent.view, ring_volumes, areas);
  measure_lids(component, extent, positions, ring_volumes);
}

void measure_lids(const ComponentPlan& component, const Extent& extent, std::span<const Vec3> positions,
                  std::span<double> ring_volumes) {
  component.lids.ring_volumes(positions, {extent.view.origin, component.lids.all_rings()},
                              ring_volumes.subspan(component.touched.ring_count()));
}

double component_volume(const ComponentPlan& component, const Extent& extent, std::span<const Vec3> positions,
                        std::span<const double> ring_volumes) {
  if (extent.wide) return component.whole.volume(positions);
  double sum = 0;
  for (const double volume : ring_volumes.first(component.touched.ring_count())) sum += volume;
  return extent.untouched_volume + sum;
}

double region_error(const ComponentPose& at, Index region, double target, std::span<const double> ring_volumes) {
  double volume = 0;
  for (const Index ring : at.plan.rings[region]) volume += ring_volumes[ring];
  const double size = at.scaled_size(region);
  return size > 0 ? (target - volume) / size : 0;
}

}  // namespace isochor::volume
