#include "isochor/bake/twin_joints.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bake/frame_ranges.h"
#include "bake/twin_frames.h"
#include "bake/twin_shares.h"
#include "isochor/base/parallel.h"
#include "isochor/base/words.h"

namespace isochor {
namespace {

/// Frames that one worker takes one after another.
constexpr std::size_t kFramesAtOnce = 8;

template <class Look>
std::vector<TwinFrame> for_frames(const HeldMotion& motion, Context& context, const Look& look) {
  const std::vector<FrameRange> ranges = frame_ranges(motion, kFramesAtOnce);
  std::vector<TwinFrame> out(motion.frame_count());
  parallel_for(context, ranges.size(), 1, [&](Range chunk) {
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      TwinFrames::Worker worker;
      for (std::size_t k = ranges[i].frames.begin; k < ranges[i].frames.end; ++k) {
        context.check_cancelled();
        out[ranges[i].first + k - ranges[i].frames.begin] = look(*ranges[i].clip, ranges[i].clip->frames[k], worker);
      }
    }
  });
  return out;
}

/// Twins in the order of what they bring, least first, and what that is of all that is brought.
struct TwinRanking {
  std::vector<std::size_t> order;
  std::vector<double> brought;  // by twin: the most in any one frame, relative to that frame's all
};

TwinRanking rank(const HeldMotion& motion, const WeldedCharacter& welded, std::span<const Twin> twins,
                 Index influences, Context& context) {
  const auto weights = share_weights(welded, twins, influences);
  const TwinFrames frames(welded, twins, weights);
  const auto found =
      for_frames(motion, context, [&](const HeldClip& clip, const HeldFrame& frame, TwinFrames::Worker& worker) {
        return frames.glance(clip, frame, worker);
      });
  double largest = 0;  // a frame that hardly moves has nothing to lose
  for (const TwinFrame& frame : found) {
    largest = std::max(largest, std::accumulate(frame.brought.begin(), frame.brought.end(), 0.0));
  }
  TwinRanking ranking{{}, std::vector<double>(twins.size(), 0.0)};
  for (const TwinFrame& frame : found) {
    const double all = std::accumulate(frame.brought.begin(), frame.brought.end(), 0.0);
    for (std::size_t q = 0; q < twins.size() && all > 0; ++q) {
      ranking.brought[q] = std::max(ranking.brought[q], frame.brought[q] / std::max(all, 0.01 * largest));
    }
  }
  ranking.order.resize(twins.size());
  std::iota(ranking.order.begin(), ranking.order.end(), std::size_t{0});
  std::stable_sort(ranking.order.begin(), ranking.order.end(),
                   [&](std::size_t a, std::size_t b) { return ranking.brought[a] < ranking.brought[b]; });
  return ranking;
}

/// Leaves out twins that bring little, some at a time: the others get their room, and are ranked again.
std::vector<Twin> worthy_twins(const HeldMotion& motion, const WeldedCharacter& welded, const TwinOptions& options,
                               Context& context) {
  constexpr double kLittle = 1e-3;   // of what all twins bring, in any frame
  constexpr double kAtOnce = 0.25;   // of the twins
  std::vector<Twin> twins = possible_twins(welded);
  for (;;) {
    if (twins.empty()) return twins;
    const TwinRanking ranking = rank(motion, welded, twins, options.influences, context);
    const auto limit = static_cast<std::size_t>(options.max_twins);
    const std::size_t over = options.max_twins > 0 && twins.size() > limit ? twins.size() - limit : 0;
    std::size_t little = 0;
    while (little < twins.size() && ranking.brought[ranking.order[little]] < kLittle) ++little;
    const auto most = static_cast<std::size_t>(std::ceil(kAtOnce * static_cast<double>(twins.size())));
    const std::size_t gone = std::min(std::max(over, little), most);
    if (gone == 0) return twins;
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
  return motion.translation == Vec3::Zero() && motion.scale == Vec3::Ones() &&
         motion.rotation.vec() == Vec3::Zero();
}

std::vector<TwinClip> clips_of(const HeldMotion& motion, std::span<const Twin> twins,
                               std::span<const TwinFrame> frames) {
  std::vector<TwinClip> out;
  auto frame = frames.begin();
  for (const HeldClip& held : motion.clips) {
    TwinClip& clip = out.emplace_back(TwinClip{held.clip, held.interpolation, {}, {}});
    clip.local.resize(twins.size());
    for (const HeldFrame& at : held.frames) clip.times.push_back(at.time);
    for (std::size_t q = 0; q < twins.size(); ++q) {
      bool moves = false;
      for (std::size_t k = 0; k < held.frames.size(); ++k) {
        const Transform& motion_at = frame[static_cast<std::ptrdiff_t>(k)].motions[q];
        moves = moves || !rests(motion_at);
        clip.local[q].push_back(on_bone(twins[q], motion_at));
        // Viewers turn along the shorter way; tools that show curves want no jump either.
        if (k > 0 && clip.local[q][k - 1].rotation.dot(clip.local[q][k].rotation) < 0) {
          clip.local[q][k].rotation.coeffs() *= -1;
        }
      }
      if (!moves) clip.local[q].clear();
    }
    frame += static_cast<std::ptrdiff_t>(held.frames.size());
  }
  return out;
}

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
  full.report(result.problems, Severity::note, "twins-no-room",
              "{} vertices follow " + std::to_string(options.influences) +
                  " joints or more already: there is no room for twins; --influences can be raised");
  const TwinFigures& figures = result.figures;
  if (figures.unclosed > 0) {
    warn("twins-unclosed",
         "in " + count_of(figures.unclosed, "frame") + " twins cannot close the volume without harm; it is as near as " +
             "they come",
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
  result.twins = worthy_twins(motion, welded, options, context);
  result.weights = share_weights(welded, result.twins, options.influences);
  const TwinFrames frames(welded, result.twins, result.weights);
  const auto found =
      for_frames(motion, context, [&](const HeldClip& clip, const HeldFrame& frame, TwinFrames::Worker& worker) {
        return frames.fit(clip, frame, worker);
      });
  for (const TwinFrame& frame : found) {
    result.figures.correction += frame.figures.correction;
    result.figures.left += frame.figures.left;
    result.figures.left_with_shear += frame.figures.left_with_shear;
    result.figures.frames += frame.figures.frames;
    result.figures.unclosed += frame.figures.unclosed;
    result.figures.resting += frame.figures.resting;
  }
  result.clips = clips_of(motion, result.twins, found);
  report(welded, options, result);
  return result;
}

}  // namespace isochor
