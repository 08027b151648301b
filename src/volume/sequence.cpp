#include "volume/sequence.h"

#include <cmath>

namespace isochor::volume {
namespace {

/// The rigid motion nearest to the one from the bind shape to the posed one.
Affine common_motion(const PosedSkin& posed) {
  const auto count = static_cast<Eigen::Index>(posed.rest.size());
  if (count < 3) return Affine::Identity();
  const Eigen::Map<const Eigen::Matrix3Xd> rest(posed.rest.front().data(), 3, count);
  const Eigen::Map<const Eigen::Matrix3Xd> now(posed.positions.front().data(), 3, count);
  Affine motion = Affine::Identity();
  motion.matrix() = Eigen::umeyama(rest, now, true);
  return motion.matrix().allFinite() ? motion : Affine::Identity();
}

}  // namespace

PartialPoses::PartialPoses(const WeldedSkin& skin, const Pose& pose, const PosedSkin& posed)
    : skin_(skin), target_(pose), bone_of_joint_(skin.skeleton().size(), kNone), moved_(skin.skeleton().size(), 0) {
  motion_.assign(skin.skeleton().size(), Affine::Identity());
  for (std::size_t b = skin.bones().size(); b-- > 0;) {
    const Index joint = skin.bones()[b].joint;
    if (joint == kNone) continue;
    bone_of_joint_[joint] = static_cast<Index>(b);
    motion_[joint] = posed.matrices[b];
  }
  common_ = common_motion(posed);
}

const Affine& PartialPoses::current(Index joint) const {
  for (Index j = joint; j != kNone; j = skin_.skeleton().joints[j].parent) {
    if (moved_[j] && bone_of_joint_[j] != kNone) return motion_[j];
  }
  return common_;
}

bool PartialPoses::moves(Index joint) const {
  if (bone_of_joint_[joint] == kNone || moved_[joint]) return false;
  const Affine& now = current(joint);
  const double scale = motion_[joint].matrix().norm();
  return (motion_[joint].matrix() - now.matrix()).norm() > 1e-12 * scale;
}

void PartialPoses::move(Index joint) { moved_[joint] = 1; }

Pose PartialPoses::pose() const {
  const auto& joints = skin_.skeleton().joints;
  Pose pose = target_;
  std::vector<Affine> global(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Index parent = joints[j].parent;
    const Affine above = parent == kNone ? Affine::Identity() : global[parent];
    const Index bone = bone_of_joint_[j];
    global[j] = above * to_matrix(pose.local[j]);
    if (bone == kNone || above.linear().determinant() == 0) continue;
    const Mat3 bind = skin_.inverse_binds()[bone].linear();
    if (bind.determinant() == 0) continue;
    global[j] = current(static_cast<Index>(j)) * skin_.inverse_binds()[bone].inverse();
    pose.local[j] = to_transform(above.inverse() * global[j]);
  }
  return pose;
}

}  // namespace isochor::volume
