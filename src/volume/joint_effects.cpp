#include "isochor/volume/joint_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor {
namespace {

/// Without a clip to look at: the loss of a bend by 90 degrees is taken for the largest.
constexpr double kLargestUnseen = 0.5;

double loss_of(const BendAxes& axes) {
  const double sine = std::sin(axes.swing / 2);
  return sine * sine;
}

/// Scales a map to a largest value of 1, so that maps of different kinds can be added.
void normalise(std::span<double> map) {
  double largest = 0;
  for (const double value : map) largest = std::max(largest, value);
  if (!(largest > 0)) return;
  for (double& value : map) value /= largest;
}

/// maps: #layers rows of n values; the result goes to the first row.
void combine(const EffectSettings& settings, std::span<double> maps, std::size_t n) {
  const std::size_t layers = n > 0 ? maps.size() / n : 0;
  if (layers == 0) return;
  for (std::size_t m = 0; m < layers; ++m) normalise(maps.subspan(m * n, n));
  const bool mixed = settings.combine == MapCombination::blend && !settings.mix.empty();
  for (std::size_t k = 0; k < n; ++k) {
    double value = settings.combine == MapCombination::product ? 1 : 0;
    for (std::size_t m = 0; m < layers; ++m) {
      const double map = maps[m * n + k];
      value = settings.combine == MapCombination::product ? value * map : value + (mixed ? settings.mix[m] : 1) * map;
    }
    maps[k] = value;
  }
}

/// Drops what is below the threshold; both keep their capacity.
void compact(std::vector<Index>& vertices, std::vector<double>& gamma) {
  double largest = 0;
  for (const double value : gamma) largest = std::max(largest, value);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    if (!(gamma[k] > kGammaThreshold * largest)) continue;
    vertices[kept] = vertices[k];
    gamma[kept] = gamma[k];
    ++kept;
  }
  vertices.resize(kept);
  gamma.resize(kept);
}

/// Round about e_0 as far as the axes say: neither e_1 nor e_2 is then preferred.
Vec3 turned_shares(const Vec3& mu, double radial) {
  const double mean = (mu[1] + mu[2]) / 2;
  return {mu[0], mu[1] + radial * (mean - mu[1]), mu[2] + radial * (mean - mu[2])};
}

/// One layer's map in one pose. Most of a joint's candidates lie where the bell has fallen below the threshold; they
/// are told by their exponent, before the exponential is taken.
class PosedMap {
 public:
  PosedMap(const EffectSettings& settings, const BendAxes& axes, double share)
      : settings_(settings),
        origin_(axes.origin),
        to_local_(axes.axes.transpose() / axes.unit),
        per_sigma_(settings.effect == Effect::curve ? Vec3(Vec3::Zero()) : Vec3(settings.sigma.cwiseInverse())),
        point_{.center = settings.center * axes.parent_length / axes.unit, .radial = axes.radial, .share = share} {}

  /// base · γ, or 0 where that is below the threshold of the largest so far.
  double operator()(double base, const Vec3& position) {
    point_.local = to_local_ * (position - origin_);
    const double q = (point_.local - Vec3(point_.center, 0, 0)).cwiseProduct(per_sigma_).squaredNorm();
    if (!(q < cut_)) return 0;
    const double value = base * pose_map(settings_, point_, q);
    if (!std::isfinite(value)) return 0;
    if (value > largest_) raise(value);
    return value;
  }

 private:
  void raise(double value) {
    largest_ = value;
    // Across the bone a vertex is at most σ sqrt(q) away at the exponent q, and exp(-q) sqrt(q) only falls beyond 36.
    constexpr double kRoot = 6;
    const double factor = std::max(1.0, kRoot * settings_.sigma.maxCoeff());
    const double cut = std::log(factor / (kGammaThreshold * largest_));
    cut_ = cut <= kRoot * kRoot ? cut : std::numeric_limits<double>::infinity();
  }

  const EffectSettings& settings_;
  Vec3 origin_;
  Mat3 to_local_;
  Vec3 per_sigma_;
  MapPoint point_;
  double largest_ = 0;
  double cut_ = std::numeric_limits<double>::infinity();
};

const EffectSettings& layer_settings(const EffectSettings& settings, std::size_t layer) {
  return settings.effect == Effect::combined ? settings.maps[layer] : settings;
}

bool uses_belly(const EffectSettings& settings) {
  return settings.effect == Effect::belly ||
         std::any_of(settings.maps.begin(), settings.maps.end(),
                     [](const EffectSettings& map) { return map.effect == Effect::belly; });
}

/// A fixed map once and for all: one layer, nothing below the threshold.
void settle(const EffectSettings& settings, MapSupport& support) {
  const std::size_t n = support.vertices.size();
  std::vector<double> gamma;
  for (const MapSupport::Layer& layer : support.layers) gamma.insert(gamma.end(), layer.base.begin(), layer.base.end());
  if (settings.effect == Effect::combined) combine(settings, gamma, n);
  gamma.resize(n);
  compact(support.vertices, gamma);
  support.layers.assign(1, {false, std::move(gamma)});
}

}  // namespace

JointEffects JointEffects::prepare(const EffectSubject& subject, const VolumeSettings& settings) {
  check(settings);
  JointEffects effects;
  effects.axes_ = joint_axes(subject.skeleton, subject.space);
  effects.inverse_bind_ = subject.space.inverse_bind;
  effects.entry_of_joint_.assign(subject.skeleton.size(), kNone);
  effects.settings_.push_back(settings.otherwise);
  for (const JointEffect& entry : settings.effects) effects.settings_.push_back(entry.effect);

  ResolvedEffects resolved = resolve(settings, subject.skeleton);
  effects.problems_ = std::move(resolved.problems);
  const MapSupports supports(subject, effects.axes_);
  for (std::size_t i = 0; i < effects.axes_.size(); ++i) {
    const Index joint = effects.axes_[i].joint;
    effects.entry_of_joint_[joint] = static_cast<Index>(i);
    effects.effect_.push_back(resolved.entry[joint] + 1);
    MapSupport support = supports.build(i, effects.settings(i));
    if (support.fixed()) settle(effects.settings(i), support);
    effects.supports_.push_back(std::move(support));
    if (!effects.plain(i)) effects.active_.push_back(static_cast<Index>(i));
  }
  effects.report_idle(settings, resolved);
  effects.forget();
  return effects;
}

void JointEffects::report_idle(const VolumeSettings& settings, const ResolvedEffects& resolved) {
  std::vector<char> used(settings.effects.size(), 0), named(settings.effects.size(), 0);
  for (std::size_t j = 0; j < resolved.entry.size(); ++j) {
    const Index entry = resolved.entry[j];
    if (entry == kNone) continue;
    named[entry] = 1;
    const Index i = entry_of_joint_[j];
    if (i != kNone && !(fixed(i) && supports_[i].vertices.empty())) used[entry] = 1;
  }
  for (std::size_t e = 0; e < used.size(); ++e) {
    if (!named[e] || used[e]) continue;
    problems_.push_back({.severity = Severity::note,
                         .code = "effect-without-skin",
                         .sentence = "the joints " + settings.effects[e].pattern +
                                     " of the volume settings bend no skin, so their effect does nothing",
                         .elements = {static_cast<Index>(e)},
                         .count = 1});
  }
}

bool JointEffects::plain(std::size_t i) const {
  return settings(i).effect == Effect::blend && settings(i).direction == CorrectionDirection::normal;
}

void JointEffects::joint_maps(std::span<const Affine> global, std::span<Affine> out) const {
  for (std::size_t j = 0; j < inverse_bind_.size(); ++j) out[j] = global[j] * inverse_bind_[j];
}

void JointEffects::observe(std::span<const Affine> maps) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!uses_belly(settings(i))) continue;
    const BendAxes axes = isochor::bend_axes(axes_[i], maps[axes_[i].parent], maps[axes_[i].joint]);
    largest_[i] = std::max(largest_[i], loss_of(axes));
  }
}

void JointEffects::forget() { largest_.assign(axes_.size(), 0.0); }

BendAxes JointEffects::bend_axes(std::size_t i, std::span<const Affine> maps, AxesTrack& track) const {
  return isochor::bend_axes(axes_[i], maps[axes_[i].parent], maps[axes_[i].joint], track.inside(i));
}

bool JointEffects::needs_axes(std::size_t i) const {
  return settings(i).direction == CorrectionDirection::axes || !supports_[i].fixed();
}

void JointEffects::follow(std::span<const Affine> maps, AxesTrack& track) const {
  for (const Index i : active_) {
    if (needs_axes(static_cast<std::size_t>(i))) bend_axes(static_cast<std::size_t>(i), maps, track);
  }
}

void JointEffects::evaluate(std::size_t i, const EffectPose& pose, AxesTrack& track, CorrectionField& out) const {
  const EffectSettings& effect = settings(i);
  const MapSupport& support = supports_[i];
  out.direction = effect.direction;
  out.vertices.assign(support.vertices.begin(), support.vertices.end());
  BendAxes joint;
  if (needs_axes(i)) {
    joint = bend_axes(i, pose.maps, track);
    out.axes = joint.axes;
    out.shares = turned_shares(effect.mu, joint.radial);
  }
  if (support.fixed()) {
    out.gamma.assign(support.layers[0].base.begin(), support.layers[0].base.end());
    return;
  }
  if (!(joint.unit > 0)) {
    out.vertices.clear();
    out.gamma.clear();
    return;
  }

  const double largest = largest_[i] > 0 ? largest_[i] : kLargestUnseen;
  const double share = std::min(1.0, loss_of(joint) / largest);
  const std::size_t n = support.vertices.size();
  out.gamma.resize(n * support.layers.size());
  for (std::size_t m = 0; m < support.layers.size(); ++m) {
    const MapSupport::Layer& layer = support.layers[m];
    double* gamma = out.gamma.data() + m * n;
    if (!layer.follows_pose) {
      std::copy(layer.base.begin(), layer.base.end(), gamma);
      continue;
    }
    PosedMap map(layer_settings(effect, m), joint, share);
    for (std::size_t k = 0; k < n; ++k) {
      gamma[k] = layer.base[k] > 0 ? map(layer.base[k], pose.positions[support.vertices[k]]) : 0;
    }
  }
  if (effect.effect == Effect::combined) combine(effect, out.gamma, n);
  out.gamma.resize(n);
  compact(out.vertices, out.gamma);
}

void JointEffects::evaluate(const EffectPose& pose, AxesTrack& track, std::vector<JointField>& out) const {
  out.resize(active_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const auto i = static_cast<std::size_t>(active_[k]);
    out[k].joint = axes_[i].joint;
    evaluate(i, pose, track, out[k].field);
  }
}

}  // namespace isochor
