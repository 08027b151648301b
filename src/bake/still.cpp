#include "isochor/bake/still.h"

#include "isochor/bake/surface_normals.h"
#include "isochor/base/error.h"

namespace isochor {
namespace {

/// The skin by dual quaternions, whose maps never flatten it as those of linear blending do in a twist, so that they
/// tell how it turned; by linear blending where the skin is mirrored in places, which dual quaternions do not know.
PosedSkin turned_skin(const WeldedCharacter& welded, const Pose& pose, const Context& context) {
  PosedSkin posed;
  try {
    pose_skin(welded, pose, Deformer::dqs, posed, context);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    pose_skin(welded, pose, Deformer::lbs, posed, context);
  }
  return posed;
}

/// Normals of a corrected still follow its surface, as those of a baked motion do.
void turn_normals(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& skin,
                  std::vector<PosedPart>& parts) {
  const Character& character = welded.character();
  std::vector<PosedPart> rest;
  std::vector<std::span<const Vec3>> from, to;
  for (const Part& part : character.parts) rest.push_back(morphed_part(part, pose));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    from.emplace_back(rest[p].positions);
    to.emplace_back(parts[p].positions);
  }
  const auto turns = SurfaceNormals(character, welded.whole()).turns(from, to);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!character.parts[p].skinned() || parts[p].normals.empty()) continue;
    const auto maps = part_maps(welded, skin, p);
    auto turned = normal_offsets({.maps = maps, .rest_normals = rest[p].normals, .turns = turns[p]});
    for (std::size_t v = 0; v < turned.size(); ++v) turned[v] += rest[p].normals[v];
    transform_normals(maps, turned, parts[p].normals);
  }
}

}  // namespace

std::vector<PosedPart> still_parts(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                                   const Context& context) {
  const WeldedCharacter& welded = playback.welded();
  std::vector<PosedPart> parts = posed_parts(welded, frame.pose, frame.posed, frame.corrected.positions);
  if (!playback.corrects()) return parts;
  if (playback.deformer() == Deformer::lbs) {
    turn_normals(welded, frame.pose, turned_skin(welded, frame.pose, context), parts);
  } else {
    turn_normals(welded, frame.pose, frame.posed, parts);
  }
  return parts;
}

}  // namespace isochor
