#include "volume/together.h"

#include <algorithm>
#include <cmath>

#include "volume/rest_space.h"

namespace isochor::volume {
namespace {

/// Share of the joints' radii in the direction along which the total is made exact.
constexpr double kClosingShare = 0.05;
/// How much worse than it began a region may end, relative to its volume, before that begins to count more.
constexpr double kWorse = 0.02;
/// No region asks for more than this, relative to its volume: one that is turned inside out would drown the others.
constexpr double kLargestWant = 0.7;
/// Fields of the artist's may go this much further than the joints' own.
constexpr double kOwnReach = 2;
constexpr double kExact = 1e-13;
constexpr double kNoHold = 1e-9;
/// A component that moves rigidly keeps its volume to within this.
constexpr double kRigid = 1e-12;

/// Identity for small heights, never beyond ±limit.
struct Saturated {
  double value, slope;
};
Saturated saturate(double height, double limit) {
  if (!(limit > 0)) return {0, 0};
  const double square = (height / limit) * (height / limit);
  const double fourth = square * square;
  // x / (1 + x⁴)^(1/4), and its series where that is as good: most of the skin moves little.
  if (fourth < 1e-4) {
    return {height * (1 - fourth * (0.25 - 0.15625 * fourth)), 1 - fourth * (1.25 - 1.40625 * fourth)};
  }
  const double power = 1 + fourth;
  const double root = 1 / std::sqrt(std::sqrt(power));
  return {height * root, root / power};
}

/// Saturated vertices take part in the last step too, or the few that are not would go far.
double closing_share(double slope) { return 0.2 + 0.8 * slope; }

}  // namespace

TogetherSolver::TogetherSolver(const TogetherPlan& plan)
    : plan_(plan),
      axis_solver_(plan.skin->surface().vertex_count(),
                   {.solver = VolumeSolver::three_step, .norm = plan.options.solve.norm}) {
  const std::size_t vertices = plan.skin->surface().vertex_count();
  for (auto* field : {&normal_, &gradient_, &rim_gradient_, &own_shift_, &positions_, &closing_, &closing_offset_}) {
    field->assign(vertices, Vec3::Zero());
  }
  for (auto* field : {&height_, &slope_, &own_slope_, &limit_, &loss_, &areas_, &closing_height_})
    field->assign(vertices, 0.0);
  gamma_.resize(plan.blend_gamma.size());
  awake_.assign(vertices, 0);
  for (auto* values : {&region_target_, &activity_, &region_error_, &collapse_})
    values->assign(plan.regions.size(), 0.0);
  giver_of_region_.assign(plan.regions.size(), kNone);
  amounts_.resize(plan.regions.size());
  std::size_t rings = 0;
  for (const ComponentPlan& part : plan.components) {
    rings = std::max(rings, part.touched.ring_count() + part.lids.ring_count());
  }
  ring_volume_.resize(rings);
  awake_rings_.reserve(rings);
  own_support_.reserve(vertices);
}

void TogetherSolver::solve(std::size_t part, const PosedSkin& posed, std::span<const JointField> fields,
                           CorrectedFrame& out) {
  begin(part, posed, fields);
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    out.joints[r] = {.error_before = std::abs(region_error_[r]), .error_after = std::abs(region_error_[r])};
  }
  ComponentVolume& volume = out.components[part_->component];
  volume.before = start_volume_;
  volume.target = target_;
  if (givers_.empty() || target_ == 0) {
    volume.after = start_volume_;
    volume.residual = target_ - start_volume_;
    // Vertices that follow one bone each, but not the same: no joint blends, and yet the skin between them stretches.
    const bool stretched = !part_->rigid && std::abs(volume.residual) > kRigid * std::abs(target_);
    if (stretched && plan_.options.solve.solver != VolumeSolver::linear) volume.outcome = VolumeOutcome::no_hold;
    return;
  }
  fill_effects();
  give();
  volume.outcome = finish(out);
  volume.after = current_volume();
  volume.residual = target_ - volume.after;
  measure_regions();
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    out.joints[r].error_after = std::abs(region_error_[r]);
  }
}

void TogetherSolver::begin(std::size_t part, const PosedSkin& posed, std::span<const JointField> fields) {
  part_ = &plan_.components[part];
  posed_ = &posed;
  const double rest = plan_.skin->playback().rest_volumes()[part_->component];
  target_ = posed.target_volumes[part_->component];
  ratio_ = target_ / rest;
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    region_target_[r] = region_target(*plan_.skin, plan_.regions[r], posed);
  }
  gather_support(fields);
  for (const Index v : around().vertices()) positions_[v] = posed.positions[v];
  read_activity();
  measure_start();
  read_maps();
  gather_givers(fields);
  shape_blends();
}

void TogetherSolver::measure_start() {
  if (part_->whole.vertices().empty()) return;
  origin_ = posed_->positions[part_->whole.vertices().front()];
  untouched_volume_ = part_->untouched.volume(posed_->positions, origin_);
  bool sleepers = false;
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    sleepers = sleepers || activity_[r] < kAsleep;
  }
  if (wide_ || sleepers) {
    measure_rings();
  } else {
    part_->touched.gradient(positions_, {origin_, rings_}, gradient_, ring_volume_);
    measure_lids();
  }
  start_volume_ = current_volume();
  measure_regions();
  idle_ = idle_activity();
  if (wide_) {
    part_->whole.gradient(positions_, gradient_);
  } else if (sleepers) {
    if (idle_ == 0) leave_sleepers_out();
    part_->touched.gradient(positions_, {origin_, rings_}, gradient_, {});
  }
}

void TogetherSolver::measure_rings() {
  part_->touched.ring_volumes(positions_, {origin_, rings_}, ring_volume_);
  measure_lids();
}

void TogetherSolver::measure_lids() {
  part_->lids.ring_volumes(positions_, {origin_, part_->lids.all_rings()},
                           std::span(ring_volume_).subspan(part_->touched.ring_count()));
}

double TogetherSolver::current_volume() const {
  if (wide_) return part_->whole.volume(positions_);
  double sum = 0;
  for (std::size_t r = 0; r < part_->touched.ring_count(); ++r) sum += ring_volume_[r];
  return untouched_volume_ + sum;
}

void TogetherSolver::give() {
  fill_wanted();
  const bool reached = balance_.solve(problem_);
  static_cast<void>(reached);  // the closing step says so
  for (std::size_t g = 0; g < givers_.size(); ++g) {
    Giver& giver = givers_[g];
    giver.amount = balance_.amounts()[static_cast<Eigen::Index>(g)];
    giver.closing = std::abs(giver.amount) + kClosingShare * (giver.activity + idle_);
  }
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    const Index g = giver_of_region_[r];
    amounts_[r] = g == kNone ? Amounts{} : Amounts{givers_[g].amount, givers_[g].closing};
  }
  displace();
}

void TogetherSolver::fill_effects() {
  problem_.resize(part_->region_count, static_cast<Eigen::Index>(givers_.size()));
  problem_.effect.setZero();
  problem_.total_effect.setZero();
  add_inner_effects();
  add_rim_effects();
  // From here on in units of each region's volume, and of the total.
  for (Index r = 0; r < part_->region_count; ++r) {
    problem_.effect.row(r) /= scaled_size(part_->first_region + r);
  }
  problem_.total_effect /= std::abs(target_);
  for (std::size_t g = 0; g < givers_.size(); ++g) {
    problem_.stiffness[static_cast<Eigen::Index>(g)] =
        plan_.options.stiffness / (std::max(givers_[g].activity + idle_, kAsleep));
  }
  fill_steepness();
}

/// A twist takes its radius back whatever that does to the slope, which the deformer has made steeper still.
void TogetherSolver::fill_steepness() {
  for (std::size_t a = 0; a < givers_.size(); ++a) {
    for (std::size_t b = 0; b < givers_.size(); ++b) {
      if (givers_[a].region == kNone || givers_[a].own_field || givers_[b].region == kNone || givers_[b].own_field) {
        continue;
      }
      problem_.steepness(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
          plan_.options.smoothness * (1 - givers_[a].collapsed) * (1 - givers_[b].collapsed) *
          part_->steepness(givers_[a].region - part_->first_region, givers_[b].region - part_->first_region);
    }
  }
}

void TogetherSolver::add_inner_effects() {
  const Index first = part_->first_region;
  for (const Index v : support_) {
    const double push = slope_[v] * gradient_[v].dot(normal_[v]);
    const auto inner = plan_.inner_at(v);
    for (Index b = plan_.blend_begin[v]; b < plan_.blend_begin[v + 1]; ++b) {
      const Index g = giver_of_region_[plan_.blend_region[b]];
      if (g == kNone) continue;
      const double change = shaped_[b] * push;
      problem_.total_effect[g] += change;
      for (const Index r : inner) problem_.effect(r - first, g) += change;
    }
  }
  for (std::size_t g = 0; g < givers_.size(); ++g) {
    const auto column = static_cast<Eigen::Index>(g);
    for (std::size_t m = givers_[g].first; m < givers_[g].last; ++m) {
      const double change = gradient_[moves_[m].vertex].dot(moves_[m].d);
      problem_.total_effect[column] += change;
      for (const Index r : plan_.inner_at(moves_[m].vertex)) problem_.effect(r - first, column) += change;
    }
  }
}

void TogetherSolver::add_rim_effects() {
  const Index first = part_->first_region;
  for (Index r = first; r < first + part_->region_count; ++r) {
    const auto& rim = plan_.regions[r].rim;
    plan_.rims[r].gradient(positions_, rim_gradient_);
    for (const Index v : rim) {
      const double push = slope_[v] * rim_gradient_[v].dot(normal_[v]);
      for (Index b = plan_.blend_begin[v]; b < plan_.blend_begin[v + 1]; ++b) {
        const Index g = giver_of_region_[plan_.blend_region[b]];
        if (g != kNone) problem_.effect(r - first, g) += shaped_[b] * push;
      }
    }
    if (moves_.empty()) continue;
    for (std::size_t g = 0; g < givers_.size(); ++g) {
      for (std::size_t m = givers_[g].first; m < givers_[g].last; ++m) {
        if (!std::binary_search(rim.begin(), rim.end(), moves_[m].vertex)) continue;
        problem_.effect(r - first, static_cast<Eigen::Index>(g)) += rim_gradient_[moves_[m].vertex].dot(moves_[m].d);
      }
    }
  }
}

double TogetherSolver::scaled_size(Index region) const { return std::abs(ratio_) * plan_.regions[region].size; }

void TogetherSolver::fill_wanted() {
  const Index first = part_->first_region;
  for (Index r = first; r < first + part_->region_count; ++r) {
    problem_.wanted[r - first] = saturate(region_error_[r], kLargestWant).value;
    problem_.bearable[r - first] = std::abs(region_error_[r]) + kWorse;
  }
  problem_.total = (target_ - start_volume_) / std::abs(target_);
}

void TogetherSolver::displace() {
  if (wide_) {
    for (const Index v : support_) own_shift_[v].setZero();
    for (const Giver& giver : givers_) {
      for (std::size_t m = giver.first; m < giver.last; ++m) {
        own_shift_[moves_[m].vertex] += giver.amount * moves_[m].d;
      }
    }
  }
  for (const Index v : support_) {
    double height = 0, closing = 0;
    for (Index b = plan_.blend_begin[v]; b < plan_.blend_begin[v + 1]; ++b) {
      const Amounts& given = amounts_[plan_.blend_region[b]];
      height += shaped_[b] * given.height;
      closing += shaped_[b] * given.closing;
    }
    const Saturated s = saturate(height, limit_[v]);
    height_[v] = s.value;
    slope_[v] = s.slope;
    closing_height_[v] = closing_share(s.slope) * closing;
    positions_[v] = posed_->positions[v] + s.value * normal_[v];
    if (wide_) positions_[v] += saturated_own_shift(v);
  }
}

/// What the artist's fields ask for, as far as the body's radius bears it.
Vec3 TogetherSolver::saturated_own_shift(Index v) {
  const double radius = std::cbrt(std::abs(ratio_)) * plan_.radius[v];
  const double length = own_shift_[v].norm();
  own_slope_[v] = 1;
  if (!(length > 0)) return Vec3::Zero();
  if (!(radius > 0)) return own_shift_[v];
  const Saturated s = saturate(length / radius, kOwnReach * plan_.options.reach);
  own_slope_[v] = s.slope;
  return s.value * radius / length * own_shift_[v];
}

VolumeOutcome TogetherSolver::finish(CorrectedFrame& out) {
  fill_closing();
  const VolumeSolver solver = plan_.options.solve.solver;
  if (solver == VolumeSolver::three_step) step_along_axes();
  realise(out);
  if (solver == VolumeSolver::linear) measure_rings();
  const VolumeOutcome outcome = solver == VolumeSolver::linear ? VolumeOutcome::linear : close(out);
  for (const Index v : support_) out.positions[v] = positions_[v];
  return outcome;
}

void TogetherSolver::fill_closing() {
  for (const Index v : around().vertices()) closing_[v].setZero();
  for (const Index v : support_) closing_[v] = closing_height_[v] * normal_[v];
  const double sign = ratio_ < 0 ? -1 : 1;
  for (const Giver& giver : givers_) {
    for (std::size_t m = giver.first; m < giver.last; ++m) {
      const double free = closing_share(own_slope_[moves_[m].vertex]);
      closing_[moves_[m].vertex] += free * sign * giver.closing * moves_[m].d;
    }
  }
}

void TogetherSolver::step_along_axes() {
  measure_rings();
  axis_field_.vertices.assign(support_.begin(), support_.end());
  axis_field_.gamma.clear();
  for (const Index v : support_) axis_field_.gamma.push_back(closing_[v].norm());
  const double left = target_ - current_volume();
  axis_solver_.solve(around(), axis_field_, left, positions_);
}

void TogetherSolver::realise(CorrectedFrame& out) {
  // Along normals alone, what holds for the normal holds for every displacement.
  const bool along_normals = !wide_ && plan_.options.solve.solver != VolumeSolver::three_step;
  for (const Index v : support_) {
    const RestSpace rest(posed_->maps[v].leftCols<3>());
    if (along_normals) {
      const Carried normal = rest.carry(normal_[v]);
      out.offsets[v] = height_[v] * normal.offset;
      closing_offset_[v] = closing_height_[v] * normal.offset;
      positions_[v] = posed_->positions[v] + height_[v] * normal.displacement;
      closing_[v] = closing_height_[v] * normal.displacement;
      continue;
    }
    const Carried moved = rest.carry(positions_[v] - posed_->positions[v]);
    const Carried closing = rest.carry(closing_[v]);
    out.offsets[v] = moved.offset;
    closing_offset_[v] = closing.offset;
    positions_[v] = posed_->positions[v] + moved.displacement;
    closing_[v] = closing.displacement;
  }
}

VolumeCubic TogetherSolver::expand_closing() {
  if (!wide_) return part_->touched.along(positions_, closing_, {origin_, rings_}, ring_volume_);
  return part_->whole.along(positions_, closing_);
}

VolumeOutcome TogetherSolver::close(CorrectedFrame& out) {
  constexpr int kPasses = 3;  // the second and the third are for rounding alone
  for (int pass = 0; pass < kPasses; ++pass) {
    const VolumeCubic cubic = expand_closing();
    const double left = target_ - current_volume();
    CubicRoot root{.t = 0, .found = true};
    if (std::abs(left) > kExact * std::abs(target_)) {
      if (!(std::abs(cubic.c1) > kNoHold * closing_effect())) return VolumeOutcome::no_hold;
      root = continuing_root(cubic, left);
      if (!std::isfinite(root.t)) return VolumeOutcome::no_hold;
      for (const Index v : support_) {
        positions_[v] += root.t * closing_[v];
        out.offsets[v] += root.t * closing_offset_[v];
      }
    }
    measure_rings();
    if (!root.found) return VolumeOutcome::no_root;
    if (std::abs(target_ - current_volume()) <= kExact * std::abs(target_)) break;
  }
  return VolumeOutcome::exact;
}

/// About what the closing direction would do if it were along the normals everywhere.
double TogetherSolver::closing_effect() const {
  const double scale = std::cbrt(std::abs(ratio_));
  double sum = 0;
  for (const Index v : support_) sum += closing_height_[v] * plan_.radius[v] * plan_.rest_areas[v];
  for (const Giver& giver : givers_) {
    for (std::size_t m = giver.first; m < giver.last; ++m) {
      sum += giver.closing * moves_[m].d.norm() / scale * plan_.rest_areas[moves_[m].vertex];
    }
  }
  return scale * scale * scale * sum;
}

void TogetherSolver::measure_regions() {
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    double volume = 0;
    for (const Index ring : plan_.rings[r]) volume += ring_volume_[ring];
    const double size = scaled_size(r);
    region_error_[r] = size > 0 ? (region_target_[r] - volume) / size : 0;
  }
}

}  // namespace isochor::volume
