#include "isochor/io/bake_check.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bake/frame_ranges.h"
#include "bake/turned_faces.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/base/words.h"
#include "isochor/deform/morph_player.h"
#include "isochor/deform/posed_skin.h"
#include "isochor/io/gltf_read.h"
#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw_bad_input(std::string("the written file has other ") + what + " than what was baked");
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
  std::size_t turned = 0, turned_between = 0;
  double correction = 0, left = 0;
  std::size_t turned_faces_wanted = 0;
};

/// A file that is played as any viewer plays it: its own animation, its own targets, linear blend skinning.
class PlayedFile {
 public:
  PlayedFile(const Character& character, const HeldMotion& motion)
      : welded_(character), deformer_(motion.deformer), medial_(medial_of(character.skeleton, motion)) {
    for (const Component& component : welded_.topology().components)
      volumes_.emplace_back(welded_.surface(), component);
    for (const Part& part : character.parts) morphs_.emplace_back(part);
    turned_faces_.emplace(welded_, volumes_);
    has_twins_ = twin_count(character) > 0;
  }

  const WeldedCharacter& welded() const { return welded_; }
  bool has_twins() const { return has_twins_; }

  Pose pose_at(Index clip, double time) const {
    const auto& clips = welded_.character().clips;
    if (clip < 0 || static_cast<std::size_t>(clip) >= clips.size()) refuse("clips");
    return sample(clips[clip], welded_.skeleton(), time);
  }

  /// By pose and part: what targets make of it, before the skin.
  using Shapes = std::vector<std::vector<Vec3>>;
  std::vector<Shapes> shapes(std::span<const Pose> poses) const {
    std::vector<Shapes> out(poses.size());
    for (const MorphPlayer& part : morphs_) {
      auto positions = part.positions(poses);
      for (std::size_t i = 0; i < poses.size(); ++i) out[i].push_back(std::move(positions[i]));
    }
    return out;
  }

  /// The shapes at a pose that lies between two others. Where its weights are the means of theirs, so is its shape.
  Shapes shapes_between(const Pose& pose, std::span<const Pose> ends, std::span<const Shapes> end_shapes) const {
    if (!has_mean_weights(pose, ends)) return shapes({&pose, 1})[0];
    Shapes out = end_shapes[0];
    for (std::size_t p = 0; p < out.size(); ++p) {
      for (std::size_t v = 0; v < out[p].size(); ++v) out[p][v] = 0.5 * (out[p][v] + end_shapes[1][p][v]);
    }
    return out;
  }

  PosedSkin skin(const Pose& pose, const Shapes& shapes) const {
    PosedSkin posed;
    pose_skin(welded_, pose, shapes, Deformer::lbs, posed, Context(1));
    return posed;
  }

  std::vector<double> volume_errors(const PosedSkin& posed, std::span<const double> wanted) const {
    if (wanted.size() != volumes_.size()) refuse("components");
    std::vector<double> errors(wanted.size(), 0.0);
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      if (welded_.has_volume(c)) errors[c] = relative_volume_error(volumes_[c].volume(posed.positions), wanted[c]);
    }
    return errors;
  }

  /// What the deformer that was held makes of the file without what was baked into it.
  PosedSkin deformed_alone(const Pose& pose) const {
    Shapes shapes;
    for (const Part& part : welded_.character().parts) {
      shapes.push_back(morphed_positions(part, pose, MorphChoice::authored));
    }
    PosedSkin alone;
    pose_skin(welded_, without_twins(pose), shapes, {deformer_, &medial_}, alone, Context(1));
    return alone;
  }
  std::size_t turned_faces(const Pose& pose, const PosedSkin& posed) const {
    if (deformer_ == Deformer::lbs && !has_twins_) {
      return turned_faces_->count(posed, positions_as_meant(welded_, pose, posed), posed.positions);
    }
    return turned_faces_->count(deformed_alone(pose), posed.positions);
  }

  /// What twins bring of what was to be brought, and the faces that they should turn.
  void compare_twins(const PosedSkin& posed, const Pose& pose, const Shapes& shapes, const HeldFrame& held,
                     MomentErrors& errors) const {
    if (!has_twins_ || held.parts.empty()) return;
    Shapes authored;
    for (const Part& part : welded_.character().parts) {
      authored.push_back(morphed_positions(part, pose, MorphChoice::authored));
    }
    const PosedSkin skinned = skin(without_twins(pose), authored);
    std::vector<Vec3> wanted = skinned.positions;
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      for (std::size_t v = 0; v < shapes[p].size(); ++v) {
        if (!welded_.character().parts[p].skinned() || !welded_.whole().leads(p, v)) continue;
        const Index w = welded_.whole().welded(p, v);
        wanted[w] = held.parts[p].positions[v].cast<double>();
        errors.correction += (wanted[w] - skinned.positions[w]).squaredNorm();
        errors.left += (wanted[w] - posed.positions[w]).squaredNorm();
      }
    }
    errors.turned_faces_wanted = turned_faces_->count(deformed_alone(pose), wanted);
  }

  double position_error(const PosedSkin& posed, const Pose& pose, const Shapes& shapes, const HeldFrame& held) const {
    if (held.parts.empty()) return 0;  // shown by skinning
    if (shapes.size() != held.parts.size()) refuse("parts");
    Box box;
    double worst = 0;
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      const auto& positions = held.parts[p].positions;
      if (shapes[p].size() != positions.size()) refuse("vertices");
      const std::vector<Vec3> played = played_part(posed, pose, shapes[p], p);
      for (std::size_t v = 0; v < positions.size(); ++v) {
        const Vec3 wanted = positions[v].cast<double>();
        box.extend(wanted);
        worst = std::max(worst, (played[v] - wanted).squaredNorm());
      }
    }
    worst = std::sqrt(worst);
    const double diagonal = box.isEmpty() ? 0 : box.diagonal().norm();
    return diagonal > 0 ? worst / diagonal : worst;
  }

 private:
  /// Their joints in the file, which may have twins between those that the medial was prepared for.
  static MedialRig medial_of(const Skeleton& skeleton, const HeldMotion& motion) {
    if (!motion.medial) return {};
    std::vector<Index> own;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      if (!skeleton.joints[j].twin) own.push_back(static_cast<Index>(j));
    }
    MedialRig rig = *motion.medial;
    for (MedialRig::Driver& driver : rig.drivers) {
      if (driver.joint == kNone) continue;
      if (static_cast<std::size_t>(driver.joint) >= own.size()) refuse("joints");
      driver.joint = own[driver.joint];
    }
    return rig;
  }
  Pose without_twins(Pose pose) const {
    const auto& joints = welded_.skeleton().joints;
    for (std::size_t j = 0; has_twins_ && j < joints.size(); ++j) {
      if (joints[j].twin) pose.local[j] = joints[j].rest;
    }
    return pose;
  }
  bool has_mean_weights(const Pose& pose, std::span<const Pose> ends) const {
    constexpr double kRounding = 1e-12;  // of weights that are about 1
    for (const MorphPlayer& part : morphs_) {
      const auto weights = part.weights(pose), a = part.weights(ends[0]), b = part.weights(ends[1]);
      if (a.size() != weights.size() || b.size() != weights.size()) return false;
      for (std::size_t t = 0; t < weights.size(); ++t) {
        if (!(std::abs(weights[t] - 0.5 * (a[t] + b[t])) <= kRounding)) return false;
      }
    }
    return true;
  }

  std::vector<Vec3> played_part(const PosedSkin& posed, const Pose& pose, const std::vector<Vec3>& shape,
                                std::size_t p) const {
    const Part& part = welded_.character().parts[p];
    if (part.skinned()) return part_positions(welded_, pose, posed, posed.positions, p);
    std::vector<Vec3> out = shape;
    if (part.node == kNone) return out;
    for (Vec3& x : out) x = posed.global[part.node] * x;
    return out;
  }

  WeldedCharacter welded_;
  Deformer deformer_;
  MedialRig medial_;                       // of the deformer medial
  std::vector<VolumeFunctional> volumes_;  // by component
  std::optional<TurnedFaces> turned_faces_;
  std::vector<MorphPlayer> morphs_;  // by part
  bool has_twins_ = false;
};

/// What the volumes half-way should be: what skeleton and morph targets of the file say for that moment, times the mean
/// of what settings added to that at the two frames (a body that breathes).
std::vector<double> targets_between(const PosedSkin& between, const HeldFrame& held, const HeldFrame& next) {
  std::vector<double> targets = between.target_volumes;
  if (targets.size() != held.target_volumes.size()) refuse("components");
  for (double& target : targets) target *= 0.5 * (held.volume_factor + next.volume_factor);
  return targets;
}

/// Some keys of a clip and the moments half-way to the next ones.
std::vector<MomentErrors> check_keys(const PlayedFile& file, const HeldClip& clip, Range keys) {
  std::vector<MomentErrors> errors(keys.end - keys.begin);
  std::vector<Pose> poses;
  const std::size_t end = std::min(keys.end + 1, clip.frames.size());
  for (std::size_t k = keys.begin; k < end; ++k) poses.push_back(file.pose_at(clip.clip, clip.frames[k].time));
  const auto shapes = file.shapes(poses);
  for (std::size_t k = keys.begin; k < keys.end; ++k) {
    const HeldFrame& held = clip.frames[k];
    const std::size_t i = k - keys.begin;
    const PosedSkin posed = file.skin(poses[i], shapes[i]);
    errors[i].position = file.position_error(posed, poses[i], shapes[i], held);
    errors[i].volume = file.volume_errors(posed, held.target_volumes);
    errors[i].turned = file.turned_faces(poses[i], posed);
    file.compare_twins(posed, poses[i], shapes[i], held, errors[i]);
    if (k + 1 == clip.frames.size()) break;
    const HeldFrame& next = clip.frames[k + 1];
    const auto time_between = moment_between(held.time, next.time);
    if (!time_between) continue;
    const Pose middle = file.pose_at(clip.clip, *time_between);
    const auto ends = std::span(poses).subspan(i, 2);
    const auto between = file.shapes_between(middle, ends, std::span(shapes).subspan(i, 2));
    const PosedSkin shown = file.skin(middle, between);
    errors[i].volume_between = file.volume_errors(shown, targets_between(shown, held, next));
    errors[i].turned_between = file.turned_faces(middle, shown);
  }
  return errors;
}

bool is_key_time(const HeldMotion& motion, const HeldClip& clip, double time,
                 std::span<const std::vector<double>> keys) {
  if (keys.empty()) return true;
  const std::vector<double>& of_clip = keys[static_cast<std::size_t>(&clip - motion.clips.data())];
  return std::binary_search(of_clip.begin(), of_clip.end(), time);
}

/// As a cache has them, with a share of the frame after it.
std::vector<Vec3> cached_positions(const WeldedCharacter& welded, const HeldFrame& frame, const HeldFrame& next,
                                   double share) {
  std::vector<Vec3> out(welded.surface().vertex_count());
  for (std::size_t p = 0; p < frame.parts.size(); ++p) {
    for (std::size_t v = 0; v < frame.parts[p].positions.size(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      out[welded.whole().welded(p, v)] =
          (1 - share) * frame.parts[p].positions[v].cast<double>() + share * next.parts[p].positions[v].cast<double>();
    }
  }
  return out;
}

}  // namespace

BakeErrors check_caches(const HeldMotion& motion, const WeldedCharacter& welded, Context& context) {
  const StageTimer timer(context, "check");
  const std::vector<VolumeFunctional> volumes = component_volumes(welded);
  BakeErrors errors;
  errors.volume_errors.assign(volumes.size(), 0.0);
  for (const HeldClip& clip : motion.clips) {
    for (std::size_t k = 0; k < clip.frames.size(); ++k) {
      context.progress("check", static_cast<double>(k) / static_cast<double>(clip.frames.size()));
      const HeldFrame& frame = clip.frames[k];
      const HeldFrame& next = clip.frames[std::min(k + 1, clip.frames.size() - 1)];
      const std::vector<Vec3> at = cached_positions(welded, frame, next, 0);
      const std::vector<Vec3> between = cached_positions(welded, frame, next, 0.5);
      for (std::size_t c = 0; c < volumes.size(); ++c) {
        if (!welded.has_volume(c)) continue;
        const double wanted = frame.target_volumes[c], wanted_between = 0.5 * (wanted + next.target_volumes[c]);
        errors.volume_errors[c] =
            std::max(errors.volume_errors[c], relative_volume_error(volumes[c].volume(at), wanted));
        errors.max_volume_error = std::max(errors.max_volume_error, errors.volume_errors[c]);
        errors.max_volume_error_between = std::max(errors.max_volume_error_between,
                                                   relative_volume_error(volumes[c].volume(between), wanted_between));
      }
    }
  }
  context.progress("check", 1);
  return errors;
}

BakeErrors check_bake(const std::filesystem::path& file, const HeldMotion& motion, Context& context,
                      std::span<const std::vector<double>> keys) {
  const StageTimer timer(context, "check");
  const Character character = read_shape(file);
  const PlayedFile played(character, motion);
  BakeErrors errors;
  errors.volume_errors.assign(played.welded().rest_volumes().size(), 0.0);
  // Each target is read once for all keys of a chunk.
  const std::size_t keys_at_once = chunk_in_memory(character.vertex_count() * sizeof(Vec3));
  const std::vector<FrameRange> ranges = frame_ranges(motion, keys_at_once);
  std::vector<std::vector<MomentErrors>> found(ranges.size());
  parallel_for(context, "check", ranges.size(), 1, [&](Range chunk) {
    for (std::size_t i = chunk.begin; i < chunk.end; ++i)
      found[i] = check_keys(played, *ranges[i].clip, ranges[i].frames);
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t m = 0; m < found[i].size(); ++m) {
      const MomentErrors& moment = found[i][m];
      const double time = ranges[i].clip->frames[ranges[i].frames.begin + m].time;
      const bool is_key = is_key_time(motion, *ranges[i].clip, time, keys);
      errors.max_position_error = std::max(errors.max_position_error, moment.position);
      errors.max_turned_faces = std::max(errors.max_turned_faces, moment.turned);
      errors.max_turned_faces_between = std::max(errors.max_turned_faces_between, moment.turned_between);
      errors.correction += moment.correction;
      errors.left += moment.left;
      if (played.has_twins()) errors.turned_faces += moment.turned;
      errors.turned_faces_wanted += moment.turned_faces_wanted;
      for (std::size_t c = 0; c < moment.volume.size(); ++c) {
        if (!is_key) {
          errors.max_volume_error_between = std::max(errors.max_volume_error_between, moment.volume[c]);
          continue;
        }
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
                               std::string(played.has_twins() ? "twin joints do not hold every volume"
                                                              : "the morph targets are too few to hold the volume") +
                                   ": it is off by " + percent(errors.max_volume_error) + " at a key" +
                                   (played.has_twins() ? "" : "; allow more of them"),
                               {},
                               1});
  }
  return errors;
}

}  // namespace isochor
