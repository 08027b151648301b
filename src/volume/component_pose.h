#pragma once

/// One component in one pose: what every stage of `together` is given, and how its volumes are measured.

#include <span>

#include "volume/together_plan.h"

namespace isochor::volume {

/// How much longer lengths of a component are in the pose: the cube root of what its volume was multiplied by.
double length_scale(const PosedSkin& posed, Index component);

/// Refers to what it was made of.
struct ComponentPose {
  const TogetherPlan& plan;
  const ComponentPlan& component;
  const PosedSkin& posed;
  std::span<const JointField> fields;  ///< those of the artist's, on any component
  double target = 0;                   ///< the volume asked for, signed
  double ratio = 1;                    ///< target over rest
  double scale = 1;                    ///< of lengths: the cube root of |ratio|

  /// -1 where the pose mirrors the component.
  double sign() const { return ratio < 0 ? -1 : 1; }
  /// What the errors of a region are relative to.
  double scaled_size(Index region) const;
};

ComponentPose component_pose(const TogetherPlan& plan, const ComponentPlan& component, const PosedSkin& posed,
                             std::span<const JointField> fields);

/// What may move in a pose, and what its volume is measured by. The volume of every ring of the component's `touched`,
/// then of its `lids`, is kept, so that rings that cannot change are measured once.
struct Extent {
  std::span<const Index> support;  ///< vertices, increasing
  RingView view;                   ///< the rings of `touched` around them; rings are no closed surface by themselves,
                                   ///< so that the origin stays where it is for all of a frame
  double untouched_volume = 0;     ///< of the rings that are not in `touched`
  bool wide = false;               ///< fields of the artist's move the component, and may reach beyond its blends
  bool without_sleepers = false;   ///< joints that do not move are left out, with all that only they would move

  /// What changes the volume when the support moves.
  const VolumeFunctional& functional(const ComponentPlan& component) const {
    return wide ? component.whole : component.touched;
  }
};

/// Measures the rings of the extent and all lids; the other entries of `ring_volumes` stay. Of the former, `areas` has
/// the area vectors.
void measure_rings(const ComponentPlan& component, const Extent& extent, std::span<const Vec3> positions,
                   std::span<double> ring_volumes, std::span<Vec3> areas);
/// Measures the lids alone.
void measure_lids(const ComponentPlan& component, const Extent& extent, std::span<const Vec3> positions,
                  std::span<double> ring_volumes);

/// The volume of the whole component, from rings measured at `positions`.
double component_volume(const ComponentPlan& component, const Extent& extent, std::span<const Vec3> positions,
                        std::span<const double> ring_volumes);

/// What is missing to a region's target volume, relative to its size.
double region_error(const ComponentPose& at, Index region, double target, std::span<const double> ring_volumes);

}  // namespace isochor::volume
