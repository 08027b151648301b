#pragma once

/// The axes along which the skin at a joint bulges (the local frames of Rohmer 2009, 3.1; its indices put right):
///
///   e_0  along the parent bone, towards the joint
///   e_1  = e_0 × d, the bend axis; d the direction of the joint's own bone
///   e_2  = e_1 × e_0, towards the inside of the bend: the flexor side
///
/// e_2 is the part of d across e_0, and has no direction if the two bones are collinear. There the last known
/// axes are carried along with the parent bone; before the first, the bend of the rest pose is taken, or an axis
/// of the parent joint if the bones are straight at rest.

#include <span>
#include <vector>

#include "isochor/rig/skeleton.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

/// A joint's bones in rest space.
struct JointAxes {
  Index joint = kNone;
  /// What it bends against: the nearest ancestor that moves skin; for a further root, the root that moves most.
  Index parent = kNone;
  Vec3 origin = Vec3::Zero();   ///< the joint
  Vec3 along = Vec3::UnitX();   ///< unit: the parent bone, towards the joint
  Vec3 bone = Vec3::UnitX();    ///< unit: the joint's own bone (the mean of several)
  Vec3 inside = Vec3::UnitZ();  ///< unit, across `along`: the inside of the rest bend, or a stable axis
  double parent_length = 1;     ///< of the parent bone
  double unit = 1;              ///< the mean length of the parent bone and its own: effects measure in it
};

/// The joints between which skin can bend: those that move skin, or have skin on several branches below them, but for
/// the root that moves most. In the skeleton's order.
std::vector<JointAxes> joint_axes(const Skeleton& skeleton, const RestSpace& space);

/// A joint in one pose.
struct BendAxes {
  Vec3 origin = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< columns e_0, e_1, e_2; right-handed, left-handed if the pose mirrors
  double parent_length = 1;      ///< lengths in this pose: as the parent joint scales them
  double unit = 1;
  double bend = 0;   ///< the angle between the two bones, in radians: 0 straight, π folded
  double swing = 0;  ///< how far the joint's bone left its rest direction, as the parent bone sees it; [0, π]
  double twist = 0;  ///< how far it turned about itself since rest; (-π, π]
  /// How far the correction has to be round about e_0 instead of along e_1 and e_2, in [0, 1]: 1 in a pure twist, and
  /// where a bend changes its side through straight, since neither tells e_1 from e_2.
  double radial = 0;
};

/// One direction per joint, in the parent's rest space: the last e_2 that the bones told by themselves.
class AxesTrack {
 public:
  AxesTrack() = default;
  explicit AxesTrack(std::span<const JointAxes> axes) { reset(axes); }
  /// Back to rest: before another clip. Allocates only if there are more joints than before.
  void reset(std::span<const JointAxes> axes);

  Vec3& inside(std::size_t i) { return inside_[i]; }
  const Vec3& inside(std::size_t i) const { return inside_[i]; }

 private:
  std::vector<Vec3> inside_;
};

/// The axes in a pose: `parent_map` carries the parent's rest space there, `joint_map` the joint's own (global ·
/// inverse bind). A continuous function of both and of `carried`; straight bones make it lean on `carried`, bent ones
/// (10 degrees or more) replace `carried`. So it does not depend on how finely time is sampled. A rigid motion of the
/// whole character moves the axes with it. Never NaN; the unit is 0 if the joint is scaled to nothing.
BendAxes bend_axes(const JointAxes& axes, const Affine& parent_map, const Affine& joint_map, Vec3& carried);
/// The same without a past: leans on the rest bend.
BendAxes bend_axes(const JointAxes& axes, const Affine& parent_map, const Affine& joint_map);

/// The share of a joint's turn that goes about its own bone, of sin² of half the angle, by which linear blending loses
/// volume: 0 for a bend and at rest, 1 for a twist.
double twist_share(const JointAxes& axes, const Affine& parent_map, const Affine& joint_map);

}  // namespace isochor
