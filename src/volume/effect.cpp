#include "isochor/volume/effect.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string_view>

namespace isochor {
namespace {

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

[[noreturn]] void throw_range(const FieldInfo& info) {
  throw_bad_input(std::string(info.name) + " must be " + range_text(info));
}

bool inside(double value, const FieldInfo& info) { return value >= info.min && value <= info.max; }

void check_field(double value, const FieldInfo& info) {
  if (!inside(value, info)) throw_range(info);
}
void check_field(const Vec3& value, const FieldInfo& info) {
  for (const double v : value) check_field(v, info);
}
void check_field(const std::array<double, 2>& value, const FieldInfo& info) {
  for (const double v : value) check_field(v, info);
}
void check_field(const Profile& value, const FieldInfo& info) {
  for (const ProfilePoint& p : value.points()) {
    if (!inside(p.y, info))
      throw_bad_input(std::string("values of the curve ") + info.name + " must be " + range_text(info));
  }
}
void check_field(const std::vector<double>& value, const FieldInfo& info) {
  for (const double v : value) check_field(v, info);
}
template <class E>
void check_field(const E&, const FieldInfo&) {}

void check_maps(const EffectSettings& settings) {
  if (settings.maps.empty() || settings.maps.size() > EffectSettings::kMaxMaps) {
    throw_bad_input("maps of a combined effect must be 1 to " + std::to_string(EffectSettings::kMaxMaps) + " effects");
  }
  for (const EffectSettings& map : settings.maps) {
    if (map.effect == Effect::combined) throw_bad_input("a combined effect cannot be one of the maps of another");
    check(map);
  }
  if (settings.mix.empty()) return;
  double sum = 0;
  for (const double share : settings.mix) sum += share;
  if (settings.mix.size() != settings.maps.size() || !(sum > 0)) {
    throw_bad_input("mix must have one share for each of the maps, not all zero");
  }
}

/// What lies on the wanted side of the bend; `radial` makes it round about the bone, by the distance from it.
double side_factor(BendSide side, const MapPoint& point) {
  const double z = point.local.z();
  double sided = std::abs(z);
  if (side == BendSide::flexor) sided = std::max(z, 0.0);
  if (side == BendSide::extensor) sided = std::max(-z, 0.0);
  return sided + point.radial * (std::hypot(point.local.y(), z) - sided);
}

double square(double x) { return x * x; }

}  // namespace

bool EffectSettings::operator==(const EffectSettings& other) const {
  return effect == other.effect && direction == other.direction && mu == other.mu && sigma == other.sigma &&
         frequency == other.frequency && center == other.center && side == other.side && gain == other.gain &&
         distance_gain == other.distance_gain && min_share == other.min_share && x == other.x && y == other.y &&
         z == other.z && map == other.map && combine == other.combine && maps == other.maps && mix == other.mix;
}

EffectSettings default_effect(Effect effect) {
  EffectSettings settings;
  settings.effect = effect;
  const bool along_axes = follows_pose(effect);
  settings.direction = along_axes ? CorrectionDirection::axes : CorrectionDirection::normal;
  switch (effect) {
    case Effect::rubber:
      settings.mu = Vec3(0, 1, 0);
      break;
    case Effect::muscle:
      settings.mu = Vec3(0.1, 0.1, 0.8);
      settings.center = -0.5;
      break;
    case Effect::folds:
      settings.mu = Vec3(0, 0.5, 0.5);
      break;
    case Effect::belly:
      settings.mu = Vec3(0.1, 0.1, 0.8);
      settings.sigma = Vec3(0.6, 0.4, 0.4);
      settings.frequency = 2;
      break;
    default:
      break;
  }
  return settings;
}

bool effect_uses(Effect effect, std::string_view field) {
  if (is_any_of(field, {"effect", "direction", "mu"})) return true;
  switch (effect) {
    case Effect::blend:
      return false;
    case Effect::isotropic:
    case Effect::rubber:
      return is_any_of(field, {"sigma", "center"});
    case Effect::muscle:
      return is_any_of(field, {"sigma", "center", "side"});
    case Effect::folds:
      return is_any_of(field, {"sigma", "center", "frequency"});
    case Effect::belly:
      return is_any_of(field, {"sigma", "center", "side", "frequency", "min_share"});
    case Effect::skin:
      return field == "gain";
    case Effect::organic:
      return is_any_of(field, {"gain", "distance_gain"});
    case Effect::curve:
      return is_any_of(field, {"x", "y", "z"});
    case Effect::painted:
      return field == "map";
    case Effect::combined:
      return is_any_of(field, {"combine", "maps", "mix"});
  }
  return false;
}

void check(const EffectSettings& settings) {
  describe(settings, [&](const auto& field, const FieldInfo& info) {
    if (effect_uses(settings.effect, info.name)) check_field(field, info);
  });
  if (!(std::abs(settings.mu.sum() - 1) <= 1e-6)) throw_bad_input("mu must be three shares that sum to 1");
  if (settings.effect == Effect::painted && settings.map.empty()) {
    throw_bad_input("a painted effect needs the name of its map");
  }
  if (settings.effect == Effect::combined) check_maps(settings);
}

bool follows_pose(Effect effect) {
  switch (effect) {
    case Effect::isotropic:
    case Effect::rubber:
    case Effect::muscle:
    case Effect::folds:
    case Effect::belly:
    case Effect::curve:
      return true;
    default:
      return false;
  }
}

double pose_map(const EffectSettings& settings, const MapPoint& point) {
  const Vec3 from_center = point.local - Vec3(point.center, 0, 0);
  return pose_map(settings, point, from_center.cwiseQuotient(settings.sigma).squaredNorm());
}

// Rohmer 2009, 3.3 and 4.2, with the axes of bend_axes.h and the signs of docs/design/volume.md.
double pose_map(const EffectSettings& settings, const MapPoint& point, double q) {
  const Vec3& p = point.local;
  if (settings.effect == Effect::curve) return settings.x(p.x()) * settings.y(p.y()) * settings.z(p.z());
  if (!follows_pose(settings.effect)) return 1;

  double gamma = std::exp(-q);
  if (settings.effect == Effect::folds || settings.effect == Effect::belly) {
    const double wave = square(std::sin(settings.frequency * std::numbers::pi * p.x()));
    const double share = std::clamp(point.share, 0.0, 1.0);
    const double least = settings.effect == Effect::belly
                             ? settings.min_share[0] + share * (settings.min_share[1] - settings.min_share[0])
                             : 0.0;
    gamma *= least + (1 - least) * wave;
  }
  if (settings.effect == Effect::muscle || settings.effect == Effect::belly) {
    gamma *= side_factor(settings.side, point);
  }
  return gamma;
}

}  // namespace isochor
