#pragma once

/// Classic skinning as fields of per-vertex affine maps, in double precision: the reference that everything else
/// (volume correction, baking, the fast path's tests) builds on. For many frames of float vertices see skinner.h.

#include <array>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/base/types.h"
#include "isochor/rig/character.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

enum class Deformer {
  lbs,     ///< linear blend skinning
  dqs,     ///< dual quaternion skinning
  medial,  ///< skin that follows guides of the medial, which follow the joints; it needs a MedialRig
};
template <>
struct EnumNames<Deformer> {
  static constexpr std::array names{"lbs", "dqs", "medial"};
};

/// Vertices at bind time and what they follow.
struct SkinnedVertices {
  std::span<const Vec3> positions;  ///< #V, in mesh space; may be empty for lbs, which does not look at them
  const SkinWeights& weights;       ///< #V rows, normalised; influences of weight zero count as absent
};

/// The map of each vertex: x' = M_v [x; 1].
///
///   lbs  M_v = Σ w_j M_j.
///
///   dqs  Dual quaternions (Kavan 2008). Each skin matrix is split by a polar decomposition, M_j x = R_j S_j x + t_j,
///        S_j symmetric. For a vertex with rest position p, the rigid motions that carry p to M_j p and turn by R_j are
///        blended as dual quaternions, each brought to the hemisphere of the strongest influence (ties: the lower
///        joint); stretches are blended linearly and act about p:  M_v x = D_v(p) + R_v (Σ w_j S_j) (x − p). So one
///        influence gives M_j; a vertex that all its joints carry to one place goes there, whatever their rotations and
///        scales; a rigid motion or a uniform scale of the whole skeleton, or of the rest pose, changes nothing else;
///        and for rigid joints it is the well-known formula. A mirrored character (every M_j with a negative
///        determinant) is right; a vertex whose strongest joint is mirrored and another not, or the reverse, is refused
///        (Error::unsupported, with the vertex). Joints scaled to nothing in some direction take what is missing of
///        their rotation from the joint before them in the list.
///
/// `out` has #V entries. For lbs nothing is allocated. Throws Error(bad_input) if a vertex follows no joint, a joint
/// that has no matrix, or one whose matrix is not finite; and for medial, which weights alone do not tell:
/// pose_skin() and guide_maps() know it.
void vertex_maps(Deformer deformer, const SkinnedVertices& vertices, std::span<const Affine> skin_matrices,
                 std::span<Mat34> out, const Context& context);

/// out[v] = maps[v] [p; 1]. `out` may be `positions`.
void transform_positions(std::span<const Mat34> maps, std::span<const Vec3> positions, std::span<Vec3> out);
/// By the inverse transpose of the linear part, as the cofactor matrix times the determinant's sign, so that singular
/// maps do no harm. Unit length; zero if the map leaves no direction. `out` may be `normals`.
void transform_normals(std::span<const Mat34> maps, std::span<const Vec3> normals, std::span<Vec3> out);

struct PosedPart {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;  ///< unit length; empty if the part has none
};
/// The part before its skin: its bind shape plus morph targets, by the pose's weights if it has any, the part's own
/// otherwise.
PosedPart morphed_part(const Part& part, const Pose& pose);
enum class MorphChoice {
  all,
  authored,  ///< without those that bake() made
};
std::vector<Vec3> morphed_positions(const Part& part, const Pose& pose, MorphChoice choice = MorphChoice::all);
/// One part of a character in a pose: morph targets, then the skin; or the node's motion if there is no skin.
PosedPart pose_part(const Character& character, const Part& part, const Pose& pose, Deformer deformer,
                    const Context& context);

}  // namespace isochor
