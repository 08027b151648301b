#pragma once

/// A forest of joints. It holds every node that takes part in moving the character, so that global transforms need
/// nothing else: deforming joints, and the plain nodes (parents of joints, carriers of meshes) between them.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/problem.h"
#include "isochor/rig/transform.h"

namespace isochor {

struct Joint {
  std::string name;
  Index parent = kNone;  ///< always lower than the joint's own index
  Transform rest;        ///< local, relative to the parent
  bool deforms = true;   ///< false for plain nodes: no weight may refer to them
  /// The end of the bone, in the joint's own space, if the source gives one (BVH End Site, TGF edge, extras).
  std::optional<Vec3> tail;
  /// Made by bake() (bake/twin_joints.h): it rides on its parent and has a share of that one's weight.
  bool twin = false;
};

struct Skeleton {
  std::vector<Joint> joints;  ///< parents before children

  std::size_t size() const { return joints.size(); }
  /// The first joint of that name, or kNone.
  Index find(std::string_view name) const;
  std::vector<std::string> names(std::span<const Index> of) const;
  /// The number of joints with `deforms`.
  std::size_t deforming_count() const;
};

/// Local transforms of all joints at one moment, and the morph weights that were animated.
struct Pose {
  std::vector<Transform> local;  // #J
  /// By joint (node): weights of the morph targets of the mesh it carries; empty if nothing is animated.
  std::vector<std::vector<double>> morph_weights;  // #J or empty
};

Pose rest_pose(const Skeleton& skeleton);

/// Joint-to-world matrices of a pose.
std::vector<Affine> global_transforms(const Skeleton& skeleton, const Pose& pose);
/// Writes into `out` (#J); allocates nothing.
void global_transforms(const Skeleton& skeleton, const Pose& pose, std::span<Affine> out);

/// Parents in range and before their children, names unique, transforms finite.
Problems validate(const Skeleton& skeleton);

/// Orders joints so that parents come first, keeping the given order otherwise. `parents` may refer forward.
/// Returns new-to-old; throws Error(bad_input) on a cycle or a parent out of range.
std::vector<Index> parents_first(std::span<const Index> parents);

/// Matches a name against a glob with * and ?. Case-sensitive.
bool matches_glob(std::string_view name, std::string_view glob);

}  // namespace isochor
