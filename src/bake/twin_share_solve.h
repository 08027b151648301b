#pragma once

/// The shares of twins in one vertex: a small least-squares problem with bounds.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace isochor {

/// Minimise hᵀ A h - 2 bᵀ h, where h ≥ 0 and the shares of each bone add up to no more than its weight.
struct ShareProblem {
  Eigen::MatrixXd matrix;          ///< A, m×m, positive semidefinite
  Eigen::VectorXd right;           ///< b
  std::vector<std::size_t> place;  ///< #m: the bone that a share is taken from, into `weight`
  std::vector<double> weight;      ///< by bone of the vertex
  std::size_t most = 0;            ///< places: bones that keep something and twins that get something

  double cost(const Eigen::VectorXd& h) const { return h.dot(matrix * h) - 2 * right.dot(h); }
};

/// The shares, from some that hold the bounds already. Where there are more places than allowed, one is given up after
/// another, each time what costs least: a twin gets nothing, or the twins of a bone get all of its weight, so that the
/// bone needs no place.
Eigen::VectorXd solve_shares(const ShareProblem& problem, const Eigen::VectorXd& start);

}  // namespace isochor
