#include "isochor/volume/corrector.h"

#include <algorithm>
#include <cmath>

#include "volume/rest_space.h"
#include "volume/sequence.h"
#include "volume/together.h"

namespace isochor {
namespace {

using volume::ComponentPlan;
using volume::JointRegion;

/// A step of the sequence that moves the skin further than this, in the body's radii there, in the pose or at rest,
/// answers a pose that nobody will see.
constexpr double kWildStep = 1;

void find_largest(const PosedSkin& posed, CorrectedFrame& out) {
  double largest = 0;
  out.max_displacement_vertex = kNone;
  for (std::size_t v = 0; v < out.positions.size(); ++v) {
    const double moved = (out.positions[v] - posed.positions[v]).squaredNorm();
    if (moved <= largest) continue;
    largest = moved;
    out.max_displacement_vertex = static_cast<Index>(v);
  }
  out.max_displacement = std::sqrt(largest);
}

}  // namespace

struct VolumeCorrector::Prepared {
  Prepared(const WeldedSkin& skin, const CorrectorOptions& options)
      : plan(volume::plan_together(skin, options)),
        together(plan),
        field_solver(skin.surface().vertex_count(), options.solve),
        closing_solver(skin.surface().vertex_count(), {.norm = options.solve.norm}) {
    for (const JointRegion& region : plan.regions) {
      regions.push_back({.joint = region.joint,
                         .component = region.component,
                         .rest_volume = region.rest_volume,
                         .vertices = region.vertices,
                         .gamma = region.gamma});
    }
  }

  volume::TogetherPlan plan;
  volume::TogetherSolver together;
  FieldSolver field_solver, closing_solver;
  std::vector<Region> regions;
  CorrectionField field;
  PosedSkin partial;
  std::vector<Vec3> moved;  // positions before a step
  std::vector<Vec3> steps;

  void start(const PosedSkin& posed, CorrectedFrame& out) const;
  void keep_exact(const ComponentPlan& part, const PosedSkin& posed, CorrectedFrame& out);
  void carry_to_rest(const ComponentPlan& part, const PosedSkin& posed, CorrectedFrame& out);
  bool sequence_step(Index joint, std::span<const JointField> own, CorrectedFrame& out);
  const CorrectionField& step_field(Index joint, const ComponentPlan& part, std::span<const JointField> own);
  void measure_regions(const PosedSkin& posed, CorrectedFrame& out) const;
};

VolumeCorrector::VolumeCorrector(std::unique_ptr<Prepared> prepared) : prepared_(std::move(prepared)) {}
VolumeCorrector::VolumeCorrector(VolumeCorrector&&) noexcept = default;
VolumeCorrector& VolumeCorrector::operator=(VolumeCorrector&&) noexcept = default;
VolumeCorrector::~VolumeCorrector() = default;

VolumeCorrector VolumeCorrector::prepare(const WeldedSkin& skin, const CorrectorOptions& options) {
  check_ranges(options);
  return VolumeCorrector(std::make_unique<Prepared>(skin, options));
}

const WeldedSkin& VolumeCorrector::skin() const { return *prepared_->plan.skin; }
const CorrectorOptions& VolumeCorrector::options() const { return prepared_->plan.options; }
std::span<const VolumeCorrector::Region> VolumeCorrector::regions() const { return prepared_->regions; }

void VolumeCorrector::Prepared::start(const PosedSkin& posed, CorrectedFrame& out) const {
  out.positions = posed.positions;
  out.offsets.assign(posed.positions.size(), Vec3::Zero());
  out.components.assign(plan.skin->topology().components.size(), {});
  out.joints.assign(plan.regions.size(), {});
  out.wild_joints.clear();
  for (const ComponentPlan& part : plan.components) out.components[part.component].has_volume = true;
  for (std::size_t c = 0; c < out.components.size(); ++c) out.components[c].target = posed.target_volumes[c];
}

void VolumeCorrector::apply(const PosedSkin& posed, std::span<const JointField> fields, CorrectedFrame& out) {
  prepared_->start(posed, out);
  for (std::size_t p = 0; p < prepared_->plan.components.size(); ++p) {
    const ComponentPlan& part = prepared_->plan.components[p];
    prepared_->together.solve(p, posed, fields, out);
    if (out.components[part.component].outcome == VolumeOutcome::no_hold) {
      prepared_->keep_exact(part, posed, out);
    }
  }
  find_largest(posed, out);
}

/// The component's total, brought to its target over all fields at once, or over the whole component where they have no
/// hold. Offsets are kept in step: what no offset can express is left, and made up for elsewhere.
void VolumeCorrector::Prepared::keep_exact(const ComponentPlan& part, const PosedSkin& posed, CorrectedFrame& out) {
  ComponentVolume& volume = out.components[part.component];
  field.vertices.clear();
  field.gamma.clear();
  field.direction = CorrectionDirection::normal;
  for (const Index v : part.support) {
    double gamma = 0;
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) gamma = std::max(gamma, plan.blend_gamma[b]);
    field.vertices.push_back(v);
    field.gamma.push_back(gamma);
  }
  VolumeOutcome worst = VolumeOutcome::exact;
  for (int pass = 0; pass < 30; ++pass) {
    const double left = volume.target - part.whole.volume(out.positions);
    if (std::abs(left) <= 1e-12 * std::abs(volume.target)) break;
    moved = out.positions;
    const SolveResult result = closing_solver.solve(part.whole, field, left, out.positions);
    worst = std::max(worst, result.outcome);
    carry_to_rest(part, posed, out);
    if (result.outcome == VolumeOutcome::no_hold || result.outcome == VolumeOutcome::no_root) break;
  }
  volume.outcome = worst;
  volume.after = part.whole.volume(out.positions);
  volume.residual = volume.target - volume.after;
}

void VolumeCorrector::Prepared::carry_to_rest(const ComponentPlan& part, const PosedSkin& posed, CorrectedFrame& out) {
  for (const Index v : part.whole.vertices()) {
    const Vec3 step = out.positions[v] - moved[v];
    if (step.isZero(0)) continue;
    const volume::Carried carried = volume::RestSpace(posed.maps[v].leftCols<3>()).carry(step);
    out.offsets[v] += carried.offset;
    out.positions[v] = moved[v] + carried.displacement;
  }
}

void VolumeCorrector::apply_in_sequence(const Pose& pose, const Poses& poses, CorrectedFrame& out) {
  Prepared& self = *prepared_;
  PosedSkin posed;
  poses.skin(pose, posed);
  self.start(posed, out);
  for (const ComponentPlan& part : self.plan.components) {
    out.components[part.component].before = part.whole.volume(posed.positions);
  }
  self.measure_regions(posed, out);

  volume::PartialPoses partial(skin(), pose, posed);
  std::vector<JointField> own;
  for (std::size_t j = 0; j < skin().skeleton().size(); ++j) {
    const auto joint = static_cast<Index>(j);
    const bool moves = partial.moves(joint);
    partial.move(joint);
    if (!moves) continue;
    const Pose step = partial.pose();
    poses.skin(step, self.partial);
    own.clear();
    if (poses.fields) poses.fields(joint, step, self.partial, own);
    if (!self.sequence_step(joint, own, out)) out.wild_joints.push_back(joint);
  }

  for (std::size_t v = 0; v < out.positions.size(); ++v) {
    if (!out.offsets[v].isZero(0)) {
      out.positions[v] = posed.positions[v] + posed.maps[v].leftCols<3>() * out.offsets[v];
    }
  }
  for (const ComponentPlan& part : self.plan.components) {
    ComponentVolume& volume = out.components[part.component];
    volume.after = part.whole.volume(out.positions);
    volume.residual = volume.target - volume.after;
    if (options().solve.solver == VolumeSolver::linear) {
      volume.outcome = VolumeOutcome::linear;
    } else if (part.region_count > 0) {
      self.keep_exact(part, posed, out);
    }
  }
  self.measure_regions(posed, out);
  find_largest(posed, out);
}

const CorrectionField& VolumeCorrector::Prepared::step_field(Index joint, const ComponentPlan& part,
                                                             std::span<const JointField> own) {
  field.vertices.clear();
  field.gamma.clear();
  field.direction = CorrectionDirection::normal;
  const auto& component_of = plan.skin->topology().component_of_vertex;
  for (const JointField& candidate : own) {
    if (candidate.joint != joint) continue;
    for (std::size_t i = 0; i < candidate.field.vertices.size(); ++i) {
      if (component_of[candidate.field.vertices[i]] != part.component) continue;
      field.vertices.push_back(candidate.field.vertices[i]);
      field.gamma.push_back(candidate.field.gamma[i]);
    }
    field.direction = candidate.field.direction;
    field.frame = candidate.field.frame;
    field.shares = candidate.field.shares;
    return field;
  }
  for (Index r = part.first_region; r < part.first_region + part.region_count; ++r) {
    if (plan.regions[r].joint != joint) continue;
    field.vertices = plan.regions[r].vertices;
    field.gamma = plan.regions[r].gamma;
  }
  return field;
}

/// False where the step is too wild to be worth correcting; nothing was done then.
bool VolumeCorrector::Prepared::sequence_step(Index joint, std::span<const JointField> own, CorrectedFrame& out) {
  bool sane = true;
  moved.resize(partial.positions.size());
  for (std::size_t v = 0; v < moved.size(); ++v) {
    moved[v] = partial.positions[v] + partial.maps[v].leftCols<3>() * out.offsets[v];
  }
  for (const ComponentPlan& part : plan.components) {
    const CorrectionField& here = step_field(plan.stands_for[joint], part, own);
    if (here.vertices.empty()) continue;
    const double left = partial.target_volumes[part.component] - part.whole.volume(moved);
    const SolveResult result = field_solver.solve(part.whole, here, left, moved);
    double radius = 0;
    for (const Index v : here.vertices) radius = std::max(radius, plan.radius[v]);
    if (radius == 0) radius = part.radius;
    const double scale = std::cbrt(
        std::abs(partial.target_volumes[part.component] / plan.skin->playback().rest_volumes()[part.component]));
    const bool reached = result.outcome == VolumeOutcome::exact || result.outcome == VolumeOutcome::linear ||
                         result.outcome == VolumeOutcome::nothing;
    if (!reached || result.largest > kWildStep * scale * radius) {
      sane = false;
      continue;
    }
    steps.clear();
    double largest = 0;
    for (const Index v : here.vertices) {
      const Mat3 linear = partial.maps[v].leftCols<3>();
      const Vec3 u = moved[v] - partial.positions[v] - linear * out.offsets[v];
      steps.push_back(volume::RestSpace(linear).carry(u).offset);
      largest = std::max(largest, steps.back().norm());
    }
    // A flattened map turns a small displacement into a large offset, which the next pose shows in full.
    if (largest > kWildStep * radius) {
      sane = false;
      continue;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) out.offsets[here.vertices[i]] += steps[i];
  }
  return sane;
}

void VolumeCorrector::Prepared::measure_regions(const PosedSkin& posed, CorrectedFrame& out) const {
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const JointRegion& region = plan.regions[r];
    const double target = volume::region_target(*plan.skin, region, posed);
    const double rest = plan.skin->playback().rest_volumes()[region.component];
    const double ratio = std::abs(posed.target_volumes[region.component] / rest);
    const auto error = [&](const std::vector<Vec3>& positions) {
      return std::abs(target - region.functional.volume(positions)) / (region.size * (ratio > 0 ? ratio : 1));
    };
    out.joints[r] = {.error_before = error(posed.positions), .error_after = error(out.positions)};
  }
}

}  // namespace isochor
