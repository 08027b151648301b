#include "isochor/volume/map_support.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/math.h"

namespace isochor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Where exp(-r²) falls below kGammaThreshold: sqrt(ln 1e6).
constexpr double kGaussianReach = 3.7169;
/// Beyond the reach a map fades to nothing at this many times it.
constexpr double kFadeEnd = 1.5;

double fade(double distance, double reach) {
  return distance <= reach ? 1 : smooth_step(kFadeEnd, 1.0, distance / reach);
}

/// How far a map reaches from its middle, in units: in space, and along the bones.
struct Reach {
  double space = kInfinity;
  double bones = kInfinity;
};

Reach reach_of(const EffectSettings& settings) {
  if (settings.effect != Effect::curve) {
    const double r = kGaussianReach * settings.sigma.maxCoeff();
    return {r, r};
  }
  double square = 0;
  bool all_bounded = true;
  for (const Profile* profile : {&settings.x, &settings.y, &settings.z}) {
    if (profile->bounded()) {
      const double extent = std::max(std::abs(profile->points().front().x), std::abs(profile->points().back().x));
      square += extent * extent;
    } else {
      all_bounded = false;
    }
  }
  if (square == 0) return {};
  return {all_bounded ? std::sqrt(square) : kInfinity, std::sqrt(square)};
}

double row_sum(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& i : row) sum += i.weight;
  return sum;
}

bool is_ancestor(const Skeleton& skeleton, Index ancestor, Index joint) {
  while (joint != kNone && joint != ancestor) joint = skeleton.joints[joint].parent;
  return joint == ancestor;
}

}  // namespace

bool MapSupport::fixed() const {
  return std::none_of(layers.begin(), layers.end(), [](const Layer& layer) { return layer.follows_pose; });
}

MapSupports::MapSupports(const EffectSubject& subject, std::span<const JointAxes> axes)
    : subject_(subject), axes_(axes), shares_(axes.size()) {
  const Skeleton& skeleton = subject.skeleton;
  std::vector<Index> entry(skeleton.size(), kNone);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    entry[axes[i].joint] = static_cast<Index>(i);
    bones_.emplace_back(axes[i].origin, axes[i].origin);
    if (is_ancestor(skeleton, axes[i].parent, axes[i].joint)) {
      bones_.back().second = subject.space.bind[axes[i].parent].translation();
    }
  }

  // Each influence counts for all joints above it; those with the whole row are rigid there and left out.
  const SkinWeights& weights = subject.space.weights;
  std::vector<double> sum(axes.size(), 0.0);
  std::vector<Index> touched;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto row = weights.row(v);
    touched.clear();
    for (const Influence& influence : row) {
      for (Index j = influence.joint; j != kNone; j = skeleton.joints[j].parent) {
        if (entry[j] == kNone || influence.weight <= 0) continue;
        if (sum[entry[j]] == 0) touched.push_back(entry[j]);
        sum[entry[j]] += influence.weight;
      }
    }
    const double total = row_sum(row);
    for (const Index e : touched) {
      const double s = sum[e] / total;
      if (4 * s * (1 - s) > kGammaThreshold) shares_[e].push_back({static_cast<Index>(v), s});
      sum[e] = 0;
    }
  }
}

MapSupport MapSupports::build(std::size_t i, const EffectSettings& settings) const {
  std::vector<const EffectSettings*> maps = {&settings};
  if (settings.effect == Effect::combined) {
    maps.clear();
    for (const EffectSettings& map : settings.maps) maps.push_back(&map);
  }
  std::vector<Values> found;
  MapSupport support;
  for (const EffectSettings* map : maps) {
    found.push_back(values(i, *map));
    for (const auto& [vertex, value] : found.back()) support.vertices.push_back(vertex);
  }
  std::sort(support.vertices.begin(), support.vertices.end());
  support.vertices.erase(std::unique(support.vertices.begin(), support.vertices.end()), support.vertices.end());
  for (std::size_t m = 0; m < maps.size(); ++m) {
    MapSupport::Layer layer{follows_pose(maps[m]->effect), std::vector<double>(support.vertices.size(), 0.0)};
    std::size_t k = 0;
    for (const auto& [vertex, value] : found[m]) {
      while (support.vertices[k] < vertex) ++k;
      layer.base[k] = value;
    }
    support.layers.push_back(std::move(layer));
  }
  return support;
}

MapSupports::Values MapSupports::values(std::size_t i, const EffectSettings& settings) const {
  switch (settings.effect) {
    case Effect::blend:
      return blend(i);
    case Effect::skin:
    case Effect::organic:
      return skin(i, settings);
    case Effect::painted:
      return painted(settings.map);
    default:
      return reach(i, settings);
  }
}

MapSupports::Values MapSupports::blend(std::size_t i) const {
  Values result;
  for (const Share& share : shares_[i]) result.emplace_back(share.vertex, 4 * share.s * (1 - share.s));
  return result;
}

// Rohmer 2008, eq. 8 and 12. Their map is one for the whole skin; a joint takes the part of 1 - max w that is its own,
// min(s, 1 - s): all of it where two bones blend.
MapSupports::Values MapSupports::skin(std::size_t i, const EffectSettings& settings) const {
  Values result;
  for (const Share& share : shares_[i]) {
    const auto row = subject_.space.weights.row(share.vertex);
    double largest = 0;
    for (const Influence& influence : row) largest = std::max(largest, influence.weight);
    const double rest = 1 - largest / row_sum(row);
    if (!(rest > 0)) continue;
    double value = std::pow(rest, settings.gain) * std::min(1.0, std::min(share.s, 1 - share.s) / rest);
    if (settings.effect == Effect::organic) {
      const double distance = bone_distance(subject_.space.rest[share.vertex]) / axes_[i].unit;
      value *= std::pow(distance, settings.distance_gain);
    }
    result.emplace_back(share.vertex, value);
  }
  return result;
}

MapSupports::Values MapSupports::painted(const std::string& name) const {
  const auto map = std::find_if(subject_.painted.begin(), subject_.painted.end(),
                                [&](const PaintedMap& m) { return m.name == name; });
  if (map == subject_.painted.end()) throw_bad_input("the character has no painted map " + name);
  if (map->values.size() != subject_.space.rest.size()) {
    throw_bad_input("the painted map " + name + " has " + std::to_string(map->values.size()) + " values for " +
                    std::to_string(subject_.space.rest.size()) + " vertices");
  }
  Values result;
  for (std::size_t v = 0; v < map->values.size(); ++v) {
    const double value = map->values[v];
    if (std::isfinite(value) && value > 0) result.emplace_back(static_cast<Index>(v), value);
  }
  return result;
}

MapSupports::Values MapSupports::reach(std::size_t i, const EffectSettings& settings) const {
  const JointAxes& axes = axes_[i];
  const Reach reach = reach_of(settings);
  const double center = settings.effect == Effect::curve ? 0 : settings.center;
  const Vec3 middle = axes.origin + center * axes.parent_length * axes.along;
  const std::vector<double> way = ways(i);
  Values result;
  const RestSpace& space = subject_.space;
  for (std::size_t v = 0; v < space.rest.size(); ++v) {
    const double near = fade((space.rest[v] - middle).norm() / axes.unit, reach.space);
    if (near <= 0) continue;
    const auto row = space.weights.row(v);
    double linked = 0;
    for (const Influence& influence : row) {
      linked += influence.weight * fade(way[influence.joint] / axes.unit, reach.bones + std::abs(center));
    }
    const double total = row_sum(row);
    if (linked > 0 && total > 0) result.emplace_back(static_cast<Index>(v), near * std::min(1.0, linked / total));
  }
  return result;
}

/// By joint of the skeleton: the way along the bones from joint i to the nearest end of that joint's own bones.
std::vector<double> MapSupports::ways(std::size_t i) const {
  const Skeleton& skeleton = subject_.skeleton;
  const auto place = [&](Index j) -> Vec3 { return subject_.space.bind[j].translation(); };
  std::vector<Index> above(skeleton.size(), kNone);
  std::vector<char> part_of_tree(skeleton.size(), 0);
  for (const JointAxes& axes : axes_) {
    part_of_tree[axes.joint] = part_of_tree[axes.parent] = 1;
    if (is_ancestor(skeleton, axes.parent, axes.joint)) above[axes.joint] = axes.parent;
  }
  std::vector<double> to_joint(skeleton.size(), kInfinity);
  double length = 0;
  for (Index j = axes_[i].joint; j != kNone; j = above[j]) {
    to_joint[j] = length;
    if (above[j] != kNone) length += (place(j) - place(above[j])).norm();
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Index parent = above[j];
    const auto joint = static_cast<Index>(j);
    if (to_joint[j] != kInfinity || !part_of_tree[j]) continue;
    if (parent != kNone && to_joint[parent] != kInfinity) {
      to_joint[j] = to_joint[parent] + (place(joint) - place(parent)).norm();
    }
  }
  std::vector<double> to_bone = to_joint;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (above[j] != kNone) to_bone[above[j]] = std::min(to_bone[above[j]], to_joint[j]);
  }
  // Trees that no bone connects: straight across.
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (to_bone[j] == kInfinity) to_bone[j] = (place(static_cast<Index>(j)) - axes_[i].origin).norm();
  }
  return to_bone;
}

double MapSupports::bone_distance(const Vec3& point) const {
  double least = kInfinity;
  for (const auto& [a, b] : bones_) least = std::min(least, distance_to_segment(point, a, b));
  return least;
}

}  // namespace isochor
