#pragma once

/// Shares of twins by least squares over a motion.

#include <span>
#include <vector>

#include "isochor/bake/twin_joints.h"

namespace isochor {

/// The shares of `weights` (share_weights()) are where it starts. In turn twins get the motions that are best with
/// these shares, and every vertex the shares that are best with those motions. A twin takes weight from its bone alone,
/// so that nothing changes while it rests.
std::vector<SkinWeights> fit_shares(const HeldMotion& motion, const WeldedCharacter& welded,
                                    std::span<const Twin> twins, std::vector<SkinWeights> weights, Index influences,
                                    Context& context);

}  // namespace isochor
