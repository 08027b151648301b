#pragma once

/// Where the parts of a character lie beside each other, and where its joints were, when the skins were bound. Every
/// skin has a mesh space of its own; joints that several skins know tell how these lie.

#include <span>
#include <vector>

#include "isochor/rig/character.h"

namespace isochor {

/// Parts in one space, that of the first one's bind pose (of the world, where none has a skin).
struct PlacedParts {
  std::vector<Index> parts;       ///< increasing
  std::vector<Affine> placement;  ///< by part of `parts`: mesh space -> common space
  std::vector<Affine> bind;       ///< #J of the skeleton: joint space -> common space, at bind time
  std::vector<char> joint;        ///< #J: whether weights may refer to it
};

/// Skinned parts that share joints lie in one space by their inverse bind matrices. Groups of parts that share none are
/// brought together by the rest pose, where that is the bind pose of each up to one transform; otherwise each stays by
/// itself. Parts without a skin are placed by their node at rest, with the first group.
std::vector<PlacedParts> place_parts(const Character& character, std::span<const Index> parts, Problems& problems);

/// All parts in the space of the first skinned one: groups that share no joint come there by the rest pose, whether or
/// not that is their bind pose. `bind` is finite for every joint: those that no skin knows, or whose inverse bind
/// matrix has no inverse, keep their rest pose relative to their parent.
PlacedParts place_all_parts(const Character& character);

}  // namespace isochor
