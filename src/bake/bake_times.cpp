#include "isochor/bake/bake_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor {
namespace {

/// Where some joints step and others do not, weights change linearly; a step between neighbouring floats is one.
void add_moments_before_steps(const Clip& clip, std::vector<double>& times) {
  const std::size_t keys = times.size();
  for (const Channel& channel : clip.channels) {
    if (channel.interpolation != Interpolation::step || channel.times.empty()) continue;
    const std::size_t width = channel.values.size() / channel.times.size();
    for (std::size_t k = 1; k < channel.times.size(); ++k) {
      const auto value = channel.values.begin() + static_cast<std::ptrdiff_t>(k * width);
      const bool moves =
          !std::equal(value, value + static_cast<std::ptrdiff_t>(width), value - static_cast<std::ptrdiff_t>(width));
      const float time = static_cast<float>(channel.times[k]);
      if (moves) times.push_back(std::nextafter(time, -std::numeric_limits<float>::infinity()));
    }
  }
  if (times.size() == keys) return;
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

bool steps_throughout(const Clip& clip) {
  bool any = false;
  for (const Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::morph_weights || channel.times.size() < 2) continue;
    if (channel.interpolation != Interpolation::step) return false;
    any = true;
  }
  return any;
}

std::vector<double> bake_times(const Clip& clip, double fps) {
  std::vector<double> times;
  const auto add = [&](double time) {
    const double rounded = static_cast<float>(time);
    if (times.empty() || rounded > times.back()) times.push_back(rounded);
  };
  const bool fill = fps == 0 && !steps_throughout(clip);
  std::vector<double> frames = frame_times(clip, fps);
  if (fill) add_moments_before_steps(clip, frames);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const double gap = fill && k > 0 ? frames[k] - frames[k - 1] : 0;
    check_moments(clip, static_cast<double>(times.size()) + gap / kLongestGap);
    const auto pieces = static_cast<int>(std::ceil(gap / kLongestGap));
    for (int i = 1; i < pieces; ++i) add(frames[k - 1] + gap * i / pieces);
    add(frames[k]);
  }
  return times;
}

std::vector<CorrectedPlayback::Moment> bake_moments(const Clip& clip, const Skeleton& skeleton, double fps) {
  std::vector<CorrectedPlayback::Moment> moments;
  for (const double time : bake_times(clip, fps)) moments.push_back({time, sample(clip, skeleton, time)});
  return moments;
}

}  // namespace isochor
