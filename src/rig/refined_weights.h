#pragma once

/// Skin weights at the new vertices of a refined surface.

#include "isochor/mesh/refine.h"
#include "isochor/rig/welded_character.h"

namespace isochor::rig {

/// Bones that carry the same joint in the same way, whichever part they belong to, are one.
struct CommonBones {
  std::vector<Index> common;             // by bone: the lowest that is the same
  std::vector<std::vector<Index>> slot;  // by part and common bone: into the part's Skin::joints, or kNone
};
CommonBones common_bones(const WeldedCharacter& welded);

struct RefinedWeights {
  SkinWeights rows;        // #V of the refined surface; influences refer to common bones
  std::vector<char> open;  // #V: a vertex of the file follows other bones than the others there, as at an open seam
};
RefinedWeights refine_weights(const WeldedCharacter& welded, const CommonBones& bones, const RefinedSurface& fine);

/// The mean of some rows of `weights`.
std::vector<Influence> mean_row(const SkinWeights& weights, std::span<const Index> vertices);

/// Makes a row valid: negative weights dropped, the `most` largest kept, summing to 1, strongest first.
void tidy_row(std::vector<Influence>& row, std::size_t most);

/// As many influences as fit into the sets of four that are needed already.
std::size_t most_influences(const SkinWeights& weights);

}  // namespace isochor::rig
