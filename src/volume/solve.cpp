#include "isochor/volume/solve.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"

namespace isochor {
namespace {

/// Below this share of what all axes can move, an axis has lost its hold; above kFirmHold it has all of it.
constexpr double kNoHold = 1e-6;
constexpr double kFirmHold = 1e-3;
/// A field whose whole effect is below this share of what its displaced area could do has no hold.
constexpr double kNoEffect = 1e-9;

/// The first positive zero of 1 + 2a τ + 3b τ², or 0.
double turning_point(double a, double b) {
  const double disc = a * a - 3 * b;
  if (disc < 0) return 0;
  const double q = -(a + std::copysign(std::sqrt(disc), a));
  double first = 0;
  for (const double root : {b != 0 ? q / (3 * b) : 0.0, q != 0 ? 1 / q : 0.0}) {
    if (root > 0 && std::isfinite(root) && (first == 0 || root < first)) first = root;
  }
  return first;
}

/// Axes without hold hand their share to the others, smoothly; a field along normals shares as its gradient does.
Vec3 held_shares(const CorrectionField& field, const Vec3& effect) {
  Vec3 shares = field.direction == CorrectionDirection::normal ? effect : field.shares;
  const double all = effect.sum();
  for (int a = 0; a < 3; ++a) shares[a] *= smooth_step(kNoHold, kFirmHold, effect[a] / all);
  if (!(shares.sum() > 0)) shares = effect;
  return shares / shares.sum();
}

/// S_a of docs/design/volume.md.
Vec3 axis_effect(const CorrectionField& field, const FieldSetting& at) {
  Vec3 effect = Vec3::Zero();
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    const Index v = field.vertices[i];
    if (at.areas[v] <= 0) continue;
    effect += field.gamma[i] / at.areas[v] * (field.axes.transpose() * at.gradient[v]).cwiseAbs2();
  }
  return effect;
}

}  // namespace

Vec3 field_directions(const CorrectionField& field, const FieldSetting& at, std::span<Vec3> out) {
  if (field.direction == CorrectionDirection::normal) {
    for (std::size_t i = 0; i < field.vertices.size(); ++i) {
      const Index v = field.vertices[i];
      const Vec3& g = at.gradient[v];
      out[i] = field.gamma[i] * (at.norm == FieldNorm::area ? guarded_normal(g, at.areas[v]) : g);
    }
    return Vec3::Zero();
  }
  const Vec3 effect = axis_effect(field, at);
  if (!(effect.sum() > 0)) {
    std::fill(out.begin(), out.end(), Vec3::Zero());
    return Vec3::Zero();
  }
  Vec3 shares = held_shares(field, effect);
  Vec3 factor = Vec3::Zero();
  for (int a = 0; a < 3; ++a) {
    if (shares[a] > 0) factor[a] = shares[a] / effect[a];
  }
  const Mat3 along = field.axes * factor.asDiagonal() * field.axes.transpose();
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    const Index v = field.vertices[i];
    out[i] = at.areas[v] > 0 ? Vec3(field.gamma[i] / at.areas[v] * (along * at.gradient[v])) : Vec3::Zero();
  }
  return shares;
}

CubicRoot continuing_root(const VolumeCubic& cubic, double delta) {
  if (delta == 0) return {.t = 0, .found = true};
  if (cubic.c1 == 0 || !std::isfinite(delta)) return {};
  // In units of the linear prediction: g(τ) = τ + a τ² + b τ³ = 1, τ > 0.
  const double unit = delta / cubic.c1;
  const double a = cubic.c2 / cubic.c1 * unit;
  const double b = cubic.c3 / cubic.c1 * unit * unit;
  if (!std::isfinite(unit) || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(a * a)) return {};
  const auto g = [&](double x) { return x * (1 + x * (a + x * b)); };

  const double turn = turning_point(a, b);
  double high = turn;
  if (turn > 0) {
    if (g(turn) < 1) return {.t = turn * unit, .found = false};
  } else {
    for (high = 1; g(high) < 1;) high *= 2;
  }
  double low = 0;
  double x = std::min(1.0, 0.5 * (low + high) + 0.5 * std::min(1.0, high));
  for (int i = 0; i < 200; ++i) {
    const double error = g(x) - 1;
    if (error == 0) break;
    (error < 0 ? low : high) = x;
    double next = x - error / (1 + x * (2 * a + x * 3 * b));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == x) break;
    x = next;
  }
  return {.t = x * unit, .found = true};
}

FieldSolver::FieldSolver(std::size_t vertex_count, const SolveOptions& options)
    : gradient_(vertex_count, Vec3::Zero()),
      direction_(vertex_count, Vec3::Zero()),
      areas_(vertex_count, 1.0),
      options_(options) {}

SolveResult FieldSolver::solve(const VolumeFunctional& functional, const CorrectionField& field, double delta,
                               std::span<Vec3> positions) {
  SolveResult result{.requested = delta, .residual = delta};
  if (delta == 0 || functional.vertices().empty()) return result;
  if (options_.norm == FieldNorm::area) {
    functional.areas(positions, areas_);
  } else {
    for (const Index v : functional.vertices()) areas_[v] = 1;
  }
  if (has_hold(functional, field, positions)) {
    run(functional, field, positions, result);
    return result;
  }
  // Nothing that the field reaches can change the volume: every vertex of the patch takes part, equally.
  wide_.vertices.assign(functional.vertices().begin(), functional.vertices().end());
  wide_.gamma.assign(wide_.vertices.size(), 1.0);
  wide_.direction = CorrectionDirection::normal;
  if (!has_hold(functional, wide_, positions)) {
    result.outcome = VolumeOutcome::no_hold;
    return result;
  }
  run(functional, wide_, positions, result);
  if (result.outcome == VolumeOutcome::exact) result.outcome = VolumeOutcome::widened;
  return result;
}

bool FieldSolver::has_hold(const VolumeFunctional& functional, const CorrectionField& field,
                           std::span<const Vec3> positions) {
  functional.gradient(positions, gradient_);
  double effect = 0, possible = 0;
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    const Index v = field.vertices[i];
    Vec3 g = gradient_[v];
    if (field.direction == CorrectionDirection::axes) {
      const Vec3 local = field.axes.transpose() * g;
      g = (field.shares.array() != 0).select(local, 0.0);
    }
    effect += field.gamma[i] * g.squaredNorm();
    possible +=
        field.gamma[i] * (options_.norm == FieldNorm::area ? areas_[v] * areas_[v] : gradient_[v].squaredNorm());
  }
  return std::isfinite(effect) && effect > kNoEffect * possible && effect > 0;
}

void FieldSolver::run(const VolumeFunctional& functional, const CorrectionField& field, std::span<Vec3> positions,
                      SolveResult& result) {
  if (options_.solver == VolumeSolver::three_step) {
    three_step(functional, field, positions, result);
  } else {
    one_direction(functional, field, positions, result);
  }
}

void FieldSolver::one_direction(const VolumeFunctional& functional, const CorrectionField& field,
                                std::span<Vec3> positions, SolveResult& result) {
  moves_.resize(field.vertices.size());
  result.shares = field_directions(field, setting(), moves_);
  for (const Index v : functional.vertices()) direction_[v].setZero();
  for (std::size_t i = 0; i < field.vertices.size(); ++i) direction_[field.vertices[i]] = moves_[i];
  const VolumeCubic cubic = functional.along(positions, direction_);
  CubicRoot root{.t = result.requested / cubic.c1, .found = false};
  if (options_.solver == VolumeSolver::exact) {
    root = continuing_root(cubic, result.requested);
    result.outcome = root.found ? VolumeOutcome::exact : VolumeOutcome::no_root;
  } else {
    result.outcome = VolumeOutcome::linear;
  }
  if (!std::isfinite(root.t)) {
    result.outcome = VolumeOutcome::no_hold;
    return;
  }
  result.residual = result.requested - cubic(root.t);
  for (const Index v : field.vertices) {
    const Vec3 u = root.t * direction_[v];
    positions[v] += u;
    result.largest = std::max(result.largest, u.norm());
  }
}

void FieldSolver::three_step(const VolumeFunctional& functional, const CorrectionField& field,
                             std::span<Vec3> positions, SolveResult& result) {
  result.shares = held_shares(field, axis_effect(field, setting()));
  std::array<int, 3> order = {0, 1, 2};
  if (axis_order_[0] >= 0) {
    order = axis_order_;
  } else {
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return result.shares[a] > result.shares[b]; });
  }
  for (const Index v : field.vertices) direction_[v].setZero();  // what each vertex has moved so far
  double left = result.requested, shares_left = 1;
  for (const int a : order) {
    if (result.shares[a] <= 0) continue;
    if (shares_left < 1) functional.gradient(positions, gradient_);
    const double effect = axis_effect(field, setting())[a];
    const double step = shares_left > result.shares[a] * (1 + 1e-12) ? left * result.shares[a] / shares_left : left;
    shares_left -= result.shares[a];
    if (!(effect > 0) || !std::isfinite(step / effect)) continue;
    const Vec3 axis = field.axes.col(a);
    // Along one axis alone the volume is linear in the displacement, so that this step is exact (Rohmer 2009, eq. 7).
    for (std::size_t i = 0; i < field.vertices.size(); ++i) {
      const Index v = field.vertices[i];
      if (areas_[v] <= 0) continue;
      const Vec3 u = step / effect * field.gamma[i] / areas_[v] * gradient_[v].dot(axis) * axis;
      positions[v] += u;
      direction_[v] += u;
    }
    left -= step;
  }
  for (const Index v : field.vertices) result.largest = std::max(result.largest, direction_[v].norm());
  result.residual = left;
  result.outcome = std::abs(left) <= 1e-12 * std::abs(result.requested) ? VolumeOutcome::exact : VolumeOutcome::no_root;
}

Vec3 guarded_normal(const Vec3& gradient, double area) {
  // |∇V| is the area where the skin around the vertex is flat, and falls where it is folded: there the normal means
  // little, and must not swing from one frame to the next.
  constexpr double kFold = 0.05;
  const double squared = gradient.squaredNorm() + kFold * kFold * area * area;
  return squared > 0 ? Vec3(gradient / std::sqrt(squared)) : Vec3::Zero();
}

}  // namespace isochor
