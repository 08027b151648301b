#include "isochor/rig/clip.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "isochor/base/error.h"

namespace isochor {
namespace {

/// Two keys and where the time lies between them.
struct Segment {
  std::size_t left = 0, right = 0;
  double fraction = 0;
  double length = 0;  // seconds
};

Segment find_segment(std::span<const double> times, double time) {
  const auto after = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  if (after == 0) return {0, 0, 0, 0};
  if (after == times.size()) return {after - 1, after - 1, 0, 0};
  const double length = times[after] - times[after - 1];
  return {after - 1, after, (time - times[after - 1]) / length, length};
}

/// Reads channel values; cubic splines store in-tangent, value, out-tangent.
struct Values {
  const Channel& channel;

  const double* at(std::size_t key, int part = 1) const {
    const auto width = static_cast<std::size_t>(channel.width);
    if (channel.interpolation != Interpolation::cubic_spline) return channel.values.data() + key * width;
    return channel.values.data() + (key * 3 + static_cast<std::size_t>(part)) * width;
  }
};

/// Hermite spline of the glTF specification, appendix C.
double cubic(const Values& values, const Segment& s, Index i) {
  const double t = s.fraction, t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * values.at(s.left)[i] + s.length * (t3 - 2 * t2 + t) * values.at(s.left, 2)[i] +
         (-2 * t3 + 3 * t2) * values.at(s.right)[i] + s.length * (t3 - t2) * values.at(s.right, 0)[i];
}

double component(const Channel& channel, const Segment& s, Index i) {
  const Values values{channel};
  if (s.left == s.right || channel.interpolation == Interpolation::step) return values.at(s.left)[i];
  if (channel.interpolation == Interpolation::cubic_spline) return cubic(values, s, i);
  const double a = values.at(s.left)[i];
  return a + (values.at(s.right)[i] - a) * s.fraction;
}

Quat rotation(const Channel& channel, const Segment& s) {
  const Values values{channel};
  const auto key = [&](std::size_t k) {
    return Quat(values.at(k)[3], values.at(k)[0], values.at(k)[1], values.at(k)[2]);
  };
  Quat q;
  if (s.left == s.right || channel.interpolation == Interpolation::step) {
    q = key(s.left);
  } else if (channel.interpolation == Interpolation::cubic_spline) {
    q = Quat(cubic(values, s, 3), cubic(values, s, 0), cubic(values, s, 1), cubic(values, s, 2));
  } else {
    q = key(s.left).normalized().slerp(s.fraction, key(s.right).normalized());
  }
  const double norm = q.norm();
  return norm > 0 ? Quat(q.coeffs() / norm) : Quat::Identity();
}

Vec3 vector(const Channel& channel, const Segment& s) {
  return {component(channel, s, 0), component(channel, s, 1), component(channel, s, 2)};
}

void apply_channel(const Channel& channel, double time, Pose& pose) {
  if (channel.times.empty()) return;
  const Segment segment = find_segment(channel.times, time);
  Transform& local = pose.local[channel.joint];
  switch (channel.path) {
    case ChannelPath::translation:
      local.translation = vector(channel, segment);
      break;
    case ChannelPath::rotation:
      local.rotation = rotation(channel, segment);
      break;
    case ChannelPath::scale:
      local.scale = vector(channel, segment);
      break;
    case ChannelPath::morph_weights: {
      if (pose.morph_weights.empty()) pose.morph_weights.resize(pose.local.size());
      auto& weights = pose.morph_weights[channel.joint];
      weights.resize(static_cast<std::size_t>(channel.width));
      for (Index i = 0; i < channel.width; ++i) weights[i] = component(channel, segment, i);
      break;
    }
  }
}

}  // namespace

double Clip::start() const {
  double start = std::numeric_limits<double>::infinity();
  for (const Channel& channel : channels) {
    if (!channel.times.empty()) start = std::min(start, channel.times.front());
  }
  return std::isfinite(start) ? start : 0;
}

double Clip::end() const {
  double end = -std::numeric_limits<double>::infinity();
  for (const Channel& channel : channels) {
    if (!channel.times.empty()) end = std::max(end, channel.times.back());
  }
  return std::isfinite(end) ? end : 0;
}

Index find_clip(std::span<const Clip> clips, std::string_view name, const std::string& holder) {
  for (std::size_t c = 0; c < clips.size(); ++c) {
    if (clips[c].name == name) return static_cast<Index>(c);
  }
  Index number = kNone;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  if (is_number && number >= 0 && static_cast<std::size_t>(number) < clips.size()) return number;
  const std::string missing = "there is no clip " + std::string(name) + "; " + holder + " has ";
  if (clips.empty()) throw_bad_input(missing + "none at all");
  std::string names;
  for (const Clip& clip : clips) names += (names.empty() ? "" : ", ") + clip.name;
  throw_bad_input(missing + names);
}

Pose sample(const Clip& clip, const Skeleton& skeleton, double time) {
  Pose pose = rest_pose(skeleton);
  sample(clip, skeleton, time, pose);
  return pose;
}

void sample(const Clip& clip, const Skeleton& skeleton, double time, Pose& pose) {
  for (std::size_t j = 0; j < skeleton.size(); ++j) pose.local[j] = skeleton.joints[j].rest;
  for (auto& weights : pose.morph_weights) weights.clear();
  for (const Channel& channel : clip.channels) apply_channel(channel, time, pose);
}

void check_moments(const Clip& clip, double moments) {
  if (moments <= static_cast<double>(kMaxMoments)) return;
  throw_bad_input("the clip '" + clip.name + "' is too long: it would have more than " + std::to_string(kMaxMoments) +
                  " frames");
}

std::vector<double> frame_times(const Clip& clip, double fps) {
  std::vector<double> times;
  if (fps > 0) {
    const double duration = clip.duration();
    check_moments(clip, duration * fps);
    // The small amount keeps a last frame that rounding would push past the end.
    const auto count = static_cast<std::size_t>(std::floor(duration * fps + 1e-6)) + 1;
    for (std::size_t i = 0; i < count; ++i) times.push_back(clip.start() + static_cast<double>(i) / fps);
    if (times.back() < clip.end() - 1e-6 / fps) times.push_back(clip.end());
    return times;
  }
  for (const Channel& channel : clip.channels) times.insert(times.end(), channel.times.begin(), channel.times.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::vector<double> even_times(const Clip& clip, int moments) {
  std::vector<double> times;
  for (int i = 0; i < moments; ++i) {
    const double fraction = moments == 1 ? 0 : static_cast<double>(i) / (moments - 1);
    times.push_back(clip.start() + clip.duration() * fraction);
  }
  return times;
}

Problems validate(const Clip& clip, const Skeleton& skeleton) {
  Problems problems;
  ProblemCollector out_of_range, wrong_size, not_increasing, not_finite;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    const auto index = static_cast<Index>(c);
    if (channel.joint < 0 || static_cast<std::size_t>(channel.joint) >= skeleton.size()) out_of_range.add(index);
    const Index width = channel.path == ChannelPath::morph_weights ? channel.width
                        : channel.path == ChannelPath::rotation    ? 4
                                                                   : 3;
    const std::size_t parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
    if (channel.width != width || width < 0 || channel.times.empty() ||
        channel.values.size() != channel.times.size() * parts * static_cast<std::size_t>(width)) {
      wrong_size.add(index);
    }
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(channel.times.begin(), channel.times.end(), finite) ||
        !std::all_of(channel.values.begin(), channel.values.end(), finite)) {
      not_finite.add(index);
    } else if (std::adjacent_find(channel.times.begin(), channel.times.end(), std::greater_equal<>()) !=
               channel.times.end()) {
      not_increasing.add(index);
    }
  }
  const std::string name = "of the clip " + clip.name;
  out_of_range.report(problems, Severity::error, "channel-joint",
                      "{} channel{|s} " + name + " move{s|} joints that do not exist");
  wrong_size.report(problems, Severity::error, "channel-size",
                    "{} channel{|s} " + name + " {has|have} the wrong number of values");
  not_finite.report(problems, Severity::error, "channel-not-finite",
                    "{} channel{|s} " + name + " hold{s|} values that are not numbers");
  not_increasing.report(problems, Severity::error, "channel-times",
                        "{} channel{|s} " + name + " {has|have} times that do not increase");
  return problems;
}

Problems check_reach(const Clip& clip, double size) {
  ProblemCollector far;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    if (channel.path != ChannelPath::translation || !(size > 0)) continue;
    const auto is_far = [&](double x) { return std::abs(x) > kFarAway * size; };
    if (std::any_of(channel.values.begin(), channel.values.end(), is_far)) far.add(static_cast<Index>(c));
  }
  Problems problems;
  far.report(
      problems, Severity::warning, "channel-far",
      "{} channel{|s} of the clip " + clip.name +
          " move{s|} a joint by more than 100,000 times the character's size, where single precision shows no shape");
  return problems;
}

}  // namespace isochor
