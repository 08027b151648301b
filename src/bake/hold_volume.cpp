#include <algorithm>
#include <iterator>
#include <map>
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

/// Whether a key at this moment would show its volume: it is held, and not lost in rounding far away.
bool makes_a_key(const CorrectedPlayback::Frame& frame, double allowed) {
  const Box box = bounding_box(frame.corrected.positions);
  const auto& components = frame.corrected.components;
  return box.center().norm() <= kFarAway * box.diagonal().norm() &&
         std::all_of(components.begin(), components.end(), [&](const ComponentVolume& volume) {
           return !volume.has_volume || volume.error_after() <= allowed;
         });
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
    motion_.deformer = options.playback.deformer;
    motion_.medial = options.playback.medial;
    motion_.keeps_faces = playback_.keeps_faces() && options.between.volume_error > 0;
    const bool asked = options.form == HeldForm::offsets && options.between.volume_error > 0;
    if (asked && !motion_.shown_by_skinning) motion_.between.emplace();
  }

  void hold(Index clip, double done, double share) {
    const Clip& of = clips_[clip];
    for (Problem& problem : check_reach(of, size_)) motion_.problems.push_back(std::move(problem));
    const bool steps = steps_throughout(of);
    const std::vector<double> times = bake_times(of, options_.fps);
    begin(of, times);
    frames_.begin_clip(clip, steps ? Interpolation::step : Interpolation::linear);
    pasts_.clear();
    const bool looks = motion_.between && !steps;
    Share keys{done, looks ? share * kShareOfKeys : share};
    play(of, times, keys);
    if (looks) add_between(of, times, {done + keys.size, share - keys.size});
  }

  HeldMotion take() {
    motion_.volume = playback_.report();
    frames_.take(motion_);
    if (motion_.between) report_gaps();
    for (Problem& problem : playback_.problems()) motion_.problems.push_back(std::move(problem));
    return std::move(motion_);
  }

 private:
  /// Where the progress of a clip begins, and how far it goes.
  struct Share {
    double begin = 0, size = 1;
  };
  /// Keys are corrected and held; moments between them corrected and looked at, most of them once.
  static constexpr double kShareOfKeys = 0.6;
  /// Moments between two reports of progress: enough for any number of threads to be busy.
  static constexpr std::size_t kMomentsAtOnce = 64;

  void begin(const Clip& clip, std::span<const double> times) {
    std::vector<Pose> poses;
    poses.reserve(times.size());
    for (const double time : times) poses.push_back(sample(clip, skeleton_, time));
    playback_.begin(poses);
  }

  /// Calls body(first, moments) for the moments at these times, some at once.
  template <class Body>
  void for_moments(const Clip& clip, std::span<const double> times, Share share, const Body& body) {
    for (std::size_t first = 0; first < times.size(); first += kMomentsAtOnce) {
      context_.progress("play",
                        share.begin + share.size * static_cast<double>(first) / static_cast<double>(times.size()));
      std::vector<CorrectedPlayback::Moment> moments;
      for (const double time : times.subspan(first, std::min(kMomentsAtOnce, times.size() - first))) {
        moments.push_back({time, sample(clip, skeleton_, time)});
      }
      body(first, std::span<const CorrectedPlayback::Moment>(moments));
    }
  }

  /// A moment that was looked at: all that is needed of it if it becomes a key.
  struct Looked {
    HeldFrames::Moment moment;
    CorrectionEvidence evidence;
    AxesTrack track;
  };

  HeldFrames::Moment held(const CorrectedPlayback::Frame& frame, Context& context) const {
    const StageTimer timer(context, "bake");
    return frames_.hold(playback_, frame, context);
  }

  void add(double time, HeldFrames::Moment&& moment, AxesTrack&& track) {
    frames_.add(std::move(moment));
    if (motion_.between) pasts_[time] = std::move(track);
  }

  void play(const Clip& clip, std::span<const double> times, Share share) {
    for_moments(clip, times, share, [&](std::size_t, std::span<const CorrectedPlayback::Moment> moments) {
      std::vector<HeldFrames::Moment> held_moments(moments.size());
      std::vector<AxesTrack> tracks(moments.size());
      playback_.play(
          moments,
          [&](std::size_t i, const CorrectedPlayback::Frame& frame, Context& context) {
            held_moments[i] = held(frame, context);
            tracks[i] = frame.track;
          },
          context_);
      for (std::size_t i = 0; i < moments.size(); ++i) {
        add(moments[i].time, std::move(held_moments[i]), std::move(tracks[i]));
      }
    });
  }

  /// What lines between keys get wrong at moments between them. Each knows of the key before it, whatever comes later
  /// in the clip. Those that may become keys are held at once, and are not solved again.
  std::vector<BetweenError> look(const Clip& clip, std::span<const double> times, double allowed, Share share) {
    std::vector<BetweenError> errors(times.size());
    looked_.assign(times.size(), {});
    for_moments(clip, times, share, [&](std::size_t first, std::span<const CorrectedPlayback::Moment> moments) {
      std::vector<AxesTrack> pasts;
      for (const auto& moment : moments) pasts.push_back(std::prev(pasts_.upper_bound(moment.time))->second);
      playback_.look(
          moments, pasts,
          [&](std::size_t i, const CorrectedPlayback::Frame& frame, Context& context) {
            BetweenError& error = errors[first + i];
            {
              const StageTimer timer(context, "between");
              error = frames_.between(playback_, frame, context);
              if (!error.within(allowed) && !makes_a_key(frame, allowed)) {
                error.volume = allowed;
              }
            }
            if (!error.within(allowed)) looked_[first + i] = {held(frame, context), frame.corrected, frame.track};
          },
          context_);
    });
    return errors;
  }

  /// Keys between those of the clip, where lines from key to key lose volume; then faces that these lines turn over are
  /// turned back.
  void add_between(const Clip& clip, std::span<const double> times, Share share) {
    const auto errors = [&](std::span<const double> middles, double allowed) {
      auto found = look(clip, middles, allowed, share);
      share = {share.begin + share.size, 0};  // later rounds are short
      return found;
    };
    const auto add_key = [&](std::size_t i) {
      Looked& key = looked_[i];
      playback_.record(key.evidence);
      add(key.moment.frame.time, std::move(key.moment), std::move(key.track));
    };
    BetweenKeys found = add_keys_between(times, options_.between, {.errors = errors, .add = add_key});
    looked_.clear();
    {
      const StageTimer timer(context_, "bake");
      found.max_error.turned = frames_.mend(playback_, clip, found.turned, context_);
    }
    BetweenKeys& all = *motion_.between;
    all.added.insert(all.added.end(), found.added.begin(), found.added.end());
    all.turned.insert(all.turned.end(), found.turned.begin(), found.turned.end());
    all.gaps_beyond += found.gaps_beyond;
    all.max_error.volume = std::max(all.max_error.volume, found.max_error.volume);
    all.max_error.position = std::max(all.max_error.position, found.max_error.position);
    all.max_error.turned = std::max(all.max_error.turned, found.max_error.turned);
  }

  void report_gaps() {
    const std::size_t gaps = motion_.between->gaps_beyond;
    const BetweenError& worst = motion_.between->max_error;
    if (gaps > 0) {
      motion_.problems.push_back({Severity::warning,
                                  "bake-between",
                                  "in " + count_of(gaps, "gap") +
                                      " between keys the motion jumps, or is too fast for " +
                                      std::to_string(1 << kMostHalvings) + " keys more: a volume is off by " +
                                      short_number(100 * worst.volume, 3) + " % half-way",
                                  {},
                                  static_cast<std::int64_t>(gaps)});
    }
    if (worst.turned > 0) {
      motion_.problems.push_back({Severity::warning,
                                  "bake-turned",
                                  "half-way between two keys " + count_of(worst.turned, "face") +
                                      (worst.turned == 1 ? " is" : " are") + " turned over that no offset turns back",
                                  {},
                                  static_cast<std::int64_t>(worst.turned)});
    }
  }

  const HoldOptions& options_;
  Context& context_;
  const std::vector<Clip>& clips_;
  const Skeleton& skeleton_;
  double size_;
  CorrectedPlayback playback_;
  HeldFrames frames_;
  HeldMotion motion_{};
  std::map<double, AxesTrack> pasts_;  // by time of the clip's keys: what moments after them know of the past
  std::vector<Looked> looked_;         // by moment that was looked at last
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
