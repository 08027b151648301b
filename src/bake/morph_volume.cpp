#include "isochor/bake/morph_volume.h"

#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

/// Targets that are copies of each other do not make weights run away.
constexpr double kInertiaFloor = 1e-9;

Eigen::MatrixXd inertia_of(std::span<const WeldedTarget> targets, std::span<const double> reach) {
  const auto count = static_cast<Eigen::Index>(targets.size());
  Eigen::MatrixXd inertia = Eigen::MatrixXd::Zero(count, count);
  std::vector<Vec3> one(reach.size(), Vec3::Zero());
  for (std::size_t a = 0; a < targets.size(); ++a) {
    for (std::size_t i = 0; i < targets[a].vertices.size(); ++i) {
      const Index v = targets[a].vertices[i];
      one[v] = targets[a].offsets[i] / (reach[v] * reach[v]);
    }
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < targets[b].vertices.size(); ++i) {
        sum += targets[b].offsets[i].dot(one[targets[b].vertices[i]]);
      }
      inertia(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = sum;
      inertia(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) = sum;
    }
    for (const Index v : targets[a].vertices) one[v] = Vec3::Zero();
  }
  const double floor = kInertiaFloor * (count > 0 ? inertia.diagonal().maxCoeff() : 0);
  inertia.diagonal().array() += floor > 0 ? floor : 1;
  return inertia;
}

}  // namespace

MorphVolume::MorphVolume(const Surface& surface, const Topology& topology, std::span<const WeldedTarget> targets,
                         std::span<const double> reach)
    : targets_(targets), component_of_vertex_(topology.component_of_vertex), inertia_(inertia_of(targets, reach)) {
  for (const Component& component : topology.components) components_.emplace_back(surface, component);
  moved_.assign(components_.size(), 0);
  for (const WeldedTarget& target : targets) {
    for (const Index v : target.vertices) {
      if (component_of_vertex_[v] != kNone) moved_[component_of_vertex_[v]] = 1;
    }
  }
}

Eigen::VectorXd MorphVolume::errors(const MorphedFrame& frame) const {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(components_.size()));
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const double wanted = frame.volumes[c];
    if (wanted == 0 || moved_[c] == 0) continue;
    out[static_cast<Eigen::Index>(c)] = (wanted - components_[c].volume(frame.positions)) / wanted;
  }
  return out;
}

/// With J the slopes of the relative volumes and G the targets' inertia: the least δᵀGδ with Jδ = errors,
/// δ = G⁻¹Jᵀ (J G⁻¹Jᵀ)⁻¹ errors, damped.
Eigen::VectorXd MorphVolume::step(const MorphedFrame& frame, const Eigen::VectorXd& errors) const {
  std::vector<Vec3> pull(frame.positions.size(), Vec3::Zero());
  for (std::size_t c = 0; c < components_.size(); ++c) {
    if (frame.volumes[c] == 0) continue;
    components_[c].gradient(frame.positions, pull);
    for (const Index v : components_[c].vertices()) pull[v] = frame.linear[v].transpose() * pull[v] / frame.volumes[c];
  }
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(errors.size(), static_cast<Eigen::Index>(targets_.size()));
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    for (std::size_t i = 0; i < targets_[t].vertices.size(); ++i) {
      const Index v = targets_[t].vertices[i], c = component_of_vertex_[v];
      if (c != kNone) slopes(c, static_cast<Eigen::Index>(t)) += targets_[t].offsets[i].dot(pull[v]);
    }
  }
  const Eigen::MatrixXd light = inertia_.solve(slopes.transpose());
  // Components pull each other's targets: what would move a component by more than its reach to mend the largest error
  // is damped.
  Eigen::MatrixXd ease = slopes * light;
  const double largest = errors.cwiseAbs().maxCoeff();
  for (Eigen::Index c = 0; c < ease.rows(); ++c) {
    const auto vertices = static_cast<double>(components_[static_cast<std::size_t>(c)].vertices().size());
    ease(c, c) += largest * largest / std::max(1.0, vertices);
  }
  return light * ease.ldlt().solve(errors);
}

void MorphVolume::move(const Eigen::VectorXd& weights, MorphedFrame& frame) const {
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    for (std::size_t i = 0; i < targets_[t].vertices.size(); ++i) {
      const Index v = targets_[t].vertices[i];
      frame.positions[v] += frame.linear[v] * (weights[static_cast<Eigen::Index>(t)] * targets_[t].offsets[i]);
    }
  }
}

Eigen::VectorXd MorphVolume::correct(MorphedFrame& frame) const {
  constexpr int kSteps = 4;
  constexpr double kEnough = 1e-8, kWorthIt = 0.9;
  Eigen::VectorXd change = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(targets_.size()));
  if (targets_.empty() || components_.empty()) return change;
  Eigen::VectorXd now = errors(frame);
  for (int i = 0; i < kSteps && now.cwiseAbs().maxCoeff() > kEnough; ++i) {
    const Eigen::VectorXd next = step(frame, now);
    MorphedFrame moved = frame;
    move(next, moved);
    const Eigen::VectorXd left = errors(moved);
    if (!next.allFinite() || !(left.norm() < now.norm())) break;
    const bool slow = left.norm() > kWorthIt * now.norm();
    change += next;
    frame.positions = std::move(moved.positions);
    now = left;
    if (slow) break;
  }
  return change;
}

}  // namespace isochor
