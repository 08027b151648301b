#pragma once

/// Shares of twins by least squares over a motion.

#include <span>
#include <vector>

#include "isochor/bake/twin_joints.h"

namespace isochor {

/// Weights of all parts with shares in them, and how much each vertex counts when motions are fitted.
struct FittedShares {
  std::vector<SkinWeights> weights;
  std::vector<double> importance;  // TwinFrames::samples()
};

/// From the shares of share_weights(), in turn: twins get the motions that are best with these shares, and every vertex
/// the shares that are best with those motions. A twin takes weight from its bone alone, so that nothing changes while
/// it rests. Vertices that stay far off (0.5 % of the box) count more from then on.
FittedShares fit_shares(const HeldMotion& motion, const WeldedCharacter& welded, std::span<const Twin> twins,
                        Index influences, Context& context);

}  // namespace isochor
