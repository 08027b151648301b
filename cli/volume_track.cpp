#include "volume_track.h"

#include <algorithm>
#include <cmath>

namespace isochor::cli {

VolumeSample sample_volume(const Playback& playback, const Playback::Frame& frame, double time) {
  VolumeSample sample{.time = time, .change = std::vector<double>(frame.volumes.size(), 0.0)};
  for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
    if (playback.has_volume(c) && frame.target_volumes[c] != 0) {
      sample.change[c] = frame.volumes[c] / frame.target_volumes[c] - 1;
    }
  }
  return sample;
}

std::vector<VolumeSample> track_volume(const Playback& playback, const Clip& clip, std::span<const double> times,
                                       Deformer deformer, Session& session) {
  std::vector<VolumeSample> samples;
  for (std::size_t i = 0; i < times.size(); ++i) {
    session.context().progress("skin", static_cast<double>(i) / static_cast<double>(times.size()));
    const StageTimer timer(session.context(), "skin");
    const Pose pose = sample(clip, playback.character().skeleton, times[i]);
    samples.push_back(sample_volume(playback, playback.pose(pose, deformer, session.context()), times[i]));
  }
  session.context().progress("skin", 1);
  return samples;
}

double max_error(std::span<const VolumeSample> samples, std::size_t component) {
  double error = 0;
  for (const VolumeSample& sample : samples) error = std::max(error, std::abs(sample.change[component]));
  return error;
}

Json components_json(const Playback& playback, std::span<const VolumeSample> samples) {
  Json components = Json::array();
  for (std::size_t c = 0; c < playback.rest_volumes().size(); ++c) {
    const double error = max_error(samples, c);
    components.push_back({{"vertices", playback.topology().components[c].vertices.size()},
                          {"rest", playback.rest_volumes()[c]},
                          {"measured", playback.has_volume(c)},
                          {"max_error_before", error},
                          {"max_error_after", error}});
  }
  return components;
}

}  // namespace isochor::cli
