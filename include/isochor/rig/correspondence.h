#pragma once

/// What belongs together in two characters: vertices, joints, and weights over both.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

enum class CorrespondenceKind {
  index,    ///< both files have the same vertices
  nearest,  ///< by the nearest position
};
template <>
struct EnumNames<CorrespondenceKind> {
  static constexpr std::array names{"index", "nearest"};
};

/// Vertices of two characters that belong together.
struct Correspondence {
  std::vector<std::pair<Index, Index>> pairs;  ///< welded vertices of A and B
  CorrespondenceKind kind = CorrespondenceKind::index;
};
Correspondence correspond(const WeldedCharacter& a, const WeldedCharacter& b);

/// One list of joints for two skeletons: joints of the same name are one, the second of a name with the second. Joints
/// that do not deform are not in it.
struct JointUnion {
  std::vector<std::string> names;
  std::vector<Index> of_a;  ///< by joint of A's skeleton: its place in the list, or kNone
  std::vector<Index> of_b;
};
JointUnion unite_joints(const Skeleton& a, const Skeleton& b);

/// Weights of all welded vertices; `place` gives each joint of the skeleton its number. Parts without a skin, and
/// vertices that the file gives no weight, have empty rows.
SkinWeights united_weights(const WeldedCharacter& welded, const std::vector<Index>& place);

/// For each number, the nearest joint above that has one; kNone for roots.
std::vector<Index> united_parents(const Skeleton& skeleton, const std::vector<Index>& place, std::size_t count);

}  // namespace isochor
