#include "isochor/io/bake_check.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/base/words.h"
#include "isochor/deform/posed_skin.h"
#include "isochor/io/gltf_read.h"

namespace isochor {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw_bad_input(std::string("the written file has other ") + what + " than what was baked");
}

PlayedFrame play_at(const WeldedCharacter& welded, Index clip, double time) {
  const auto& clips = welded.character().clips;
  if (clip < 0 || static_cast<std::size_t>(clip) >= clips.size()) refuse("clips");
  return play(welded, sample(clips[clip], welded.skeleton(), time), Deformer::lbs, Context(1));
}

double position_error(const PlayedFrame& played, const HeldFrame& held) {
  if (held.parts.empty()) return 0;  // shown by skinning
  if (played.parts.size() != held.parts.size()) refuse("parts");
  Box box;
  double worst = 0;
  for (std::size_t p = 0; p < played.parts.size(); ++p) {
    const auto& positions = held.parts[p].positions;
    if (played.parts[p].positions.size() != positions.size()) refuse("vertices");
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const Vec3 wanted = positions[v].cast<double>();
      box.extend(wanted);
      worst = std::max(worst, (played.parts[p].positions[v] - wanted).norm());
    }
  }
  const double diagonal = box.isEmpty() ? 0 : box.diagonal().norm();
  return diagonal > 0 ? worst / diagonal : worst;
}

/// The character with what shows in its shape alone: normals cost as much as positions to play.
Character read_shape(const std::filesystem::path& file) {
  Character character = read_gltf(GltfDocument::open(file), {.polygons = false}).character;
  for (Part& part : character.parts) {
    part.normals.clear();
    for (MorphTarget& target : part.morphs) target.normals.clear();
  }
  return character;
}

/// What a volume may lose by being baked before it is said: targets that are enough lose a hundredth of that.
constexpr double kHeldWell = 1e-4;

/// The errors of one frame, and of the moment half-way to the next one of its clip.
struct MomentErrors {
  double position = 0;
  std::vector<double> volume, volume_between;  // by component
};

std::vector<double> volume_errors(const WeldedCharacter& welded, const PlayedFrame& frame,
                                  std::span<const double> wanted) {
  if (wanted.size() != frame.volumes.size()) refuse("components");
  std::vector<double> errors(wanted.size(), 0.0);
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (welded.has_volume(c)) errors[c] = relative_volume_error(frame.volumes[c], wanted[c]);
  }
  return errors;
}

/// What the volumes half-way should be: what skeleton and morph targets of the file say for that moment, times the mean
/// of what settings added to that at the two frames (a body that breathes).
std::vector<double> targets_between(const PlayedFrame& between, const HeldFrame& held, const HeldFrame& next) {
  std::vector<double> targets = between.target_volumes;
  if (targets.size() != held.target_volumes.size()) refuse("components");
  for (std::size_t c = 0; c < targets.size(); ++c) targets[c] *= 0.5 * (held.volume_factor + next.volume_factor);
  return targets;
}

MomentErrors check_moment(const WeldedCharacter& welded, const HeldClip& clip, std::size_t k) {
  const HeldFrame& held = clip.frames[k];
  MomentErrors errors;
  const PlayedFrame frame = play_at(welded, clip.clip, held.time);
  errors.position = position_error(frame, held);
  errors.volume = volume_errors(welded, frame, held.target_volumes);
  if (k + 1 == clip.frames.size()) return errors;
  const HeldFrame& next = clip.frames[k + 1];
  const PlayedFrame between = play_at(welded, clip.clip, 0.5 * (held.time + next.time));
  errors.volume_between = volume_errors(welded, between, targets_between(between, held, next));
  return errors;
}

}  // namespace

BakeErrors check_bake(const std::filesystem::path& file, const HeldMotion& motion, Context& context) {
  const StageTimer timer(context, "check");
  const Character character = read_shape(file);
  const WeldedCharacter welded(character);
  BakeErrors errors;
  errors.volume_errors.assign(welded.rest_volumes().size(), 0.0);
  for (const HeldClip& clip : motion.clips) {
    std::vector<MomentErrors> moments(clip.frames.size());
    parallel_for(context, moments.size(), 1, [&](Range range) {
      for (std::size_t k = range.begin; k < range.end; ++k) {
        context.check_cancelled();
        moments[k] = check_moment(welded, clip, k);
      }
    });
    for (const MomentErrors& moment : moments) {
      errors.max_position_error = std::max(errors.max_position_error, moment.position);
      for (std::size_t c = 0; c < moment.volume.size(); ++c) {
        errors.volume_errors[c] = std::max(errors.volume_errors[c], moment.volume[c]);
        errors.max_volume_error = std::max(errors.max_volume_error, moment.volume[c]);
      }
      for (const double error : moment.volume_between) {
        errors.max_volume_error_between = std::max(errors.max_volume_error_between, error);
      }
    }
  }
  const double lost = errors.max_volume_error - motion.volume.max_error_after();
  if (!motion.shown_by_skinning && lost > kHeldWell) {
    errors.problems.push_back({Severity::warning,
                               "bake-volume",
                               "the morph targets are too few to hold the volume: it is off by " +
                                   percent(errors.max_volume_error) + " at a key; allow more of them",
                               {},
                               1});
  }
  return errors;
}

}  // namespace isochor
