#include "volume/balance.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace isochor::volume {
namespace {

constexpr int kSteps = 12;
/// κ: how much more an error counts beyond what is bearable.
constexpr double kBeyond = 20;

double beyond(double error, double bearable) { return std::copysign(std::max(0.0, std::abs(error) - bearable), error); }

}  // namespace

void BalanceProblem::resize(Eigen::Index regions, Eigen::Index givers) {
  effect.resize(regions, givers);
  wanted.resize(regions);
  bearable.resize(regions);
  stiffness.resize(givers);
  steepness.setZero(givers, givers);
  total_effect.resize(givers);
}

double Balance::objective(const BalanceProblem& problem, const Eigen::VectorXd& amounts, Eigen::VectorXd& error) const {
  error = problem.wanted;
  for (Eigen::Index j = 0; j < amounts.size(); ++j) error -= amounts[j] * problem.effect.col(j);
  double sum = error.squaredNorm();
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const double more = beyond(error[i], problem.bearable[i]);
    sum += kBeyond * more * more;
  }
  for (Eigen::Index j = 0; j < amounts.size(); ++j) {
    sum += amounts[j] * (problem.stiffness[j] * amounts[j] + problem.steepness.col(j).dot(amounts));
  }
  return sum;
}

bool Balance::solve(const BalanceProblem& problem) {
  amounts_.setZero(problem.stiffness.size());
  active_.setZero(problem.wanted.size());
  double value = objective(problem, amounts_, error_);
  const bool reached = newton_step(problem, problem.total);
  amounts_ += step_;
  value = objective(problem, amounts_, error_);
  for (int i = 1; i < kSteps; ++i) {
    bool changed = false;
    for (Eigen::Index r = 0; r < error_.size(); ++r) {
      const double now = std::abs(error_[r]) > problem.bearable[r] ? 1 : 0;
      changed = changed || now != active_[r];
      active_[r] = now;
    }
    if (!changed) break;
    newton_step(problem, 0);
    double length = 1;
    for (; length > 1e-3; length *= 0.5) {
      trial_ = amounts_ + length * step_;
      const double next = objective(problem, trial_, trial_error_);
      if (next <= value) {
        value = next;
        break;
      }
    }
    if (length <= 1e-3) break;
    amounts_.swap(trial_);
    error_.swap(trial_error_);
  }
  return reached;
}

bool Balance::newton_step(const BalanceProblem& problem, double total_left) {
  const Eigen::Index givers = problem.stiffness.size(), regions = problem.wanted.size();
  matrix_ = problem.steepness;
  step_ = -problem.stiffness.cwiseProduct(amounts_);
  for (Eigen::Index j = 0; j < givers; ++j) step_ -= amounts_[j] * problem.steepness.col(j);
  for (Eigen::Index i = 0; i < regions; ++i) {
    const double weight = 1 + kBeyond * active_[i];
    const double pull = error_[i] + (active_[i] > 0 ? kBeyond * beyond(error_[i], problem.bearable[i]) : 0.0);
    for (Eigen::Index a = 0; a < givers; ++a) {
      const double left = problem.effect(i, a);
      if (left == 0) continue;
      step_[a] += left * pull;
      for (Eigen::Index b = 0; b <= a; ++b) matrix_(a, b) += weight * left * problem.effect(i, b);
    }
  }
  matrix_.diagonal() += problem.stiffness;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(matrix_);
  along_ = problem.total_effect;
  factor.solveInPlace(step_);
  factor.solveInPlace(along_);
  const double hold = problem.total_effect.dot(along_);
  const double multiplier = (total_left - problem.total_effect.dot(step_)) / hold;
  if (!(hold > 0) || !std::isfinite(multiplier)) return false;
  step_ += multiplier * along_;
  return true;
}

}  // namespace isochor::volume
