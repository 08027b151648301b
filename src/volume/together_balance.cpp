#include "volume/together_balance.h"

#include <algorithm>
#include <cmath>

#include "volume/saturate.h"

namespace isochor::volume {
namespace {

/// Share of the joints' radii in the direction along which the total is made exact, for a joint of activity 1 that
/// gives nothing.
constexpr double kClosingShare = 0.05;
/// How much worse than it began a region may end, relative to its volume, before that begins to count more.
constexpr double kWorse = 0.02;
/// No region asks for more than this, relative to its volume: one that is turned inside out would drown the others.
constexpr double kLargestWant = 0.7;

/// What a move of a vertex inside regions does to the total, and to every region that holds all rings around it.
void add_inner_effects(const ComponentPose& at, const PoseReading& pose, const Givers& givers,
                       BalanceProblem& problem) {
  const TogetherPlan& plan = at.plan;
  const Index first = at.component.first_region;
  for (const Index v : pose.extent.support) {
    const double push = pose.gradient[v].dot(pose.normal[v]);
    const auto inner = plan.inner_at(v);
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const Index g = givers.of_region[plan.blend_region[b]];
      if (g == kNone) continue;
      const double change = givers.gamma[b] * push;
      problem.total_effect[g] += change;
      for (const Index r : inner) problem.effect(r - first, g) += change;
    }
  }
  for (std::size_t g = 0; g < givers.all.size(); ++g) {
    const auto column = static_cast<Eigen::Index>(g);
    for (const Move& move : givers.moves_of(givers.all[g])) {
      const double change = pose.gradient[move.vertex].dot(move.d);
      problem.total_effect[column] += change;
      for (const Index r : plan.inner_at(move.vertex)) problem.effect(r - first, column) += change;
    }
  }
}

/// What moves of a region's rim do to its volume: not every ring around the rim belongs to the region.
void add_rim_effects(const ComponentPose& at, const PoseReading& pose, const Givers& givers, BalanceBuffers& buffers) {
  const TogetherPlan& plan = at.plan;
  const Index first = at.component.first_region;
  Eigen::MatrixXd& effect = buffers.problem.effect;
  for (Index r = first; r < at.component.end_region(); ++r) {
    const auto& rim = plan.regions[r].rim;
    plan.rims[r].gradient(at.posed.positions, buffers.rim_gradient);
    for (const Index v : rim) {
      const double push = buffers.rim_gradient[v].dot(pose.normal[v]);
      for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
        const Index g = givers.of_region[plan.blend_region[b]];
        if (g != kNone) effect(r - first, g) += givers.gamma[b] * push;
      }
    }
    if (givers.moves.empty()) continue;
    for (std::size_t g = 0; g < givers.all.size(); ++g) {
      for (const Move& move : givers.moves_of(givers.all[g])) {
        if (!std::binary_search(rim.begin(), rim.end(), move.vertex)) continue;
        effect(r - first, static_cast<Eigen::Index>(g)) += buffers.rim_gradient[move.vertex].dot(move.d);
      }
    }
  }
}

/// From volumes to units of each region's volume, and of the total.
void make_relative(const ComponentPose& at, BalanceProblem& problem) {
  for (Index r = 0; r < at.component.region_count; ++r) {
    problem.effect.row(r) /= at.scaled_size(at.component.first_region + r);
  }
  problem.total_effect /= std::abs(at.target);
}

void fill_stiffness(const ComponentPose& at, const PoseReading& pose, const Givers& givers, BalanceProblem& problem) {
  for (std::size_t g = 0; g < givers.all.size(); ++g) {
    problem.stiffness[static_cast<Eigen::Index>(g)] =
        at.plan.options.stiffness / (std::max(givers.all[g].activity + pose.idle, kAsleep));
  }
}

/// A twist takes its radius back whatever that does to the slope, which the deformer has made steeper still.
void fill_steepness(const ComponentPose& at, const Givers& givers, BalanceProblem& problem) {
  const Index first = at.component.first_region;
  for (std::size_t i = 0; i < givers.all.size(); ++i) {
    const Giver& a = givers.all[i];
    for (std::size_t j = 0; j < givers.all.size(); ++j) {
      const Giver& b = givers.all[j];
      if (!a.along_normals() || !b.along_normals()) continue;
      problem.steepness(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          at.plan.options.smoothness * (1 - a.collapsed) * (1 - b.collapsed) *
          at.component.steepness(a.region - first, b.region - first);
    }
  }
}

void fill_wanted(const ComponentPose& at, const PoseReading& pose, BalanceProblem& problem) {
  const Index first = at.component.first_region;
  for (Index r = first; r < at.component.end_region(); ++r) {
    problem.wanted[r - first] = saturate(pose.region_error[r], kLargestWant).value;
    problem.bearable[r - first] = std::abs(pose.region_error[r]) + kWorse;
  }
  problem.total = (at.target - pose.start_volume) / std::abs(at.target);
}

/// The amounts as gifts by giver and by region, with what each adds to the closing direction.
void read_gifts(const ComponentPlan& component, const PoseReading& pose, const Givers& givers,
                BalanceBuffers& buffers) {
  buffers.of_giver.resize(givers.all.size());
  for (std::size_t g = 0; g < givers.all.size(); ++g) {
    const double amount = buffers.balance.amounts()[static_cast<Eigen::Index>(g)];
    const double closing = std::abs(amount) + kClosingShare * (givers.all[g].activity + pose.idle);
    buffers.of_giver[g] = {.amount = amount, .closing = closing};
  }
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    const Index g = givers.of_region[r];
    buffers.of_region[r] = g == kNone ? Gift{} : buffers.of_giver[g];
  }
}

}  // namespace

BalanceBuffers::BalanceBuffers(const TogetherPlan& plan) {
  rim_gradient.assign(plan.welded->surface().vertex_count(), Vec3::Zero());
  of_giver.reserve(plan.regions.size());
  of_region.resize(plan.regions.size());
}

Gifts balance_gifts(const ComponentPose& at, const PoseReading& pose, const Givers& givers, BalanceBuffers& buffers) {
  BalanceProblem& problem = buffers.problem;
  problem.resize(at.component.region_count, static_cast<Eigen::Index>(givers.all.size()));
  problem.effect.setZero();
  problem.total_effect.setZero();
  add_inner_effects(at, pose, givers, problem);
  add_rim_effects(at, pose, givers, buffers);
  make_relative(at, problem);
  fill_stiffness(at, pose, givers, problem);
  fill_steepness(at, givers, problem);
  fill_wanted(at, pose, problem);

  const bool reached = buffers.balance.solve(problem);
  static_cast<void>(reached);  // the closing says so
  read_gifts(at.component, pose, givers, buffers);
  return {.of_giver = buffers.of_giver, .of_region = buffers.of_region};
}

}  // namespace isochor::volume
