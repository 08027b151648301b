/// What the solver reads off a pose before it solves anything: directions, limits, who gives, in what shape.

#include <algorithm>
#include <cmath>

#include "volume/together.h"

namespace isochor::volume {
namespace {

/// A map whose fibre (the rest normal carried along) is shorter than this has no direction to speak of.
constexpr double kShortFibre = 0.02;
/// Variation of the maps over a region at which it counts as half active.
constexpr double kHalfActive = 0.05;
/// The activity of joints that do not move, where those that do cannot be what the volume is asked of: a breathing
/// body.
constexpr double kIdleActivity = 0.02;
/// Of the direction of displacement: the rest normal as the vertex's map carries it, the rest the posed surface's
/// normal.
constexpr double kFibreShare = 0.8;
/// Between these shares of the squared radius lost, a joint passes from bent to twisted.
constexpr double kBent = 0.3, kTwisted = 0.6;

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// The radius that linear blending loses where weights are s and 1 - s, g = 4 s (1 - s): 1 - sqrt(1 - q g), scaled to 1
/// at g = 1.
double lost_radius(double g, double q) { return g * (1 + std::sqrt(1 - q)) / (1 + std::sqrt(1 - q * g)); }

}  // namespace

void TogetherSolver::gather_support(std::span<const JointField> fields) {
  wide_ = dozing_ = false;
  support_ = part_->support;
  rings_ = part_->touched.all_rings();
  const auto& component_of = plan_.skin->topology().component_of_vertex;
  for (const JointField& own : fields) {
    for (const Index v : own.field.vertices) wide_ = wide_ || component_of[v] == part_->component;
  }
  if (!wide_) return;
  own_support_ = part_->support;
  for (const JointField& own : fields) {
    for (const Index v : own.field.vertices) {
      if (component_of[v] == part_->component) own_support_.push_back(v);
    }
  }
  std::sort(own_support_.begin(), own_support_.end());
  own_support_.erase(std::unique(own_support_.begin(), own_support_.end()), own_support_.end());
  support_ = own_support_;
  for (const Index v : support_) own_shift_[v].setZero();
}

/// How much the maps differ over each region.
void TogetherSolver::read_activity() {
  const double scale = std::cbrt(std::abs(ratio_));
  const double unit = scale > 0 ? 1 / (scale * scale) : 1;
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    Mat3 mean = Mat3::Zero();
    double squares = 0;
    for (const Index v : plan_.samples[r]) {
      const auto linear = posed_->maps[v].leftCols<3>();
      mean += linear;
      squares += linear.squaredNorm();
    }
    const auto count = static_cast<double>(plan_.samples[r].size());
    const double variation = std::max(0.0, unit * (squares / count - (mean / count).squaredNorm()));
    activity_[r] = variation / (variation + kHalfActive);
  }
}

/// Nothing where the joints that move have lost about as much as the body; more where they have not, and all must give.
double TogetherSolver::idle_activity() const {
  const double total = std::abs(target_ - start_volume_);
  double explained = 0;
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    const double moves = activity_[r] / (activity_[r] + kIdleActivity);
    explained += moves * std::abs(region_error_[r]) * scaled_size(r);
  }
  return kIdleActivity * smooth_step(0, 0.5, (total - 0.5 * explained) / std::max(total, 1e-9 * std::abs(target_)));
}

bool TogetherSolver::asleep(Index region) const { return dozing_ && activity_[region] < kAsleep; }

void TogetherSolver::leave_sleepers_out() {
  dozing_ = true;
  own_support_.clear();
  for (const Index v : part_->support) {
    const auto begin = plan_.blend_region.begin() + plan_.blend_begin[v];
    const auto end = plan_.blend_region.begin() + plan_.blend_begin[v + 1];
    awake_[v] = std::any_of(begin, end, [&](Index r) { return !asleep(r); }) ? 1 : 0;
    if (awake_[v] != 0) own_support_.push_back(v);
  }
  awake_rings_.clear();
  for (const Index r : part_->touched.all_rings()) {
    const auto ring = part_->touched.ring(r);
    if (std::any_of(ring.begin(), ring.end(), [&](Index v) { return awake_[v] != 0; })) awake_rings_.push_back(r);
  }
  support_ = own_support_;
  rings_ = awake_rings_;
}

void TogetherSolver::read_maps() {
  // Lengths in units of the component's own scale, areas in its square.
  const double scale = std::cbrt(std::abs(ratio_));
  const double unit = scale > 0 ? 1 / scale : 1;
  const double sign = ratio_ < 0 ? -1 : 1;
  const bool by_area = plan_.options.solve.norm == FieldNorm::area;
  const double mean_area = by_area ? 1 : mean_rest_area() * scale * scale;
  for (const Index v : support_) {
    const Vec3 fibre = unit * (posed_->maps[v].leftCols<3>() * plan_.rest_normals[v]);
    const double squared = fibre.squaredNorm();
    const double length = std::sqrt(squared);
    loss_[v] = 1 - squared;
    limit_[v] = plan_.options.reach;
    const double radius = scale * plan_.radius[v];
    height_[v] = 0;
    slope_[v] = 1;
    if (by_area) {
      const Vec3 surface = sign * guarded_normal(gradient_[v], scale * scale * plan_.rest_areas[v]);
      const Vec3 mixed = kFibreShare * fibre / (length + kShortFibre) + (1 - kFibreShare) * surface;
      normal_[v] = radius * mixed / std::sqrt(mixed.squaredNorm() + kShortFibre * kShortFibre);
    } else {
      normal_[v] = sign * radius * gradient_[v] / mean_area;
    }
  }
}

double TogetherSolver::mean_rest_area() const {
  double sum = 0;
  for (const Index v : support_) sum += plan_.rest_areas[v];
  return sum > 0 ? sum / static_cast<double>(support_.size()) : 1;
}

void TogetherSolver::gather_givers(std::span<const JointField> fields) {
  givers_.clear();
  moves_.clear();
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) {
    giver_of_region_[r] = kNone;
    if (asleep(r)) continue;
    giver_of_region_[r] = static_cast<Index>(givers_.size());
    givers_.push_back({.region = r, .activity = activity_[r]});
  }
  if (!fields.empty()) add_own_fields(fields);
}

void TogetherSolver::add_own_fields(std::span<const JointField> fields) {
  part_->whole.areas(posed_->positions, areas_);
  for (const JointField& own : fields) {
    const Index joint = plan_.stands_for[own.joint];
    const auto giver = std::find_if(givers_.begin(), givers_.end(), [&](const Giver& g) {
      return g.region != kNone && plan_.regions[g.region].joint == joint && !g.own_field;
    });
    Giver* taker = giver == givers_.end() ? nullptr : &*giver;
    if (taker == nullptr) {
      givers_.push_back({.activity = 1});
      taker = &givers_.back();
    }
    taker->own_field = true;
    add_own_moves(own.field, *taker);
  }
  for (std::size_t g = givers_.size(); g-- > 0;) {
    if (givers_[g].own_field && givers_[g].first == givers_[g].last) givers_.erase(givers_.begin() + g);
  }
  for (Index r = part_->first_region; r < part_->first_region + part_->region_count; ++r) giver_of_region_[r] = kNone;
  for (std::size_t g = 0; g < givers_.size(); ++g) {
    if (givers_[g].region != kNone && !givers_[g].own_field)
      giver_of_region_[givers_[g].region] = static_cast<Index>(g);
  }
}

void TogetherSolver::add_own_moves(const CorrectionField& field, Giver& giver) {
  CorrectionField& here = own_field_;
  here.vertices.clear();
  here.gamma.clear();
  here.direction = field.direction;
  here.frame = field.frame;
  here.shares = field.shares;
  const auto& component_of = plan_.skin->topology().component_of_vertex;
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    if (component_of[field.vertices[i]] != part_->component) continue;
    here.vertices.push_back(field.vertices[i]);
    here.gamma.push_back(field.gamma[i]);
  }
  own_directions_.resize(here.vertices.size());
  if (field.direction == CorrectionDirection::normal) {
    for (std::size_t i = 0; i < here.vertices.size(); ++i) {
      own_directions_[i] = here.gamma[i] * normal_[here.vertices[i]];
    }
  } else {
    field_directions(here, {.gradient = gradient_, .areas = areas_, .norm = plan_.options.solve.norm}, own_directions_);
  }
  // Of the size of γ times the body's radius, so that amounts of different joints mean the same.
  double size = 0, wanted = 0, largest = 0;
  for (std::size_t i = 0; i < here.vertices.size(); ++i) {
    size += areas_[here.vertices[i]] * own_directions_[i].squaredNorm();
    wanted += areas_[here.vertices[i]] * here.gamma[i] * here.gamma[i];
    largest = std::max(largest, here.gamma[i]);
  }
  giver.first = moves_.size();
  if (size > 0 && largest > 0) {
    const double radius = std::cbrt(std::abs(ratio_)) * part_->radius;
    const double factor = radius * std::sqrt(wanted / size) / largest;
    for (std::size_t i = 0; i < here.vertices.size(); ++i) {
      moves_.push_back({here.vertices[i], factor * own_directions_[i]});
    }
  }
  giver.last = moves_.size();
}

void TogetherSolver::shape_blends() {
  const Index first = part_->first_region, end = first + part_->region_count;
  std::fill(collapse_.begin() + first, collapse_.begin() + end, 0.0);
  for (const Index v : support_) {
    for (Index b = plan_.blend_begin[v]; b < plan_.blend_begin[v + 1]; ++b) {
      collapse_[plan_.blend_region[b]] += plan_.blend_gamma[b] * loss_[v];
    }
  }
  bool collapsed = false;
  for (Giver& giver : givers_) {
    if (giver.region == kNone) continue;
    const double q = std::clamp(collapse_[giver.region] / plan_.gamma_squares[giver.region], 0.0, 0.999);
    giver.collapsed = smooth_step(kBent, kTwisted, q);
    giver.collapse = q * giver.collapsed;
    collapsed = collapsed || giver.collapse > 0;
  }
  shaped_ = plan_.blend_gamma;
  if (!collapsed) return;
  for (const Index v : support_) {
    double twisted = 0;
    for (Index b = plan_.blend_begin[v]; b < plan_.blend_begin[v + 1]; ++b) {
      const Index g = giver_of_region_[plan_.blend_region[b]];
      gamma_[b] = plan_.blend_gamma[b];
      if (g == kNone || givers_[g].collapse == 0) continue;
      twisted = std::max(twisted, gamma_[b] * givers_[g].collapsed);
      gamma_[b] = lost_radius(gamma_[b], givers_[g].collapse);
    }
    // What a twist has taken may be given back, however far that is.
    limit_[v] = plan_.options.reach + twisted * std::max(0.0, 1 - std::sqrt(std::max(0.0, 1 - loss_[v])));
  }
  shaped_ = gamma_;
}

}  // namespace isochor::volume
