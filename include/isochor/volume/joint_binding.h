#pragma once

/// A character's binding seen from its skeleton: one rest space, whatever spaces the skins of its parts were bound in.

#include <vector>

#include "isochor/rig/character.h"

namespace isochor {

struct JointBinding {
  SkinWeights weights;       ///< #V rows of the welded surface; Influence::joint is an index into the *skeleton*
  std::vector<Vec3> rest;    ///< #V: the bind shape in rest space
  std::vector<Affine> bind;  ///< #J: joint -> rest space, where the joint was when the skin was bound
  std::vector<Affine> inverse_bind;  ///< #J
  double size = 1;                   ///< the diagonal of the box around `rest`
};

/// Rest space is the mesh space of the first skin that knows a joint; other skins are brought there by the joints that
/// they share with it, or else by the rest pose. Joints that no skin knows keep their rest pose relative to their
/// parent. A vertex of an unskinned part follows the part's node. Weights are those of a welded vertex's first source.
JointBinding joint_binding(const Character& character, const WholeSurface& whole);

}  // namespace isochor
