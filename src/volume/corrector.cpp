#include "isochor/volume/corrector.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "volume/contact.h"
#include "volume/fold_guard.h"
#include "volume/local_radius.h"
#include "volume/rest_carrier.h"
#include "volume/sequence.h"
#include "volume/together.h"

namespace isochor {
namespace {

using volume::ComponentPlan;
using volume::JointRegion;
using volume::kReached;

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

/// What time does not change: many may read it at once.
struct VolumeCorrector::Shared {
  explicit Shared(volume::TogetherPlan made) : plan(std::move(made)) {
    if (plan.options.contact != ContactTreatment::off) contact.emplace(plan);
    for (const JointRegion& region : plan.regions) {
      regions.push_back({.joint = region.joint,
                         .component = region.component,
                         .rest_volume = region.rest_volume,
                         .vertices = region.vertices,
                         .gamma = region.gamma});
    }
  }

  volume::TogetherPlan plan;
  std::optional<volume::ContactPlan> contact;
  std::vector<Region> regions;
};

struct VolumeCorrector::Prepared {
  explicit Prepared(std::shared_ptr<const Shared> of)
      : shared(std::move(of)),
        plan(shared->plan),
        together(plan),
        sequence(plan),
        folds(plan),
        contacts(plan, shared->contact ? &*shared->contact : nullptr),
        closing_solver(plan.welded->surface().vertex_count(), {.norm = plan.options.solve.norm}) {}

  std::shared_ptr<const Shared> shared;
  const volume::TogetherPlan& plan;
  volume::TogetherBuffers together;
  volume::SequenceSolver sequence;
  volume::FoldBuffers folds;
  volume::ContactBuffers contacts;
  FieldSolver closing_solver;
  CorrectionField field;
  std::vector<Vec3> moved;  // positions before a step

  void start(const PosedSkin& posed, CorrectedFrame& out) const;
  void keep_exact(const ComponentPlan& component, const PosedSkin& posed, CorrectedFrame& out);
  void carry_to_rest(const ComponentPlan& component, const PosedSkin& posed, CorrectedFrame& out);
  void keep_faces(const volume::ComponentPose& at, const volume::MeasuredRings* measured, CorrectedFrame& out);
  void keep_apart(const PosedSkin& posed, CorrectedFrame& out);
  double measure_region(Index r, const PosedSkin& posed, std::span<const Vec3> positions) const;
  void measure_regions(const ComponentPlan& component, const PosedSkin& posed, CorrectedFrame& out) const;
};

VolumeCorrector::VolumeCorrector(std::unique_ptr<Prepared> prepared) : prepared_(std::move(prepared)) {}
VolumeCorrector::VolumeCorrector(VolumeCorrector&&) noexcept = default;
VolumeCorrector& VolumeCorrector::operator=(VolumeCorrector&&) noexcept = default;
VolumeCorrector::~VolumeCorrector() = default;

VolumeCorrector VolumeCorrector::prepare(const WeldedCharacter& welded, const VolumeOptions& options,
                                         const Context& context) {
  check_ranges(options);
  auto plan = volume::plan_together(welded, options, volume::local_radii(welded, context));
  return VolumeCorrector(std::make_unique<Prepared>(std::make_shared<const Shared>(std::move(plan))));
}

VolumeCorrector VolumeCorrector::reweighed() const {
  const volume::TogetherPlan& known = prepared_->plan;
  auto plan = volume::plan_together(*known.welded, known.options, known.radius);
  return VolumeCorrector(std::make_unique<Prepared>(std::make_shared<const Shared>(std::move(plan))));
}

VolumeCorrector VolumeCorrector::twin() const { return VolumeCorrector(std::make_unique<Prepared>(prepared_->shared)); }

const WeldedCharacter& VolumeCorrector::welded() const { return *prepared_->plan.welded; }
const VolumeOptions& VolumeCorrector::options() const { return prepared_->plan.options; }
std::span<const VolumeCorrector::Region> VolumeCorrector::regions() const { return prepared_->shared->regions; }

void VolumeCorrector::Prepared::start(const PosedSkin& posed, CorrectedFrame& out) const {
  out.positions = posed.positions;
  out.offsets.assign(posed.positions.size(), Vec3::Zero());
  out.components.assign(plan.welded->topology().components.size(), {});
  out.joints.assign(plan.regions.size(), {});
  out.wild_joints.clear();
  out.turned_faces = out.held_vertices = 0;
  out.largest_turn = 0;
  out.contact = {};
  for (const ComponentPlan& component : plan.components) out.components[component.index].has_volume = true;
  for (std::size_t c = 0; c < out.components.size(); ++c) out.components[c].target = posed.target_volumes[c];
}

void VolumeCorrector::apply(const PosedSkin& posed, std::span<const JointField> fields, CorrectedFrame& out) {
  prepared_->start(posed, out);
  for (const ComponentPlan& component : prepared_->plan.components) {
    const auto at = volume::component_pose(prepared_->plan, component, posed, fields);
    auto measured = volume::correct_together(at, prepared_->together, out);
    const VolumeOutcome outcome = out.components[component.index].outcome;
    if (outcome == VolumeOutcome::no_hold || outcome == VolumeOutcome::no_root) {
      prepared_->keep_exact(component, posed, out);
      measured.reset();
    }
    prepared_->keep_faces(at, measured ? &*measured : nullptr, out);
  }
  prepared_->keep_apart(posed, out);
  find_largest(posed, out);
}

/// The component's total, brought to its target over all fields at once, or over the whole component where they have no
/// hold. Offsets are kept in step: what no offset can express is left, and made up for elsewhere.
void VolumeCorrector::Prepared::keep_exact(const ComponentPlan& component, const PosedSkin& posed,
                                           CorrectedFrame& out) {
  ComponentVolume& volume = out.components[component.index];
  field.vertices.clear();
  field.gamma.clear();
  field.direction = CorrectionDirection::normal;
  for (const Index v : component.support) {
    double gamma = 0;
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) gamma = std::max(gamma, plan.blend_gamma[b]);
    // By the same share of its own radius everywhere: what a trunk can bear would tear an ear.
    field.vertices.push_back(v);
    field.gamma.push_back(gamma * plan.radius[v]);
  }
  VolumeOutcome worst = VolumeOutcome::exact;
  for (int pass = 0; pass < 30; ++pass) {
    const double left = volume.target - component.whole.volume(out.positions);
    if (std::abs(left) <= kReached * std::abs(volume.target)) break;
    moved = out.positions;
    const SolveResult result = closing_solver.solve(component.whole, field, left, out.positions);
    worst = std::max(worst, result.outcome);
    carry_to_rest(component, posed, out);
    if (result.outcome == VolumeOutcome::no_hold || result.outcome == VolumeOutcome::no_root) break;
  }
  volume.outcome = worst;
  volume.after = component.whole.volume(out.positions);
  volume.residual = volume.target - volume.after;
}

void VolumeCorrector::Prepared::carry_to_rest(const ComponentPlan& component, const PosedSkin& posed,
                                              CorrectedFrame& out) {
  for (const Index v : component.whole.vertices()) {
    const Vec3 step = out.positions[v] - moved[v];
    if (step.isZero(0)) continue;
    const volume::Carried carried = volume::RestCarrier(posed.maps[v].leftCols<3>()).carry(step);
    out.offsets[v] += carried.offset;
    out.positions[v] = moved[v] + carried.displacement;
  }
}

void VolumeCorrector::apply_in_sequence(const Pose& pose, const PosedSkin& posed, const Poses& poses,
                                        CorrectedFrame& out) {
  Prepared& self = *prepared_;
  self.start(posed, out);
  for (const ComponentPlan& component : self.plan.components) {
    out.components[component.index].before = component.whole.volume(posed.positions);
    self.measure_regions(component, posed, out);
  }
  self.sequence.solve(pose, posed, poses, out);
  for (std::size_t v = 0; v < out.positions.size(); ++v) {
    if (!out.offsets[v].isZero(0)) {
      out.positions[v] = posed.positions[v] + posed.maps[v].leftCols<3>() * out.offsets[v];
    }
  }
  for (const ComponentPlan& component : self.plan.components) {
    ComponentVolume& volume = out.components[component.index];
    volume.after = component.whole.volume(out.positions);
    volume.residual = volume.target - volume.after;
    if (options().solve.solver == VolumeSolver::linear) {
      volume.outcome = VolumeOutcome::linear;
    } else if (component.region_count > 0 || (!component.rigid && volume.error_after() > kReached)) {
      self.keep_exact(component, posed, out);
    }
    const auto at = volume::component_pose(self.plan, component, posed, {});
    volume::gather_givers(at, volume::read_pose(at, self.together.pose), self.together.givers);
    self.keep_faces(at, nullptr, out);
    self.measure_regions(component, posed, out);
  }
  self.keep_apart(posed, out);
  find_largest(posed, out);
}

/// Of the stages of `together`, the second knows where the skin is twisted.
void VolumeCorrector::Prepared::keep_faces(const volume::ComponentPose& at, const volume::MeasuredRings* measured,
                                           CorrectedFrame& out) {
  if (!volume::hold_faces({at, together.givers.twist, together.pose.gradient, measured}, folds, out)) return;
  if (measured == nullptr) {
    for (const Index r : folds.changed) out.joints[r].error_after = measure_region(r, at.posed, out.positions);
    return;
  }
  for (const Index ring : folds.closing.rings) {
    const Index touched = at.component.touched_of_whole[ring];
    if (touched != kNone) measured->volume[touched] = folds.closing.ring_volume[ring];
  }
  volume::measure_lids(at.component, measured->extent, out.positions, measured->volume);
  for (const Index r : folds.changed) {
    const double error = volume::region_error(at, r, measured->region_target[r], measured->volume);
    out.joints[r].error_after = std::abs(error);
  }
}

/// The error of a joint's region.
double VolumeCorrector::Prepared::measure_region(Index r, const PosedSkin& posed,
                                                 std::span<const Vec3> positions) const {
  const JointRegion& region = plan.regions[r];
  const double rest = posed.rest_volumes[region.component];
  const double ratio = std::abs(posed.target_volumes[region.component] / rest);
  const double target = volume::region_target(*plan.welded, region, posed);
  return std::abs(target - region.functional.volume(positions)) / (region.size * (ratio > 0 ? ratio : 1));
}

/// Once all components are corrected: they may meet each other.
void VolumeCorrector::Prepared::keep_apart(const PosedSkin& posed, CorrectedFrame& out) {
  if (!shared->contact || !volume::treat_contacts({plan, *shared->contact, posed}, contacts, out)) return;
  for (const ComponentPlan& component : plan.components) measure_regions(component, posed, out);
}

/// The errors of the joints' regions; those before the correction come with it.
void VolumeCorrector::Prepared::measure_regions(const ComponentPlan& component, const PosedSkin& posed,
                                                CorrectedFrame& out) const {
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    out.joints[r] = {.error_before = measure_region(r, posed, posed.positions),
                     .error_after = measure_region(r, posed, out.positions)};
  }
}

}  // namespace isochor
