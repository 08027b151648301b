#pragma once

/// What is bound together as one volume: which parts, where they lie, and which joints take weights.

#include <span>
#include <string>
#include <vector>

#include "isochor/bind/bind.h"
#include "rig/place_parts.h"

namespace isochor {

/// Parts that match a glob; without globs those with a skin, or all where none has one. Parts without a vertex are left
/// out.
std::vector<Index> choose_parts(const Character& character, std::span<const std::string> globs);

/// The joints that take weights in a volume, as handles.
Handles volume_handles(const Character& character, const PlacedParts& placed, const BindOptions& options,
                       Problems& problems);

/// The parts in their common space, welded.
WholeSurface placed_surface(const Character& character, const PlacedParts& placed, const WeldOptions& options);

/// Names in problems: handles become joints of the skeleton, welded vertices become those of the volume's parts.
void rename_elements(Problems& problems, std::span<const Handle> handles, const Weld& weld);

/// Of all parts of the character, one after another: the first vertex of this one.
Index first_vertex(const Character& character, Index part);

/// Vertices in problems, counted over the parts of a volume, become those of all parts of the character.
void name_vertices(const Character& character, const PlacedParts& placed, const WholeSurface& whole,
                   Problems& problems);

}  // namespace isochor
