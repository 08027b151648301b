#include "sample/rig_builder.h"

#include "sample/axes.h"

namespace isochor::model {
namespace {

/// y along the direction, z as near to the world's forward as it can be.
Quat axes_along(const Vec3& direction) {
  const Vec3 y = direction.normalized();
  const Vec3 reference = std::abs(y.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitY();
  const Vec3 x = y.cross(reference).normalized();
  Mat3 axes;
  axes << x, y, x.cross(y);
  return Quat(axes);
}

}  // namespace

std::string mirrored_name(std::string_view name) {
  if (name.substr(0, 4) == "Left") return "Right" + std::string(name.substr(4));
  if (name.substr(0, 5) == "Right") return "Left" + std::string(name.substr(5));
  return std::string(name);
}

Index RigBuilder::find(std::string_view name) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j].name == name) return static_cast<Index>(j);
  }
  return kNone;
}

Index RigBuilder::index(std::string_view name) const {
  const Index found = find(name);
  if (found == kNone) throw_bad_input("the sample's rig has no joint named " + std::string(name));
  return found;
}

void RigBuilder::joint(const std::string& name, std::string_view parent, const Vec3& position) {
  joints_.push_back({name, parent.empty() ? kNone : index(parent), position, position, false});
}

void RigBuilder::pair(const std::string& name, const std::string& parent, const Vec3& position) {
  const bool centred = find(parent) != kNone;
  joint("Left" + name, centred ? parent : "Left" + parent, position);
  joint("Right" + name, centred ? parent : "Right" + parent, reflect(position));
}

void RigBuilder::tail(const std::string& name, const Vec3& position) {
  Node& node = joints_[index(name)];
  node.tail = position;
  node.has_tail = true;
}

void RigBuilder::pair_tail(const std::string& name, const Vec3& position) {
  tail("Left" + name, position);
  tail("Right" + name, reflect(position));
}

bool RigBuilder::has_child(Index joint) const {
  for (const Node& node : joints_) {
    if (node.parent == joint) return true;
  }
  return false;
}

Vec3 RigBuilder::end(Index joint) const {
  if (joints_[joint].has_tail) return joints_[joint].tail;
  for (const Node& node : joints_) {
    if (node.parent == joint) return node.position;
  }
  return joints_[joint].position;
}

Index RigBuilder::mirror(Index joint) const { return find(mirrored_name(joints_[joint].name)); }

std::vector<Quat> RigBuilder::orientations(JointAxes axes) const {
  std::vector<Quat> result(joints_.size(), Quat::Identity());
  if (axes == JointAxes::world) return result;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Vec3 bone = end(static_cast<Index>(j)) - joints_[j].position;
    if (bone.norm() > 1e-9) {
      result[j] = axes_along(bone);
    } else if (joints_[j].parent != kNone) {
      result[j] = result[joints_[j].parent];
    }
  }
  return result;
}

Skeleton RigBuilder::build(JointAxes axes) const {
  const std::vector<Quat> world = orientations(axes);
  Skeleton skeleton;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Node& node = joints_[j];
    Joint joint;
    joint.name = node.name;
    joint.parent = node.parent;
    joint.rest.translation = node.position;
    joint.rest.rotation = world[j];
    if (node.parent != kNone) {
      const Quat to_parent = world[node.parent].conjugate();
      joint.rest.translation = to_parent * (node.position - joints_[node.parent].position);
      joint.rest.rotation = (to_parent * world[j]).normalized();
    }
    // Bones that end at a child need no tail: readers take it from the hierarchy.
    if (node.has_tail && !has_child(static_cast<Index>(j))) {
      joint.tail = world[j].conjugate() * (node.tail - node.position);
    }
    skeleton.joints.push_back(std::move(joint));
  }
  return skeleton;
}

Skin bind_skin(const Skeleton& skeleton, const std::string& name) {
  const std::vector<Affine> global = global_transforms(skeleton, rest_pose(skeleton));
  Skin skin;
  skin.name = name;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!skeleton.joints[j].deforms) continue;
    skin.joints.push_back(static_cast<Index>(j));
    skin.inverse_bind.push_back(global[j].inverse());
  }
  return skin;
}

}  // namespace isochor::model
