#include "isochor/io/bake_check.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/deform/playback.h"
#include "isochor/io/gltf_read.h"

namespace isochor {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw_bad_input(std::string("the written file has other ") + what + " than what was baked");
}

Playback::Frame play(const Playback& playback, Index clip, double time, const Context& context) {
  const auto& clips = playback.character().clips;
  if (clip < 0 || static_cast<std::size_t>(clip) >= clips.size()) refuse("clips");
  return playback.pose(sample(clips[clip], playback.character().skeleton, time), Deformer::lbs, context);
}

double position_error(const Playback::Frame& frame, const BakeReference& reference) {
  if (frame.parts.size() != reference.positions.size()) refuse("parts");
  Box box;
  double worst = 0;
  for (std::size_t p = 0; p < frame.parts.size(); ++p) {
    if (frame.parts[p].positions.size() != reference.positions[p].size()) refuse("vertices");
    for (std::size_t v = 0; v < frame.parts[p].positions.size(); ++v) {
      const Vec3 wanted = reference.positions[p][v].cast<double>();
      box.extend(wanted);
      worst = std::max(worst, (frame.parts[p].positions[v] - wanted).norm());
    }
  }
  const double diagonal = box.isEmpty() ? 0 : box.diagonal().norm();
  return diagonal > 0 ? worst / diagonal : worst;
}

/// The character with what shows in its shape alone: normals cost as much as positions to play.
Character read_shape(const std::filesystem::path& file) {
  Character character = read_gltf(GltfDocument::open(file)).character;
  for (Part& part : character.parts) {
    part.normals.clear();
    for (MorphTarget& target : part.morphs) target.normals.clear();
  }
  return character;
}

/// The errors of one reference, and of the moment half-way to the next one of its clip.
struct MomentErrors {
  double position = 0;
  std::vector<double> volume, volume_between;  // by component; empty where not checked
};

std::vector<double> volume_errors(const Playback& playback, const Playback::Frame& frame,
                                  std::span<const double> wanted) {
  if (wanted.size() != frame.volumes.size()) refuse("components");
  std::vector<double> errors(wanted.size(), 0.0);
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (playback.has_volume(c)) errors[c] = relative_volume_error(frame.volumes[c], wanted[c]);
  }
  return errors;
}

MomentErrors check_moment(const Playback& playback, const BakeReference& reference, const BakeReference* next) {
  const Context alone(1);
  MomentErrors errors;
  const Playback::Frame frame = play(playback, reference.clip, reference.time, alone);
  errors.position = position_error(frame, reference);
  if (reference.volumes.empty()) return errors;
  errors.volume = volume_errors(playback, frame, reference.volumes);
  if (!next || next->clip != reference.clip || next->volumes.size() != reference.volumes.size()) return errors;
  std::vector<double> mean(reference.volumes.size());
  for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = 0.5 * (reference.volumes[c] + next->volumes[c]);
  const auto between = play(playback, reference.clip, 0.5 * (reference.time + next->time), alone);
  errors.volume_between = volume_errors(playback, between, mean);
  return errors;
}

}  // namespace

BakeErrors check_bake(const std::filesystem::path& file, std::span<const BakeReference> references, Context& context) {
  const Character character = read_shape(file);
  const Playback playback(character);
  std::vector<MomentErrors> moments(references.size());
  parallel_for(context, references.size(), 1, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      context.check_cancelled();
      moments[i] = check_moment(playback, references[i], i + 1 < references.size() ? &references[i + 1] : nullptr);
    }
  });
  BakeErrors errors;
  errors.volume_errors.assign(playback.rest_volumes().size(), 0.0);
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
  return errors;
}

}  // namespace isochor
