#pragma once

/// Which balls of the medial say nothing that a larger one does not say. Lengths are in voxels.

#include <algorithm>

#include "isochor/base/types.h"

namespace isochor::ball_rule {

/// The scale of the scale axis (Giesen et al. 2009). In a wedge it drops what the angle of 75° drops: balls in a wedge
/// of half the angle a lie (r' - r) / sin(a) apart, and 1 / sin(52.5°) is 1.26.
constexpr double kScale = 1.25;
/// What sticks out by less than the tolerance of the complex is not known.
constexpr double kTolerance = 1;
/// The larger ball counts if the way to it is not much longer than the straight line: a finger beside a thigh is no
/// bump of it.
constexpr double kWayPerLine = 1.5;
constexpr double kWayVoxels = 3;

/// Whether a ball holds all but a little of a smaller one whose centre is at the distance `line`.
inline bool holds(double radius, double line, double smaller) {
  const double more = radius - smaller;
  return more > 0 && line - more <= std::max((kScale - 1) * more, kTolerance);
}

inline bool is_direct(double way, double line) { return way <= kWayPerLine * line + kWayVoxels; }

}  // namespace isochor::ball_rule
