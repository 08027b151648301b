#include "bake/twin_share_solve.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace isochor {
namespace {

/// A share below this part of its bone's weight is none.
constexpr double kFaintShare = 5e-3;

/// Which shares may be had, and which bones give away all they have.
struct ShareChoice {
  std::vector<char> open;  ///< by share
  std::vector<char> full;  ///< by bone

  bool is_full(const ShareProblem& problem, std::size_t bone) const {
    if (!full[bone]) return false;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i] && problem.place[i] == bone) return true;
    }
    return false;  // nobody is left to take it
  }
};

/// The nearest shares that hold the bounds: by bone, the nearest point of { h ≥ 0, Σ h ≤ w }, or of { h ≥ 0, Σ h = w }
/// where it gives all away.
void project_shares(const ShareProblem& problem, const ShareChoice& choice, Eigen::VectorXd& h) {
  std::vector<double> values;
  for (std::size_t bone = 0; bone < problem.weight.size(); ++bone) {
    values.clear();
    double sum = 0;
    for (std::size_t i = 0; i < problem.place.size(); ++i) {
      if (problem.place[i] != bone) continue;
      const auto at = static_cast<Eigen::Index>(i);
      if (!choice.open[i]) {
        h[at] = 0;
        continue;
      }
      values.push_back(h[at]);
      sum += std::max(h[at], 0.0);
    }
    if (values.empty()) continue;
    double level = 0;
    if (sum > problem.weight[bone] || choice.full[bone]) {
      // Σ max(h - level, 0) = w has one solution, found from the largest values downwards.
      std::sort(values.begin(), values.end(), std::greater<>());
      double above = 0;
      for (std::size_t k = 0; k < values.size(); ++k) {
        above += values[k];
        const double candidate = (above - problem.weight[bone]) / static_cast<double>(k + 1);
        if (k + 1 == values.size() || values[k + 1] <= candidate) {
          level = candidate;
          break;
        }
      }
    }
    for (std::size_t i = 0; i < problem.place.size(); ++i) {
      if (problem.place[i] != bone || !choice.open[i]) continue;
      const auto at = static_cast<Eigen::Index>(i);
      h[at] = std::max(h[at] - level, 0.0);
    }
  }
}

/// Projected gradients with momentum (Beck and Teboulle 2009), restarted where they overshoot.
Eigen::VectorXd descend(const ShareProblem& problem, const ShareChoice& choice, Eigen::VectorXd h, int steps) {
  const double bound = problem.matrix.cwiseAbs().rowwise().sum().maxCoeff();
  project_shares(problem, choice, h);
  if (!(bound > 0)) return h;
  Eigen::VectorXd ahead = h;
  double momentum = 1, best = problem.cost(h);
  for (int k = 0; k < steps; ++k) {
    Eigen::VectorXd next = ahead + (problem.right - problem.matrix * ahead) / bound;
    project_shares(problem, choice, next);
    const double cost = problem.cost(next);
    if (cost > best) {
      if (momentum == 1) break;
      momentum = 1;
      ahead = h;
      continue;
    }
    const bool settled = (next - h).cwiseAbs().maxCoeff() < 1e-7;
    const double faster = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    ahead = next + (momentum - 1) / faster * (next - h);
    momentum = faster;
    h = next;
    best = cost;
    if (settled) break;
  }
  return h;
}

/// Closes shares that are next to nothing.
void drop_faint(const ShareProblem& problem, const Eigen::VectorXd& h, ShareChoice& choice) {
  for (std::size_t i = 0; i < choice.open.size(); ++i) {
    if (!(h[static_cast<Eigen::Index>(i)] > kFaintShare * problem.weight[problem.place[i]])) choice.open[i] = 0;
  }
}

std::size_t places(const ShareProblem& problem, const ShareChoice& choice) {
  std::size_t count = 0;
  for (std::size_t bone = 0; bone < problem.weight.size(); ++bone) count += choice.is_full(problem, bone) ? 0 : 1;
  for (const char open : choice.open) count += open ? 1 : 0;
  return count;
}

}  // namespace

Eigen::VectorXd solve_shares(const ShareProblem& problem, const Eigen::VectorXd& start) {
  constexpr int kSteps = 200, kTrialSteps = 12;
  ShareChoice choice{std::vector<char>(problem.place.size(), 1), std::vector<char>(problem.weight.size(), 0)};
  Eigen::VectorXd h = descend(problem, choice, start, kSteps);
  drop_faint(problem, h, choice);
  while (places(problem, choice) > problem.most) {
    const std::size_t now = places(problem, choice);
    double least = std::numeric_limits<double>::infinity();
    ShareChoice best;
    Eigen::VectorXd there;
    const auto consider = [&](ShareChoice other) {
      if (places(problem, other) >= now) return;
      const Eigen::VectorXd found = descend(problem, other, h, kTrialSteps);
      const double cost = problem.cost(found);
      if (cost >= least) return;
      least = cost;
      best = std::move(other);
      there = found;
    };
    for (std::size_t i = 0; i < choice.open.size(); ++i) {
      if (!choice.open[i]) continue;
      ShareChoice other = choice;
      other.open[i] = 0;
      consider(std::move(other));
    }
    for (std::size_t bone = 0; bone < choice.full.size(); ++bone) {
      if (choice.full[bone]) continue;
      ShareChoice other = choice;
      other.full[bone] = 1;
      consider(std::move(other));
    }
    if (!(least < std::numeric_limits<double>::infinity())) break;
    choice = std::move(best);
    h = std::move(there);
  }
  h = descend(problem, choice, h, kSteps);
  drop_faint(problem, h, choice);
  project_shares(problem, choice, h);
  return h;
}

}  // namespace isochor
