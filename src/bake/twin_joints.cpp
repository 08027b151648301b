#include "isochor/bake/twin_joints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <type_traits>

#include "bake/twin_frames.h"
#include "bake/twin_share_fit.h"
#include "bake/twin_shares.h"
#include "isochor/base/parallel.h"
#include "isochor/base/words.h"

namespace isochor {
namespace {

/// A twin that brings less than this of what all of its component bring, in every frame, is no joint's worth; in every
/// frame of a clip, not worth keys there.
constexpr double kLittle = 8e-3, kLittleInClip = 5e-3;

/// Frames that one worker takes one after another.
constexpr std::size_t kFramesAtOnce = 8;

/// A frame of the motion.
struct FramePlace {
  std::size_t clip = 0, frame = 0;  ///< of the motion
  std::size_t number = 0;           ///< counted over all clips
};

std::vector<FramePlace> all_frames(const HeldMotion& motion) {
  std::vector<FramePlace> out;
  for (std::size_t c = 0; c < motion.clips.size(); ++c) {
    for (std::size_t k = 0; k < motion.clips[c].frames.size(); ++k) out.push_back({c, k, out.size()});
  }
  return out;
}

/// Calls look(place, worker) for each place, and returns what it says.
template <class Look>
auto for_frames(std::span<const FramePlace> places, Context& context, const Look& look) {
  std::vector<std::invoke_result_t<Look, const FramePlace&, TwinFrames::Worker&>> out(places.size());
  parallel_for(context, places.size(), kFramesAtOnce, [&](Range chunk) {
    TwinFrames::Worker worker;
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      context.check_cancelled();
      out[i] = look(places[i], worker);
    }
  });
  return out;
}

/// Twins in the order of what they bring, least first, and what that is of all that is brought.
struct TwinRanking {
  std::vector<std::size_t> order;
  /// By twin: the most in any one frame, relative to what all twins of its component bring there.
  std::vector<double> brought;
  std::vector<std::vector<double>> by_clip;  // by clip and twin: the same in the frames of the clip
};

TwinRanking rank(const HeldMotion& motion, const WeldedCharacter& welded, std::span<const Twin> twins, Index influences,
                 Context& context) {
  const auto weights = share_weights(welded, twins, influences);
  const TwinFrames frames(welded, twins, weights);
  const std::vector<FramePlace> places = all_frames(motion);
  const auto found = for_frames(places, context, [&](const FramePlace& at, TwinFrames::Worker& worker) {
    const HeldClip& clip = motion.clips[at.clip];
    return frames.glance(clip, clip.frames[at.frame], worker);
  });
  const auto by_component = [&](const TwinFrame& frame) {
    std::map<Index, double> sums;
    for (std::size_t q = 0; q < twins.size(); ++q) sums[twins[q].component] += frame.brought[q];
    return sums;
  };
  std::map<Index, double> largest;  // by component: in any frame
  double whole = 0;
  for (const TwinFrame& frame : found) {
    for (const auto& [component, sum] : by_component(frame)) {
      largest[component] = std::max(largest[component], sum);
      whole = std::max(whole, sum);
    }
  }
  TwinRanking ranking;
  ranking.brought.assign(twins.size(), 0.0);
  ranking.by_clip.assign(motion.clips.size(), ranking.brought);
  for (const FramePlace& at : places) {
    const auto sums = by_component(found[at.number]);
    for (std::size_t q = 0; q < twins.size() && whole > 0; ++q) {
      const Index component = twins[q].component;
      // Frames, and components, that hardly move have nothing to lose.
      const double all = std::max({sums.at(component), 0.01 * largest.at(component), 1e-5 * whole});
      const double share = found[at.number].brought[q] / all;
      ranking.brought[q] = std::max(ranking.brought[q], share);
      ranking.by_clip[at.clip][q] = std::max(ranking.by_clip[at.clip][q], share);
    }
  }
  ranking.order.resize(twins.size());
  std::iota(ranking.order.begin(), ranking.order.end(), std::size_t{0});
  std::stable_sort(ranking.order.begin(), ranking.order.end(),
                   [&](std::size_t a, std::size_t b) { return ranking.brought[a] < ranking.brought[b]; });
  return ranking;
}

/// Twins worth their joints, and by clip those that are worth their keys.
struct WorthyTwins {
  std::vector<Twin> twins;
  std::vector<std::vector<char>> active;  // by clip and twin
};

/// Leaves out twins that bring little, some at a time: the others get their room, and are ranked again.
WorthyTwins worthy_twins(const HeldMotion& motion, const WeldedCharacter& welded, const TwinOptions& options,
                         Context& context) {
  constexpr double kAtOnce = 0.25;  // of the twins
  std::vector<Twin> twins = possible_twins(welded);
  for (;;) {
    const TwinRanking ranking = rank(motion, welded, twins, options.influences, context);
    const auto limit = static_cast<std::size_t>(options.max_twins);
    const std::size_t over = options.max_twins > 0 && twins.size() > limit ? twins.size() - limit : 0;
    std::size_t little = 0;
    while (little < twins.size() && ranking.brought[ranking.order[little]] < kLittle) ++little;
    const auto most = static_cast<std::size_t>(std::ceil(kAtOnce * static_cast<double>(twins.size())));
    const std::size_t gone = std::min(std::max(over, little), most);
    if (gone == 0) {
      WorthyTwins out{std::move(twins), {}};
      for (const std::vector<double>& brought : ranking.by_clip) {
        auto& active = out.active.emplace_back();
        for (const double share : brought) active.push_back(share < kLittleInClip ? 0 : 1);
      }
      return out;
    }
    std::vector<bool> keep(twins.size(), true);
    for (std::size_t i = 0; i < gone; ++i) keep[ranking.order[i]] = false;
    std::vector<Twin> kept;
    for (std::size_t q = 0; q < twins.size(); ++q) {
      if (keep[q]) kept.push_back(twins[q]);
    }
    twins = std::move(kept);
  }
}

/// A motion relative to where the twin rests, as its node's transform.
Transform on_bone(const Twin& twin, const Transform& motion) {
  Transform out = motion;
  out.translation = (twin.pivot + motion.translation).cast<float>().cast<double>();
  return out;
}

bool rests(const Transform& motion) {
  return motion.translation == Vec3::Zero() && motion.scale == Vec3::Ones() && motion.rotation.vec() == Vec3::Zero();
}

/// What a player makes of a moment between two keys, `share` of the way.
std::vector<Transform> blended(std::span<const Transform> before, std::span<const Transform> after, double share) {
  std::vector<Transform> out;
  for (std::size_t q = 0; q < before.size(); ++q) {
    const Transform &a = before[q], &b = after[q];
    out.push_back({.translation = a.translation + share * (b.translation - a.translation),
                   .rotation = a.rotation.slerp(share, b.rotation),
                   .scale = a.scale + share * (b.scale - a.scale)});
  }
  return out;
}

/// Fitted frames, of which some are keys of the file.
class TwinKeys {
 public:
  TwinKeys(const HeldMotion& motion, const TwinFrames& frames, std::span<const TwinFrame> fitted,
           const TwinOptions& options)
      : motion_(motion), frames_(frames), fitted_(fitted), options_(options), is_key_(fitted.size(), 1) {}

  /// Leaves as few keys as show all frames well enough: between the first and the last of a clip, the worst frame of
  /// every gap that is not good enough becomes a key, and so on.
  void thin(Context& context) {
    if (options_.between == 0) return;
    std::vector<FramePlace> open;  // frames in gaps that were not looked at since they changed
    for (const FramePlace& at : all_frames(motion_)) {
      const HeldClip& clip = motion_.clips[at.clip];
      const bool end = at.frame == 0 || at.frame + 1 == clip.frames.size();
      if (end || clip.interpolation == Interpolation::step) continue;
      is_key_[at.number] = 0;
      open.push_back(at);
    }
    while (!open.empty()) open = split(open, context);
  }

  std::vector<TwinClip> clips(std::span<const Twin> twins) const {
    std::vector<TwinClip> out;
    std::size_t first = 0;
    for (const HeldClip& held : motion_.clips) {
      TwinClip& clip = out.emplace_back(TwinClip{held.clip, held.interpolation, {}, {}});
      std::vector<std::size_t> keys;
      for (std::size_t k = 0; k < held.frames.size(); ++k) {
        if (is_key_[first + k]) keys.push_back(k);
      }
      for (const std::size_t k : keys) clip.times.push_back(held.frames[k].time);
      for (std::size_t q = 0; q < twins.size(); ++q) clip.local.push_back(track(twins[q], q, first, keys));
      first += held.frames.size();
    }
    return out;
  }

 private:
  /// One round over frames that are no keys. Returns those of the gaps that got a key.
  std::vector<FramePlace> split(std::span<const FramePlace> open, Context& context) {
    const auto found = for_frames(open, context, [&](const FramePlace& at, TwinFrames::Worker& worker) {
      const std::size_t before = key_from(at, -1), after = key_from(at, 1);
      const HeldClip& clip = motion_.clips[at.clip];
      const auto time = [&](std::size_t number) { return clip.frames[number - (at.number - at.frame)].time; };
      const double share = (time(at.number) - time(before)) / (time(after) - time(before));
      const auto between = blended(fitted_[before].motions, fitted_[after].motions, share);
      return frames_.deviation(clip, clip.frames[at.frame], between, fitted_[at.number].motions, worker);
    });
    std::vector<FramePlace> next;
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < open.size();) {
      // The frames of one gap stand together.
      std::size_t end = i, worst = i;
      double most = 0;
      for (; end < open.size() && open[end].number - open[i].number == end - i && open[end].clip == open[i].clip;
           ++end) {
        const double excess = excess_of(found[end], open[end]);
        if (excess > most) worst = end;
        most = std::max(most, excess);
      }
      if (most > 1) {
        fresh.push_back(open[worst].number);
        for (std::size_t k = i; k < end; ++k) {
          if (k != worst) next.push_back(open[k]);
        }
      }
      i = end;
    }
    for (const std::size_t number : fresh) is_key_[number] = 1;
    return next;
  }

  /// Above 1: not good enough.
  double excess_of(const TwinDeviation& deviation, const FramePlace& at) const {
    constexpr double kPlaces = 0.01;  // of the correction, or of a tenth of the clip's largest
    const std::size_t first = at.number - at.frame;
    double largest = 0;
    for (std::size_t k = 0; k < motion_.clips[at.clip].frames.size(); ++k) {
      largest = std::max(largest, fitted_[first + k].figures.correction);
    }
    const double allowed = kPlaces * std::max(fitted_[at.number].figures.correction, 0.1 * largest);
    const double places = allowed > 0 ? deviation.places / allowed : 0;
    const double turned = deviation.turned > fitted_[at.number].turned ? 2 : 0;
    return std::max({deviation.volume / options_.between, places, turned});
  }

  std::size_t key_from(const FramePlace& at, int step) const {
    auto number = static_cast<std::ptrdiff_t>(at.number);
    do {
      number += step;
    } while (!is_key_[static_cast<std::size_t>(number)]);
    return static_cast<std::size_t>(number);
  }

  std::vector<Transform> track(const Twin& twin, std::size_t q, std::size_t first,
                               std::span<const std::size_t> keys) const {
    std::vector<Transform> out;
    bool moves = false;
    for (const std::size_t k : keys) {
      const Transform& motion = fitted_[first + k].motions[q];
      moves = moves || !rests(motion);
      out.push_back(on_bone(twin, motion));
      // Viewers turn along the shorter way; tools that show curves want no jump either.
      const std::size_t n = out.size();
      if (n > 1 && out[n - 2].rotation.dot(out[n - 1].rotation) < 0) out[n - 1].rotation.coeffs() *= -1;
    }
    if (!moves) out.clear();
    return out;
  }

  const HeldMotion& motion_;
  const TwinFrames& frames_;
  std::span<const TwinFrame> fitted_;
  const TwinOptions& options_;
  std::vector<char> is_key_;  // by frame, counted over all clips
};

void report(const WeldedCharacter& welded, const TwinOptions& options, TwinJoints& result) {
  const auto warn = [&](const char* code, std::string sentence, std::size_t count) {
    result.problems.push_back({Severity::warning, code, std::move(sentence), {}, static_cast<std::int64_t>(count)});
  };
  ProblemCollector full;
  const Character& character = welded.character();
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    for (std::size_t v = 0; v < character.parts[p].weights.vertex_count(); ++v) {
      if (static_cast<Index>(character.parts[p].weights.row(v).size()) >= options.influences) {
        full.add(welded.whole().source(p, v));
      }
    }
  }
  full.report(
      result.problems, Severity::note, "twins-no-room",
      "{} vert{ex|ices} follow{s|} " + std::to_string(options.influences) +
          " joints or more already: twins take the place of these, or are left out; --influences can be raised");
  const TwinFigures& figures = result.figures;
  if (result.twins.empty()) {
    warn("twins-none", "no twin joint would bring anything: the file shows what skinning alone does", 0);
  }
  if (figures.unclosed > 0) {
    warn("twins-unclosed",
         "in " + count_of(figures.unclosed, "frame") +
             " twins cannot close the volume without harm; it is as near as " + "they come",
         figures.unclosed);
  }
}

}  // namespace

TwinJoints twin_joints(const HeldMotion& motion, const WeldedCharacter& welded, const TwinOptions& options,
                       Context& context) {
  check_ranges(options);
  TwinJoints result;
  result.weights.resize(welded.character().parts.size());
  if (motion.shown_by_skinning) return result;
  WorthyTwins worthy = worthy_twins(motion, welded, options, context);
  result.twins = std::move(worthy.twins);
  FittedShares shares = fit_shares(motion, welded, result.twins, options.influences, context);
  result.weights = std::move(shares.weights);
  const TwinFrames frames(welded, result.twins, result.weights, shares.importance,
                          {motion.deformer, motion.medial.get()});
  const auto found = for_frames(all_frames(motion), context, [&](const FramePlace& at, TwinFrames::Worker& worker) {
    const HeldClip& clip = motion.clips[at.clip];
    return frames.fit(clip, clip.frames[at.frame], worthy.active[at.clip], worker);
  });
  for (const TwinFrame& frame : found) {
    result.figures.correction += frame.figures.correction;
    result.figures.left += frame.figures.left;
    result.figures.left_with_shear += frame.figures.left_with_shear;
    result.figures.frames += frame.figures.frames;
    result.figures.unclosed += frame.figures.unclosed;
    result.figures.resting += frame.figures.resting;
  }
  TwinKeys keys(motion, frames, found, options);
  keys.thin(context);
  result.clips = keys.clips(result.twins);
  report(welded, options, result);
  return result;
}

}  // namespace isochor
