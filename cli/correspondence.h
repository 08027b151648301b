#pragma once

/// What belongs together in two characters: vertices, joints, and weights over both.

#include <string>
#include <utility>
#include <vector>

#include "isochor/deform/playback.h"

namespace isochor::cli {

/// Vertices of both characters that belong together.
struct Correspondence {
  std::vector<std::pair<Index, Index>> pairs;  ///< welded vertices of A and B
  std::string how;                             ///< "index" or "nearest"
};
/// By index where both files have the same vertices, by the nearest position otherwise.
Correspondence correspond(const Playback& a, const Playback& b);

/// One list of joints for two skeletons: joints of the same name are one, the second of a name with the second. Joints
/// that do not deform are not in it.
struct JointUnion {
  std::vector<std::string> names;
  std::vector<Index> of_a;  ///< by joint of A's skeleton: its place in the list, or kNone
  std::vector<Index> of_b;
};
JointUnion unite_joints(const Skeleton& a, const Skeleton& b);

/// The part that a welded vertex comes from, and its vertex there.
struct PartVertex {
  std::size_t part = 0;
  Index vertex = 0;
};
PartVertex part_vertex(const Playback& playback, Index welded);

/// Weights of all welded vertices; `place` gives each joint of the skeleton its number. Parts without a skin have empty
/// rows.
SkinWeights welded_weights(const Playback& playback, const std::vector<Index>& place);

/// For each number, the nearest joint above that has one; kNone for roots.
std::vector<Index> united_parents(const Skeleton& skeleton, const std::vector<Index>& place, std::size_t count);

/// Where each numbered joint was when the character was bound (mesh space); at rest for those that no skin uses.
std::vector<Vec3> bind_positions(const Character& character, const std::vector<Index>& place, std::size_t count);

}  // namespace isochor::cli
