#pragma once

/// A held motion as a few morph targets for each part, with weights over time that keep the volume.

#include <optional>
#include <vector>

#include "isochor/bake/held_motion.h"
#include "isochor/bake/morph_basis.h"

namespace isochor {

/// By part: its targets, and their weights in all frames of all clips, one after another; nothing if no vertex
/// moves. Weights are such that every component encloses what its frame should, as far as the targets can bring that,
/// and lie in [0, 1] if more than one target is allowed. `motion` holds offsets of `welded`.
std::vector<std::optional<MorphBasis>> morph_bases(const HeldMotion& motion, const WeldedCharacter& welded,
                                                   const MorphBasisOptions& options, Context& context);

/// Whether a part has offsets in any frame.
bool moves(const HeldMotion& motion, std::size_t part);

/// The frames of one clip as targets of a part with `of` as its surface; each has a name of its own, since importers
/// look targets up by name.
std::vector<MorphTarget> frame_targets(const HeldClip& clip, const WeldedCharacter& welded, std::size_t part);

}  // namespace isochor
