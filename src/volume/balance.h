#pragma once

/// The small dense problem at the heart of `together`: how much each joint gives.

#include <Eigen/Core>

namespace isochor::volume {

/// Regions i want a relative change of volume b_i; an amount y_j of giver j changes region i by B_ij y_j, and the total
/// by h_j y_j.
struct BalanceProblem {
  Eigen::MatrixXd effect;        ///< B, #regions × #givers
  Eigen::VectorXd wanted;        ///< b, #regions
  Eigen::VectorXd bearable;      ///< #regions, >= 0: errors up to this count once, what is beyond counts more
  Eigen::VectorXd stiffness;     ///< λ, #givers, > 0
  Eigen::MatrixXd steepness;     ///< K, #givers², symmetric, positive semi-definite
  Eigen::VectorXd total_effect;  ///< h, #givers
  double total = 0;              ///< wanted change of the total

  void resize(Eigen::Index regions, Eigen::Index givers);
};

/// Minimises, with e = b - B y,
///
///   Σ_i e_i² + κ Σ_i max(0, |e_i| - bearable_i)² + Σ_j λ_j y_j² + yᵀ K y   subject to h·y = total.
///
/// Strictly convex, so that the answer is unique and moves continuously with the problem: joints neither compete for
/// places in an order nor jump in time. Newton steps on the pieces, which end at the minimum in a few rounds.
/// Allocates nothing where sizes stay.
class Balance {
 public:
  /// False where no giver changes the total; `amounts` then leave it alone.
  bool solve(const BalanceProblem& problem);
  const Eigen::VectorXd& amounts() const { return amounts_; }

 private:
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd error_, active_, gradient_, along_, step_, trial_, amounts_, trial_error_;

  double objective(const BalanceProblem& problem, const Eigen::VectorXd& amounts, Eigen::VectorXd& error) const;
  /// Fills step_ = the minimum of the current piece under h·step = total_left, seen from amounts_.
  bool newton_step(const BalanceProblem& problem, double total_left);
};

}  // namespace isochor::volume
