#include "isochor/bake/remaining_motion.h"

#include "isochor/bake/rest_offsets.h"
#include "isochor/bake/surface_normals.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/deform/posed_skin.h"

namespace isochor {
namespace {

void check_same_character(const HeldMotion& motion, const Character& shown) {
  bool same = true;
  for (const HeldClip& clip : motion.clips) {
    same = same && clip.clip >= 0 && static_cast<std::size_t>(clip.clip) < shown.clips.size();
    for (const HeldFrame& frame : clip.frames) {
      same = same && frame.parts.size() == shown.parts.size();
      for (std::size_t p = 0; same && p < frame.parts.size(); ++p) {
        same = frame.parts[p].positions.size() == shown.parts[p].surface.vertex_count();
      }
    }
  }
  if (!same) throw_bad_input("the motion was held on another character");
}

void find_remaining(const WeldedCharacter& shown, const SurfaceNormals& normals, const HeldClip& clip,
                    HeldFrame& frame) {
  const Character& character = shown.character();
  const Pose pose = sample(character.clips[clip.clip], character.skeleton, frame.time);
  PosedSkin posed;
  pose_skin(shown, pose, Deformer::lbs, posed, Context(1));
  std::vector<PosedPart> rest;
  std::vector<std::vector<Vec3>> wanted;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    rest.push_back(morphed_part(character.parts[p], pose));
    auto& places = wanted.emplace_back();
    for (const Vec3f& x : frame.parts[p].positions) places.push_back(x.cast<double>());
  }
  std::vector<std::span<const Vec3>> rest_places, wanted_places;
  for (const PosedPart& part : rest) rest_places.emplace_back(part.positions);
  for (const auto& part : wanted) wanted_places.emplace_back(part);
  const auto turns = normals.turns(rest_places, wanted_places);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const std::vector<Mat34> maps = part_maps(shown, posed, p);
    HeldPart& part = frame.parts[p];
    if (maps.empty()) continue;
    part.offsets = compress(rest_offsets({.maps = maps, .rest = rest[p].positions, .target = wanted[p]}).positions);
    part.normals = compress(normal_offsets({.maps = maps, .rest_normals = rest[p].normals, .turns = turns[p]}));
  }
}

}  // namespace

HeldMotion remaining_motion(const HeldMotion& motion, const WeldedCharacter& shown, Context& context) {
  if (motion.shown_by_skinning) return motion;
  check_same_character(motion, shown.character());
  HeldMotion out = motion;
  out.keeps_faces = false;  // twins have moved faces by themselves
  const SurfaceNormals normals(shown.character(), shown.whole());
  for (HeldClip& clip : out.clips) {
    parallel_for(context, clip.frames.size(), 4, [&](Range chunk) {
      for (std::size_t k = chunk.begin; k < chunk.end; ++k) {
        context.check_cancelled();
        find_remaining(shown, normals, clip, clip.frames[k]);
      }
    });
  }
  return out;
}

}  // namespace isochor
