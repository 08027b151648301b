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

/// By welded vertex: the twins that it, or a neighbour, could get a share of.
std::vector<std::vector<Index>> twins_near(const WeldedCharacter& welded, std::span<const Twin> twins);

/// Whether a vertex of a skinned part has shares of its own: it leads its welded vertex, or goes its own way. Others
/// are copies, at seams.
bool has_own_shares(const WeldedCharacter& welded, std::size_t part, std::size_t vertex);

/// Twins ride on the first of the places that a skin has for their joint.
bool is_first_slot(const Skin& skin, Index slot);

/// What a twin takes from a row.
struct TwinShareOfRow {
  Index twin = kNone;
  std::size_t place = 0;  ///< of its bone, in the row
  double weight = 0;
};
/// The row with these shares in it, twins behind `slots` joints. What bones keep and what their twins take add up to
/// what they had, to the last bit: every number is a multiple of kWeightUnit. A bone of which next to nothing would
/// stay gives all to its twins.
std::vector<Influence> row_with_shares(std::span<const Influence> row, std::span<const TwinShareOfRow> shares,
                                       Index slots);

/// By part: `rows` (by part and vertex), where copies get the shares of the vertex that leads them; no row in parts
/// where no twin has a share.
std::vector<SkinWeights> rows_of_copies(const WeldedCharacter& welded, std::span<const Twin> twins,
                                        std::vector<std::vector<std::vector<Influence>>> rows);

}  // namespace isochor
