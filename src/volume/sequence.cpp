#include "volume/sequence.h"

#include <Eigen/SVD>
#include <cmath>

#include "volume/rest_carrier.h"

namespace isochor::volume {
namespace {

/// A vertex goes as far as a step asks up to the first, in local radii, and never beyond the second: a step that asks
/// for more answers a pose that nobody will see. Between them it gives way smoothly, so that nothing pops where a step
/// becomes wild in time.
constexpr double kFree = 0.6, kFurthest = 1;

double give_way(double x) {
  constexpr double kRoom = kFurthest - kFree;
  return x <= kFree ? x : kFree + kRoom * std::tanh((x - kFree) / kRoom);
}

/// The scale of lengths that a volume's scale stands for.
double scale_of_lengths(double target, double rest) { return std::cbrt(std::abs(target / rest)); }

}  // namespace

StepMotions::StepMotions(const TogetherPlan& plan) {
  const WeldedCharacter& welded = *plan.welded;
  const auto& joints = welded.skeleton().joints;
  kinds_.assign(joints.size(), Kind::none);
  bones_.assign(joints.size(), kNone);
  below_.resize(joints.size());
  for (std::size_t b = welded.bones().size(); b-- > 0;) {
    if (welded.bones()[b].joint != kNone) bones_[welded.bones()[b].joint] = static_cast<Index>(b);
  }
  std::vector<char> has_skin(joints.size(), 0);
  for (const Influence& i : welded.weights().influences) {
    const Index joint = welded.bones()[i.joint].joint;
    if (joint == kNone || !(i.weight > 0)) continue;
    kinds_[joint] = Kind::bone;
    for (Index j = joint; j != kNone && !has_skin[j]; j = joints[j].parent) has_skin[j] = 1;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const bool branches = kinds_[j] == Kind::none && has_skin[j] && plan.stands_for[j] == static_cast<Index>(j);
    if (branches) kinds_[j] = Kind::branches;
  }
  for (std::size_t v = 0; v < welded.weights().vertex_count(); ++v) {
    const auto vertex = static_cast<Index>(v);
    everything_.push_back({vertex, 1});
    for (const Influence& i : welded.weights().row(v)) {
      for (Index j = welded.bones()[i.joint].joint; j != kNone; j = joints[j].parent) {
        if (kinds_[j] != Kind::branches || !(i.weight > 0)) continue;
        if (below_[j].empty() || below_[j].back().vertex != vertex) below_[j].push_back({vertex, 0});
        below_[j].back().weight += i.weight;
      }
    }
  }
}

void StepMotions::read(const PosedSkin& posed, std::vector<Affine>& out) const {
  out.assign(kinds_.size(), Affine::Identity());
  for (std::size_t j = 0; j < kinds_.size(); ++j) {
    if (kinds_[j] == Kind::bone) out[j] = posed.matrices[bones_[j]];
    if (kinds_[j] == Kind::branches) out[j] = fit(below_[j], posed);
  }
}

/// The similarity nearest to the motion of some skin, in the sense of least squares (Umeyama 1991).
Affine StepMotions::fit(std::span<const Share> skin, const PosedSkin& posed) {
  double total = 0;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  for (const auto& [v, weight] : skin) {
    total += weight;
    from += weight * posed.rest[v];
    to += weight * posed.positions[v];
  }
  if (!(total > 0)) return Affine::Identity();
  from /= total;
  to /= total;
  Mat3 covariance = Mat3::Zero();
  double spread = 0;
  for (const auto& [v, weight] : skin) {
    const Vec3 arm = posed.rest[v] - from;
    covariance += weight * (posed.positions[v] - to) * arm.transpose();
    spread += weight * arm.squaredNorm();
  }
  const Eigen::JacobiSVD<Mat3> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 sign = Vec3::Ones();
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0) sign.z() = -1;
  Affine motion = Affine::Identity();
  const double scale = svd.singularValues().dot(sign) / spread;
  motion.linear() = scale * svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  motion.translation() = to - motion.linear() * from;
  return motion.matrix().allFinite() && scale > 0 ? motion : Affine::Identity();
}

PartialPoses::PartialPoses(const WeldedCharacter& welded, const StepMotions& motions, const Pose& pose,
                           const PosedSkin& posed)
    : welded_(welded),
      motions_(motions),
      target_(pose),
      moved_(welded.skeleton().size(), 0),
      common_(motions.common(posed)) {
  motions.read(posed, motion_);
}

const Affine& PartialPoses::current(Index joint) const {
  for (Index j = joint; j != kNone; j = welded_.skeleton().joints[j].parent) {
    if (moved_[j]) return motion_[j];
  }
  return common_;
}

bool PartialPoses::moves(Index joint) const {
  if (!motions_.makes_step(joint) || moved_[joint]) return false;
  const Affine& now = current(joint);
  const double scale = motion_[joint].matrix().norm();
  return (motion_[joint].matrix() - now.matrix()).norm() > 1e-12 * scale;
}

void PartialPoses::move(Index joint) {
  if (motions_.makes_step(joint)) moved_[joint] = 1;
}

Pose PartialPoses::pose() const {
  const auto& joints = welded_.skeleton().joints;
  Pose pose = target_;
  std::vector<Affine> global(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Index parent = joints[j].parent;
    const Affine above = parent == kNone ? Affine::Identity() : global[parent];
    const Index bone = motions_.bone(static_cast<Index>(j));
    global[j] = above * to_matrix(pose.local[j]);
    if (bone == kNone || above.linear().determinant() == 0) continue;
    const Mat3 bind = welded_.inverse_binds()[bone].linear();
    if (bind.determinant() == 0) continue;
    global[j] = current(static_cast<Index>(j)) * welded_.inverse_binds()[bone].inverse();
    pose.local[j] = to_transform(above.inverse() * global[j]);
  }
  return pose;
}

SequenceSolver::SequenceSolver(const TogetherPlan& plan)
    : plan_(plan), motions_(plan), solver_(plan.welded->surface().vertex_count(), plan.options.solve) {}

void SequenceSolver::solve(const Pose& pose, const PosedSkin& posed, const VolumeCorrector::Poses& poses,
                           CorrectedFrame& out) {
  posed_ = &posed;
  PartialPoses partial(*plan_.welded, motions_, pose, posed);
  poses.skin(partial.pose(), partial_);
  show(out);
  left_.clear();
  for (const ComponentPlan& component : plan_.components) left_.push_back(missing(component));
  for (std::size_t j = 0; j < plan_.welded->skeleton().size(); ++j) {
    const auto joint = static_cast<Index>(j);
    const bool moves = partial.moves(joint);
    partial.move(joint);
    if (!moves) continue;
    const Pose at = partial.pose();
    poses.skin(at, partial_);
    show(out);
    own_.clear();
    if (poses.fields) poses.fields(joint, at, partial_, own_);
    if (!step(joint, out)) out.wild_joints.push_back(joint);
  }
}

/// The partial pose with the offsets so far.
void SequenceSolver::show(const CorrectedFrame& out) {
  positions_.resize(partial_.positions.size());
  for (std::size_t v = 0; v < positions_.size(); ++v) {
    positions_[v] = partial_.positions[v] + partial_.maps[v].leftCols<3>() * out.offsets[v];
  }
}

double SequenceSolver::missing(const ComponentPlan& component) const {
  return partial_.target_volumes[component.index] - component.whole.volume(positions_);
}

const CorrectionField& SequenceSolver::step_field(Index joint, const ComponentPlan& component) {
  field_.vertices.clear();
  field_.gamma.clear();
  field_.direction = CorrectionDirection::normal;
  const auto& component_of = plan_.welded->topology().component_of_vertex;
  for (const JointField& candidate : own_) {
    if (candidate.joint != joint) continue;
    for (std::size_t i = 0; i < candidate.field.vertices.size(); ++i) {
      if (component_of[candidate.field.vertices[i]] != component.index) continue;
      field_.vertices.push_back(candidate.field.vertices[i]);
      field_.gamma.push_back(candidate.field.gamma[i]);
    }
    field_.direction = candidate.field.direction;
    field_.axes = candidate.field.axes;
    field_.shares = candidate.field.shares;
    return field_;
  }
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    if (plan_.regions[r].joint != joint) continue;
    field_.vertices = plan_.regions[r].vertices;
    field_.gamma = plan_.regions[r].gamma;
  }
  return field_;
}

/// False where the step is wild: what it could not give is left to the end.
bool SequenceSolver::step(Index joint, CorrectedFrame& out) {
  bool sane = true;
  for (std::size_t p = 0; p < plan_.components.size(); ++p) {
    const ComponentPlan& component = plan_.components[p];
    // What this step changed, and no more: what an earlier one could not give is not this joint's to give.
    const double change = missing(component) - left_[p];
    const CorrectionField& field = step_field(joint, component);
    if (field.vertices.empty()) {
      left_[p] += change;
      continue;
    }
    const SolveResult result = solver_.solve(component.whole, field, change, positions_);
    const bool held = result.outcome != VolumeOutcome::widened && result.outcome != VolumeOutcome::no_hold;
    double furthest = 0;
    for (const Index v : field.vertices) {
      const Vec3 before = partial_.positions[v] + partial_.maps[v].leftCols<3>() * out.offsets[v];
      if (held) furthest = std::max(furthest, keep(v, positions_[v] - before, out));
      positions_[v] = partial_.positions[v] + partial_.maps[v].leftCols<3>() * out.offsets[v];
    }
    if (!held) {
      for (const Index v : component.whole.vertices()) {
        positions_[v] = partial_.positions[v] + partial_.maps[v].leftCols<3>() * out.offsets[v];
      }
    }
    sane = sane && held && furthest <= kFurthest;
    left_[p] = missing(component);
  }
  return sane;
}

/// Adds a displacement to the offset of a vertex, as far as it may go, in this pose and in the last one: a flattened
/// map turns a small displacement into a large offset, which a later pose shows in full. Returns how far it would have
/// gone, in local radii.
double SequenceSolver::keep(Index v, const Vec3& displacement, CorrectedFrame& out) const {
  const Mat3 now = partial_.maps[v].leftCols<3>();
  const Mat3 last = posed_->maps[v].leftCols<3>();
  const Index c = plan_.welded->topology().component_of_vertex[v];
  const double rest = posed_->rest_volumes[c];
  const Vec3 offset = out.offsets[v] + RestCarrier(now).carry(displacement).offset;
  const double far_now = (now * offset).norm() / scale_of_lengths(partial_.target_volumes[c], rest);
  const double far_last = (last * offset).norm() / scale_of_lengths(posed_->target_volumes[c], rest);
  const double far = std::max(far_now, far_last) / plan_.radius[v];
  if (!std::isfinite(far)) return kFurthest;
  out.offsets[v] = far > kFree ? Vec3(give_way(far) / far * offset) : offset;
  return far;
}

}  // namespace isochor::volume
