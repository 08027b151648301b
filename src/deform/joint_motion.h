#pragma once

/// A skin matrix as dual quaternion skinning needs it: a rotation, a translation and a stretch.

#include <span>

#include "isochor/base/types.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// M x = rotation * (stretch x) + translation.
struct JointMotion {
  Quat rotation = Quat::Identity();  ///< unit length
  Vec3 translation = Vec3::Zero();
  Mat3 stretch = Mat3::Identity();  ///< symmetric; negative definite where mirrored
  int handedness = 1;               ///< the sign of the determinant: −1 where mirrored, 0 where singular
};

/// Splits every matrix; `out` is as long as `matrices`.
/// Where a matrix is singular its rotation is not determined. What is missing is taken from the regular joint before it
/// in the list, or the first one after it, so that it moves with the whole skeleton. A matrix that is not finite counts
/// as zero.
void split_motions(std::span<const Affine> matrices, std::span<JointMotion> out);

/// The influence that decides the hemisphere of the others: the largest weight, ties the lower joint. The row
/// has at least one.
const Influence& strongest(std::span<const Influence> row);

/// −1 where `q` has to be negated to lie in the hemisphere of `strongest`, 1 elsewhere.
inline double hemisphere(const Quat& strongest, const Quat& q) { return strongest.dot(q) < 0 ? -1.0 : 1.0; }

/// The one sentence for a vertex that dual quaternions refuse; joints are numbered as in the skin's list.
[[noreturn]] void throw_mixed_handedness(Index vertex, Index strongest_joint, Index other_joint);

}  // namespace isochor
