#pragma once

/// Third stage of `together`: how much each giver gives. Fills the small problem of balance.h and reads its answer.

#include <span>
#include <vector>

#include "volume/balance.h"
#include "volume/together_givers.h"

namespace isochor::volume {

/// What a giver gives where γ = 1, in radii of the body.
struct Gift {
  double amount = 0;
  double closing = 0;  ///< its share in the direction along which the total is made exact
};

/// Views of the buffers that they were found in.
struct Gifts {
  std::span<const Gift> of_giver;   ///< by Givers::all
  std::span<const Gift> of_region;  ///< by region of the plan: that of the giver along normals, or nothing
};

/// Kept between frames.
struct BalanceBuffers {
  explicit BalanceBuffers(const TogetherPlan& plan);

  BalanceProblem problem;
  Balance balance;
  std::vector<Vec3> rim_gradient;  // #V
  std::vector<Gift> of_giver, of_region;
};

/// Regions come as near to their targets as their neighbours allow, with the total as a hard constraint, all in first
/// order. The target must not be 0. Allocates nothing where the number of givers stays. The result is good until the
/// next call with the same buffers.
Gifts balance_gifts(const ComponentPose& at, const PoseReading& pose, const Givers& givers, BalanceBuffers& buffers);

}  // namespace isochor::volume
