#pragma once

/// What a joint is (a hip, the left forearm, the second bone of an index finger), from its name and its place.

#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/skeleton.h"

namespace isochor {

enum class BodyPart {
  none,  ///< the name says nothing, or something that has no counterpart elsewhere (twist, tip, control, tail …)
  hips,
  spine,  ///< from above the hips to the chest
  neck,
  head,
  jaw,
  eye,
  collar,  ///< collar bone: what Mixamo calls shoulder
  upper_arm,
  forearm,
  hand,
  thumb,
  index,
  middle,
  ring,
  pinky,
  thigh,
  shin,
  foot,
  toes,
};

enum class BodySide { middle, left, right };

struct JointRole {
  BodyPart part = BodyPart::none;
  BodySide side = BodySide::middle;
  /// The place among the joints of that part: along the spine and the neck, beginning with 1 at the lowest; along a
  /// finger with 1 at the knuckle, and 0 for a bone inside the palm; otherwise 1.
  Index number = 1;

  bool operator==(const JointRole&) const = default;
};

struct JointRoles {
  std::vector<JointRole> of;  // #J
  /// Joints whose names say what another joint is already (the second half of an upper arm, a control of that name):
  /// their role is none. Increasing.
  std::vector<Index> surplus;
  /// Joints beside the body: ends of bones, twists, controls. Their role is none. Increasing.
  std::vector<Index> helpers;
};

/// Reads the names of Mixamo, Unreal, Unity and VRM (VRoid too), Rigify, MakeHuman, the CMU recordings, 3ds Max Biped,
/// Poser and Daz, and others that use the same words: sides as left, right, l, r, before or after; words run together,
/// in camel case, or with separators; a prefix that the joints share.
///
/// The same word means different things in different conventions, and the joints around it decide: a shoulder is a
/// collar bone if that side has an upper arm as well, else it is the upper arm; "leg" and "arm" are whatever their limb
/// still lacks; a joint that carries both thighs is the hips if no other is named so, or only one beside the legs. If
/// several joints claim a part, one that deforms goes before one that does not, then the one higher up; of two that are
/// alike in both, neither.
JointRoles joint_roles(const Skeleton& skeleton);

/// Whether the name says that the joint moves other joints, not the skin: "kneeIK.l", "control-foot-roll",
/// "PoleTarget", "handslot".
bool names_control(std::string_view name);
/// Whether the name says that the joint marks the end of the bone before it: "HeadTop_End", "tail_leaf", "index-tip".
bool names_end(std::string_view name);

/// Fingers, eyes, jaw: parts that many motions and many characters do not have.
bool is_detail(BodyPart part);

/// Spine and neck: chains that have more joints in one skeleton than in another.
bool is_chain(BodyPart part);

/// The name in lower case, without separators (space _ - .) and without a prefix that ends in ':' or '|':
/// "mixamorig:Left_Arm" becomes "leftarm".
std::string simplified_name(std::string_view name);

}  // namespace isochor
