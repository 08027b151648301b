#pragma once

/// The moments of a clip that are baked.

#include <vector>

#include "isochor/rig/clip.h"
#include "isochor/volume/corrected_playback.h"

namespace isochor {

/// Morph weights change along lines from key to key, and what is baked does not: keys farther apart than this, in
/// seconds, get others between them.
inline constexpr double kLongestGap = 0.05;

/// frame_times(), as the floats that a file holds. If `fps` is 0 the clip's own keys, with more between those that
/// are farther apart than kLongestGap, and the last float before each step of a joint where others do not step. Throws
/// Error(bad_input) for more than kMaxMoments.
std::vector<double> bake_times(const Clip& clip, double fps);

/// The clip at these times.
std::vector<CorrectedPlayback::Moment> bake_moments(const Clip& clip, const Skeleton& skeleton, double fps);

/// Whether all joints of a clip step from key to key.
bool steps_throughout(const Clip& clip);

}  // namespace isochor
