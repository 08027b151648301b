#pragma once

/// Bones in their mesh: leaves grow into it, and what is no bone is left out.

#include <functional>
#include <vector>

#include "isochor/bind/handles.h"
#include "isochor/mesh/surface.h"
#include "isochor/voxel/solid.h"

namespace isochor {

/// What a bone can know of the mesh around it.
struct BoneSpace {
  enum class Kind { outside, skin, inside };
  std::function<Kind(const Vec3&)> at;
  double step = 1;  ///< bones look this far at a time
};
/// By voxels, half a voxel at a time. Keeps a reference to the solid.
BoneSpace voxel_space(const VoxelSolid& solid);
/// By winding numbers: turning the mesh with its bones changes nothing.
BoneSpace winding_space(const Surface& surface);

/// Leaves with a growth become segments. Handles that are not proven and turn out to be controls or ends are taken out,
/// unless none would be left. Rules that were applied are added.
void grow_bones(const BoneSpace& space, std::vector<Handle>& handles, AppliedBoneRules& applied);

}  // namespace isochor
