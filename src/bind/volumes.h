#pragma once

/// Which parts of a character are bound together, where they lie, and to which joints.

#include <string>
#include <vector>

#include "isochor/rig/character.h"

namespace isochor {

/// Parts in one space, that of the first one's bind pose (of the world, where none has a skin).
struct PlacedParts {
  std::vector<Index> parts;       ///< increasing
  std::vector<Affine> placement;  ///< by part of `parts`: mesh space -> common space
  std::vector<Affine> bind;       // #J of the skeleton: joint space -> common space, at bind time
  std::vector<char> joint;        // #J: whether weights may refer to it
};

/// Skinned parts that share joints lie in one space by their inverse bind matrices. Groups of parts that share none are
/// brought together by the rest pose, where that is the bind pose of each up to one transform; otherwise they stay
/// volumes of their own. Parts without a skin are placed by their node at rest, with the first group.
std::vector<PlacedParts> place_parts(const Character& character, std::span<const Index> parts, Problems& problems);

/// Parts that match a glob; without globs those with a skin, or all where none has one. Parts without a vertex are left
/// out. Throws Error(bad_input) where a glob matches none, or nothing is left.
std::vector<Index> choose_parts(const Character& character, std::span<const std::string> globs);

}  // namespace isochor
