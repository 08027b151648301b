#pragma once

/// Skeletons described by where their joints lie in the rest pose, left sides mirrored to the right.

#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/character.h"
#include "isochor/rig/skeleton.h"

namespace isochor::model {

enum class JointAxes {
  world,       ///< all joints have the world's axes at rest
  along_bone,  ///< y runs along the bone, as most authoring tools have it
};

/// "LeftFoot" for "RightFoot" and the other way round; other names as they are.
std::string mirrored_name(std::string_view name);

class RigBuilder {
 public:
  /// Adds a joint at a position in the world; an empty parent makes a root. The bone ends at the first child unless
  /// tail() says otherwise.
  void joint(const std::string& name, std::string_view parent, const Vec3& position);
  /// Adds "Left" + name on the side of +x as given, and "Right" + name reflected. A parent without a joint of its own
  /// name is a pair too.
  void pair(const std::string& name, const std::string& parent, const Vec3& position);
  void tail(const std::string& name, const Vec3& position);
  void pair_tail(const std::string& name, const Vec3& position);

  Index index(std::string_view name) const;
  std::size_t size() const { return joints_.size(); }
  const Vec3& position(Index joint) const { return joints_[joint].position; }
  /// Where the joint's bone ends; its own position for a leaf without a tail.
  Vec3 end(Index joint) const;
  /// The joint on the other side; itself for joints in the middle.
  Index mirror(Index joint) const;

  Skeleton build(JointAxes axes) const;

 private:
  struct Node {
    std::string name;
    Index parent = kNone;
    Vec3 position;
    Vec3 tail;
    bool has_tail = false;
  };
  std::vector<Node> joints_;

  Index find(std::string_view name) const;
  bool has_child(Index joint) const;
  std::vector<Quat> orientations(JointAxes axes) const;
};

/// A skin of all deforming joints, bound in the rest pose.
Skin bind_skin(const Skeleton& skeleton, const std::string& name);

}  // namespace isochor::model
