#include <algorithm>
#include <numeric>
#include <string>

#include "bake/held_frames.h"
#include "isochor/bake/bake_times.h"
#include "isochor/bake/held_motion.h"
#include "isochor/base/error.h"
#include "isochor/base/words.h"

namespace isochor {
namespace {

std::vector<Index> chosen_clips(const Character& character, std::span<const Index> clips) {
  std::vector<Index> chosen(clips.begin(), clips.end());
  const auto count = static_cast<Index>(character.clips.size());
  if (chosen.empty()) {
    chosen.resize(character.clips.size());
    std::iota(chosen.begin(), chosen.end(), Index{0});
  }
  for (const Index clip : chosen) {
    if (clip < 0 || clip >= count) {
      throw_bad_input("there is no clip number " + std::to_string(clip) + ": the character has " +
                      std::to_string(count));
    }
  }
  return chosen;
}

bool shown_by_skinning(const HoldOptions& options) {
  return options.form == HeldForm::offsets && !options.playback.volume && options.playback.deformer == Deformer::lbs;
}

/// Plays one clip after another into frames.
class Holder {
 public:
  Holder(const WeldedCharacter& welded, const HoldOptions& options, Context& context)
      : options_(options),
        context_(context),
        clips_(welded.character().clips),
        skeleton_(welded.skeleton()),
        size_(bounding_box(welded.surface().positions).diagonal().norm()),
        playback_(welded, options.playback, context),
        frames_(welded, shown_by_skinning(options) ? HeldForm::volumes : options.form) {
    motion_.shown_by_skinning = shown_by_skinning(options);
    const bool asked = options.form == HeldForm::offsets && options.between.volume_error > 0;
    if (asked && !motion_.shown_by_skinning) motion_.between.emplace();
  }

  void hold(Index clip, double done, double share) {
    const Clip& of = clips_[clip];
    for (Problem& problem : check_reach(of, size_)) motion_.problems.push_back(std::move(problem));
    const bool steps = steps_throughout(of);
    const std::vector<double> times = bake_times(of, options_.fps);
    std::vector<Pose> poses;
    poses.reserve(times.size());
    for (const double time : times) poses.push_back(sample(of, skeleton_, time));
    playback_.begin(poses);
    frames_.begin_clip(clip, steps ? Interpolation::step : Interpolation::linear);
    for (std::size_t k = 0; k < times.size(); ++k) {
      context_.progress("play", done + share * static_cast<double>(k) / static_cast<double>(times.size()));
      add(playback_.play(poses[k], times[k], context_));
    }
    if (motion_.between && !steps) add_between(of, times);
  }

  HeldMotion take() {
    motion_.volume = playback_.report();
    frames_.take(motion_);
    if (motion_.between) report_gaps();
    for (Problem& problem : playback_.problems()) motion_.problems.push_back(std::move(problem));
    return std::move(motion_);
  }

 private:
  void add(const CorrectedPlayback::Frame& frame) {
    const StageTimer timer(context_, "bake");
    frames_.add(playback_, frame, context_);
  }

  /// Keys between those of the clip, where lines from key to key lose volume. A moment that becomes a key was looked at
  /// just before, and is not solved again.
  void add_between(const Clip& clip, std::span<const double> times) {
    CorrectedPlayback::Frame moment;
    const auto error = [&](double time) {
      moment = playback_.look(sample(clip, skeleton_, time), time, context_);
      const StageTimer timer(context_, "between");
      return frames_.between(playback_, moment, context_);
    };
    const auto add_key = [&](double) {
      playback_.keep(moment);
      add(moment);
    };
    const BetweenKeys found = add_keys_between(times, options_.between, {.error = error, .add = add_key});
    BetweenKeys& all = *motion_.between;
    all.added.insert(all.added.end(), found.added.begin(), found.added.end());
    all.gaps_beyond += found.gaps_beyond;
    all.max_error.volume = std::max(all.max_error.volume, found.max_error.volume);
    all.max_error.position = std::max(all.max_error.position, found.max_error.position);
  }

  void report_gaps() {
    const std::size_t gaps = motion_.between->gaps_beyond;
    if (gaps == 0) return;
    const double percent = 100 * motion_.between->max_error.volume;
    motion_.problems.push_back({Severity::warning,
                                "bake-between",
                                "in " + count_of(gaps, "gap") + " between keys the motion jumps, or is too fast for " +
                                    std::to_string(1 << kMostHalvings) + " keys more: a volume is off by " +
                                    short_number(percent, 3) + " % half-way",
                                {},
                                static_cast<std::int64_t>(gaps)});
  }

  const HoldOptions& options_;
  Context& context_;
  const std::vector<Clip>& clips_;
  const Skeleton& skeleton_;
  double size_;
  CorrectedPlayback playback_;
  HeldFrames frames_;
  HeldMotion motion_{};
};

}  // namespace

SparseOffsets compress(std::span<const Vec3> values) {
  SparseOffsets out;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const Vec3f value = values[v].cast<float>();
    if (value == Vec3f::Zero()) continue;
    out.vertices.push_back(static_cast<Index>(v));
    out.values.push_back(value);
  }
  return out;
}

std::vector<Vec3> expand(const SparseOffsets& offsets, std::size_t vertices) {
  std::vector<Vec3> out(vertices, Vec3::Zero());
  for (std::size_t i = 0; i < offsets.vertices.size(); ++i) out[offsets.vertices[i]] = offsets.values[i].cast<double>();
  return out;
}

std::size_t HeldMotion::frame_count() const {
  std::size_t count = 0;
  for (const HeldClip& clip : clips) count += clip.frames.size();
  return count;
}

HeldMotion hold_volume(const WeldedCharacter& welded, const HoldOptions& options, Context& context) {
  check_ranges(options.between);
  const std::vector<Index> clips = chosen_clips(welded.character(), options.clips);
  Holder holder(welded, options, context);
  const double share = 1 / static_cast<double>(std::max<std::size_t>(clips.size(), 1));
  for (std::size_t i = 0; i < clips.size(); ++i) holder.hold(clips[i], share * static_cast<double>(i), share);
  context.progress("play", 1);
  return holder.take();
}

}  // namespace isochor
