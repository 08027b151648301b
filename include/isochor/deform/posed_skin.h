#pragma once

/// A welded character in a pose, by any deformer: one affine map for each vertex. This is where volume correction takes
/// hold, and where the file's own vertices get their places from: each vertex is skinned once.

#include <span>
#include <vector>

#include "isochor/deform/skinning.h"
#include "isochor/rig/medial_rig.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

/// positions[v] = maps[v] [rest[v]; 1].
struct PosedVertices {
  std::vector<Vec3> rest;       ///< the bind shape with the pose's morph targets
  std::vector<Mat34> maps;      ///< of the deformer
  std::vector<Vec3> positions;  ///< world space
};

struct PosedSkin : PosedVertices {  // #V of the welded surface
  PosedVertices strays;             ///< by WeldedCharacter::strays()
  std::vector<Affine> global;       ///< by joint of the skeleton: joint to world
  std::vector<Affine> matrices;     ///< by bone of the welded character
  /// By component: the volume of `rest`, targets that bake() made left out. Muscles that an author lets flex and
  /// breasts that breathe keep what their morph targets give them.
  std::vector<double> rest_volumes;
  std::vector<double> target_volumes;  ///< by component: rest_volumes × WeldedCharacter::volume_scale()
};

/// A deformer with what it needs: lbs and dqs nothing but the weights, medial its rig.
struct Deforming {
  Deforming(Deformer by, const MedialRig* along = nullptr)
      : deformer(by), medial(along) {}  // NOLINT: a deformer is one

  Deformer deformer;
  const MedialRig* medial;  ///< must outlive what is done with it; made for the same welded character
};
/// Throws Error(bad_input) if the deformer is medial and its rig is missing or does not fit the character.
void check(const Deforming& how, const WeldedCharacter& welded);

/// Everything of a pose; for several threads at once, each with an `out` of its own. After the first call with the same
/// `out`, lbs allocates nothing if no part has morph targets.
void pose_skin(const WeldedCharacter& welded, const Pose& pose, const Deforming& how, PosedSkin& out,
               const Context& context);
/// The same for shapes that are known already: by part, what morphed_positions() says (MorphPlayer finds many at once).
void pose_skin(const WeldedCharacter& welded, const Pose& pose, std::span<const std::vector<Vec3>> shapes,
               const Deforming& how, PosedSkin& out, const Context& context);

/// #V: where the maps of `posed` put the shape that its author meant, without what bake() added to it. For linear blend
/// skinning, whose maps know nothing of the shape, that is the skin before any correction.
std::vector<Vec3> positions_as_meant(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& posed);

/// A part's vertices as the file has them, from what became of the welded surface: `positions` (#V) as the deformer put
/// them, or displaced. Strays stay where the deformer put them, unless the vertex that they were welded into was
/// displaced: then they are where it is. Parts without a skin follow their node.
std::vector<Vec3> part_positions(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& posed,
                                 std::span<const Vec3> positions, std::size_t part);

/// The maps that skinned parts' vertices have: by vertex of the part; empty for a part without a skin.
std::vector<Mat34> part_maps(const WeldedCharacter& welded, const PosedSkin& posed, std::size_t part);

/// All parts so, with the normals that the deformer gives them.
std::vector<PosedPart> posed_parts(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& posed,
                                   std::span<const Vec3> positions);

/// A character at one moment, as a viewer shows it.
struct PlayedFrame {
  std::vector<PosedPart> parts;        ///< by part, in the file's vertices
  std::vector<Vec3> positions;         ///< #V of the welded surface
  std::vector<double> volumes;         ///< by component, signed
  std::vector<double> target_volumes;  ///< by component, see PosedSkin
};
PlayedFrame play(const WeldedCharacter& welded, const Pose& pose, const Deforming& how, const Context& context);

}  // namespace isochor
