#pragma once

/// Small pieces of a mesh that have no bone of their own: buckles, buttons, teeth, plates of armour.

#include <functional>

#include "isochor/bind/handles.h"
#include "isochor/mesh/topology.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// Whether enough of a piece sees its bones.
bool sees_bones(const Component& component, const std::function<bool(Index)>& sees);

/// Small pieces without a joint of their own that see no bone, by their vertices: heat cannot have bound them, and
/// whoever rigged them gave them to one joint by hand.
std::vector<std::vector<Index>> find_small_shells(const Surface& surface, std::span<const Handle> handles);

/// Rows of each shell follow one handle alone, the one that has most of their weight. Influence::joint is the handle's
/// index. Handles that took a shell are added to the rule `shell`.
void bind_shells(std::span<const std::vector<Index>> shells, std::span<const Handle> handles, SkinWeights& weights,
                 AppliedBoneRules& applied);

}  // namespace isochor
