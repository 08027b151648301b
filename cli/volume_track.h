#pragma once

/// The volume of each component over the frames of clips: what reports, plots and gates speak of.

#include <span>
#include <vector>

#include "isochor/deform/playback.h"
#include "session.h"

namespace isochor::cli {

/// One moment: how far each component is from the volume it should have, relative and signed.
struct VolumeSample {
  double time = 0;
  std::vector<double> change;  // by component: volume / target - 1; 0 for components without volume
};

/// Plays a clip at some times.
std::vector<VolumeSample> track_volume(const Playback& playback, const Clip& clip, std::span<const double> times,
                                       Deformer deformer, Session& session);

VolumeSample sample_volume(const Playback& playback, const Playback::Frame& frame, double time);

/// The largest |change| of a component over some samples.
double max_error(std::span<const VolumeSample> samples, std::size_t component);

/// Report fields volume.components[].{rest, max_error_before, max_error_after}. Before and after are equal while
/// nothing is corrected.
Json components_json(const Playback& playback, std::span<const VolumeSample> samples);

}  // namespace isochor::cli
