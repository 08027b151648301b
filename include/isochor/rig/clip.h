#pragma once

/// An animation: channels of keys, sampled at any time with the interpolations of glTF.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/skeleton.h"

namespace isochor {

enum class Interpolation { step, linear, cubic_spline };
enum class ChannelPath { translation, rotation, scale, morph_weights };

/// Values of one property of one joint over time.
///   width   3 for translation and scale, 4 for rotation (x, y, z, w), the number of morph targets for morph_weights
///   values  #K × width; for cubic_spline #K × 3 × width: in-tangent, value, out-tangent of each key
struct Channel {
  Index joint = kNone;
  ChannelPath path = ChannelPath::translation;
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;   // #K, strictly increasing, seconds
  std::vector<double> values;  // see above
  Index width = 3;
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;

  /// The earliest and the latest key over all channels; 0 and 0 without channels.
  double start() const;
  double end() const;
  double duration() const { return end() - start(); }
};

/// The clip of that name, or of that number (from 0) where none has the name. Throws Error(bad_input) if there is none,
/// with the names that there are; `holder` is what holds them, in the sentence.
Index find_clip(std::span<const Clip> clips, std::string_view name, const std::string& holder = "the file");

/// The pose at a time (clamped to each channel's own range, as glTF has it). Joints without a channel stay at rest.
/// Rotations are slerped along the shorter arc and normalised; cubic splines follow the glTF specification, appendix C.
Pose sample(const Clip& clip, const Skeleton& skeleton, double time);
/// Writes into `pose`, which must come from rest_pose() or an earlier sample() of the same skeleton; no allocation
/// then.
void sample(const Clip& clip, const Skeleton& skeleton, double time, Pose& pose);

/// The most moments of a clip: more than eleven hours at 24 frames per second. Files hold keys 1e30 seconds apart.
inline constexpr std::size_t kMaxMoments = 1'000'000;
/// Throws Error(bad_input) for more than kMaxMoments.
void check_moments(const Clip& clip, double moments);

/// Times at which a clip is evaluated: every distinct key time if `fps` is 0, otherwise start, start + 1/fps … end.
/// Throws Error(bad_input) if those are more than kMaxMoments.
std::vector<double> frame_times(const Clip& clip, double fps = 0);

/// `moments` times spread evenly over a clip, from its start to its end; the start alone if one is asked for.
std::vector<double> even_times(const Clip& clip, int moments);

/// Channel sizes, increasing times, finite values, joints in range.
Problems validate(const Clip& clip, const Skeleton& skeleton);

/// So many sizes away, a float of 24 bits is off by a hundredth of the size: viewers, which have no more, show no
/// shape.
inline constexpr double kFarAway = 1e5;

/// A warning if the clip takes a character of that size so far away.
Problems check_reach(const Clip& clip, double size);

}  // namespace isochor
