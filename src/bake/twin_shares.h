#pragma once

/// Which twins a character could have, and the share of each in the weights of every vertex.

#include <vector>

#include "isochor/bake/twin_joints.h"

namespace isochor {

/// All twins that a few vertices at least would follow.
std::vector<Twin> possible_twins(const WeldedCharacter& welded);

/// By part: its rows with these twins in them, never more than `influences` in a row unless the part has more by
/// itself. See TwinJoints::weights.
std::vector<SkinWeights> share_weights(const WeldedCharacter& welded, std::span<const Twin> twins, Index influences);

}  // namespace isochor
