#pragma once

/// The plain-text rig of rigging research:
///
///   joints NAME X Y Z                           rest position
///   root NAME
///   hier PARENT CHILD
///   skin VERTEX JOINT WEIGHT [JOINT WEIGHT]…    vertex from 0, in the order of the mesh's own file

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/character.h"

namespace isochor {

/// The file's content. Joints are in file order, but parents first.
struct RigText {
  std::vector<std::string> names;  // #J
  std::vector<Vec3> positions;     // #J, in mesh space
  std::vector<Index> parents;      // #J, kNone for roots, always lower than the joint's own index
  std::vector<Index> vertices;     // #R, strictly increasing
  SkinWeights weights;             // #R rows: row r is that of vertex vertices[r]; joints as above
  Problems problems;

  bool operator==(const RigText& other) const {
    return names == other.names && positions == other.positions && parents == other.parents &&
           vertices == other.vertices && weights == other.weights;
  }
};

/// Unknown joint names, numbers that are not numbers, cycles and a second parent are refused with the line's number.
RigText read_rig_txt(const std::filesystem::path& path);
RigText parse_rig_txt(std::string_view text);

/// Joints without rotation at their positions.
Skeleton to_skeleton(const RigText& rig);

/// Makes `rig` the skeleton of the character, and its weights those of the part. The character may not have a skeleton
/// yet. Vertices out of range are refused; what repair() had to do is in character.problems, and vertices that the rig
/// does not name follow the root. Without `skin` lines the part stays unbound.
void attach(const RigText& rig, Character& character, std::size_t part = 0);

/// Joints where they were when `part` was bound (at rest for joints that do not move it, or without a part), and its
/// weights.
RigText to_rig_text(const Skeleton& skeleton, const Part* part = nullptr);
/// The same for all parts, their vertices counted one part after another, as write_obj() writes them; joints stand
/// where the first skinned part was bound, and a part without a skin follows the joint that carries it.
RigText to_rig_text(const Character& character);
/// Numbers in their shortest form that reads back to the same double: parse_rig_txt(format_rig_txt(r)) == r.
/// Names with spaces are refused, since the format has no quotes.
std::string format_rig_txt(const RigText& rig);
void write_rig_txt(const std::filesystem::path& path, const RigText& rig);

}  // namespace isochor
