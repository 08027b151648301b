#pragma once

/// Skeletons of formats that know joint positions and no rotations (TGF, .skel, rig.txt).

#include <span>
#include <string>

#include "isochor/rig/skeleton.h"

namespace isochor {

/// Joints without rotation at `positions` (in one common space). `parents` must be lower than their children.
inline Skeleton positioned_skeleton(std::span<const std::string> names, std::span<const Vec3> positions,
                                    std::span<const Index> parents) {
  Skeleton skeleton;
  for (std::size_t j = 0; j < names.size(); ++j) {
    Joint joint;
    joint.name = names[j];
    joint.parent = parents[j];
    joint.rest.translation = parents[j] == kNone ? positions[j] : Vec3(positions[j] - positions[parents[j]]);
    skeleton.joints.push_back(std::move(joint));
  }
  return skeleton;
}

/// The same with joints in any order: parents first in the result, the given order otherwise.
inline Skeleton reordered_skeleton(std::span<const std::string> names, std::span<const Vec3> positions,
                                   std::span<const Index> parents) {
  const std::vector<Index> order = parents_first(parents);
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Index>(i);
  std::vector<std::string> new_names;
  std::vector<Vec3> new_positions;
  std::vector<Index> new_parents;
  for (const Index old : order) {
    new_names.push_back(names[old]);
    new_positions.push_back(positions[old]);
    new_parents.push_back(parents[old] == kNone ? kNone : place[parents[old]]);
  }
  return positioned_skeleton(new_names, new_positions, new_parents);
}

}  // namespace isochor
