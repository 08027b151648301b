#pragma once

/// Which joint of one skeleton is which of another, and how much of a motion so finds its place. Private to the
/// library; match_joints() and MatchCount are in rig/retarget.h.

#include <vector>

#include "isochor/rig/joint_names.h"
#include "isochor/rig/retarget.h"

namespace isochor {

struct JointMatches {
  std::vector<JointPair> pairs;  ///< as match_joints() has them
  JointRoles source_roles, target_roles;
};
JointMatches find_matches(const Skeleton& source, const Skeleton& target, const JointNameMap& names);

/// Whether a key is away from rest: by more than 1e-4 of the value, which for a rotation is a hundredth of a degree.
bool leaves_rest(const Channel& channel, const Skeleton& skeleton);

/// By joint: the motion turns or moves it.
std::vector<bool> moving_joints(const Skeleton& skeleton, const Clip& motion);

/// `moving` by joint of the source, as moving_joints() has it.
MatchCount count_matches(const JointMatches& matches, const std::vector<bool>& moving, const Skeleton& target);

}  // namespace isochor
