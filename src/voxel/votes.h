#pragma once

/// Votes of the three axes on each voxel, brick by brick.

#include <array>
#include <cstdint>
#include <vector>

#include "isochor/voxel/solid.h"
#include "voxel/columns.h"

namespace isochor::voxel {

/// Who votes: the two directions of an axis together (eq. 5, 0 … 3 votes) or each for itself (0 … 6).
enum class Ballot : std::uint8_t { axes, directions };

/// The number of votes of 512 voxels as binary digits, lowest first.
using VoteDigits = std::array<BrickBits, 3>;

inline constexpr std::uint8_t kMixedVotes = 0x80;

/// For each brick by its code: the number of votes that all its voxels have, or kMixedVotes (and more) where they
/// differ.
std::vector<std::uint8_t> vote_on_bricks(const ColumnHits& hits, const LatticeSurface& surface, Ballot ballot,
                                         const Context& context);

/// The votes on the voxels of chosen bricks: slot[code] is a brick's place in the result, kNone for bricks left out.
std::vector<VoteDigits> vote_on_voxels(const ColumnHits& hits, const LatticeSurface& surface, Ballot ballot,
                                       const std::vector<Index>& slot, const Context& context);

}  // namespace isochor::voxel
