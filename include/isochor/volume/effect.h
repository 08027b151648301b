#pragma once

/// Effects: where a joint gives or takes volume (the map γ), and along what. Formulas in docs/volume.md.

#include <array>
#include <string>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/volume/field.h"
#include "isochor/volume/profile.h"

namespace isochor {

enum class Effect {
  blend,      ///< 4 s (1 - s), s the weight of the joint's subtree
  isotropic,  ///< exp(-|p/σ|²), equal shares
  rubber,     ///< the same, along the bend axis
  muscle,     ///< a bulge on one side of the parent bone
  folds,      ///< waves along the parent bone
  belly,      ///< one bulge that parts into folds, on one side
  skin,       ///< (1 - max w)^g: Rohmer 2008, eq. 8
  organic,    ///< that times the distance to the bones: Rohmer 2008, eq. 12
  curve,      ///< the product of three free curves, one per axis
  painted,    ///< a map of the file, by name
  combined,   ///< several of these together
};
template <>
struct EnumNames<Effect> {
  static constexpr std::array names{"blend", "isotropic", "rubber", "muscle",  "folds",   "belly",
                                    "skin",  "organic",   "curve",  "painted", "combined"};
};

enum class BendSide {
  flexor,    ///< inside of the bend
  extensor,  ///< outside
  both,
};
template <>
struct EnumNames<BendSide> {
  static constexpr std::array names{"flexor", "extensor", "both"};
};

enum class MapCombination {
  product,
  sum,
  blend,  ///< the mean in shares `mix`
};
template <>
struct EnumNames<MapCombination> {
  static constexpr std::array names{"product", "sum", "blend"};
};

/// Lengths are in the joint's unit: the mean length of the parent bone and the joint's own.
struct EffectSettings {
  Effect effect = Effect::blend;
  CorrectionDirection direction = CorrectionDirection::normal;
  Vec3 mu = Vec3::Constant(1.0 / 3.0);
  Vec3 sigma = Vec3::Constant(0.25);
  double frequency = 4;
  double center = 0;
  BendSide side = BendSide::flexor;
  double gain = 1;
  double distance_gain = 1;
  std::array<double, 2> min_share = {0, 1};
  Profile x, y, z;
  std::string map;
  MapCombination combine = MapCombination::product;
  std::vector<EffectSettings> maps;  ///< combined only; not combined themselves
  std::vector<double> mix;           ///< #maps, or empty: equal

  bool operator==(const EffectSettings& other) const;

  static constexpr std::size_t kMaxMaps = 16;
};

/// Names, units, ranges and texts of all fields; the JSON reader, its schema and the documentation take them from here.
template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, EffectSettings>
void describe(Options& options, Visitor&& visit) {
  visit(options.effect, FieldInfo{.name = "effect", .help = "which map says where volume is given"});
  visit(options.direction,
        FieldInfo{.name = "direction", .help = "along the normals, or along the axes of the joint in shares mu"});
  visit(options.mu, FieldInfo{.name = "mu",
                              .help = "shares of the volume given along the parent bone, the bend axis and across both",
                              .min = 0,
                              .max = 1});
  visit(options.sigma, FieldInfo{.name = "sigma",
                                 .help = "reach along the three axes; one number stands for three",
                                 .unit = "bone lengths",
                                 .min = 0.001,
                                 .max = 1000});
  visit(options.frequency, FieldInfo{.name = "frequency",
                                     .help = "waves along the parent bone",
                                     .unit = "waves per bone length",
                                     .min = 0.001,
                                     .max = 1000});
  visit(options.center, FieldInfo{.name = "center",
                                  .help = "where the middle lies on the parent bone: 0 at the joint, -1 at its start",
                                  .unit = "parent bone lengths",
                                  .min = -10,
                                  .max = 10});
  visit(options.side, FieldInfo{.name = "side", .help = "inside of the bend, outside, or both"});
  visit(options.gain, FieldInfo{.name = "gain", .help = "exponent of 1 - max w", .min = 0.01, .max = 100});
  visit(options.distance_gain,
        FieldInfo{.name = "distance_gain", .help = "exponent of the distance to the bones", .min = 0, .max = 100});
  visit(options.min_share, FieldInfo{.name = "min_share",
                                     .help = "higher: shallower folds; first at rest, second at the largest bend; one "
                                             "number stands for both",
                                     .min = 0,
                                     .max = 1});
  visit(options.x, FieldInfo{.name = "x",
                             .help = "curve along the parent bone, as points [position, value]",
                             .unit = "bone lengths",
                             .min = 0,
                             .max = 1e6});
  visit(options.y, FieldInfo{.name = "y",
                             .help = "curve along the bend axis, as points [position, value]",
                             .unit = "bone lengths",
                             .min = 0,
                             .max = 1e6});
  visit(options.z, FieldInfo{.name = "z",
                             .help = "curve towards the inside of the bend, as points [position, value]",
                             .unit = "bone lengths",
                             .min = 0,
                             .max = 1e6});
  visit(options.map, FieldInfo{.name = "map", .help = "name of the painted map"});
  visit(options.combine, FieldInfo{.name = "combine", .help = "how several maps become one"});
  visit(options.maps, FieldInfo{.name = "maps", .help = "the effects to combine"});
  visit(options.mix, FieldInfo{.name = "mix", .help = "shares of the maps in a blend", .min = 0, .max = 1e6});
}

/// An effect with its own defaults (shares, reach, side …).
EffectSettings default_effect(Effect effect);
/// Whether a field of describe() means anything to an effect: "sigma" does nothing for blend.
bool effect_uses(Effect effect, std::string_view field);
/// Throws Error(bad_input) if a field that the effect uses is out of range, shares do not sum to 1, a painted map
/// has no name, or a combination is empty or nested.
void check(const EffectSettings& settings);

/// A vertex as a map sees it.
struct MapPoint {
  Vec3 local = Vec3::Zero();  ///< along the joint's axes, in units
  double center = 0;          ///< c in units: EffectSettings::center times the parent bone's length
  double radial = 0;          ///< BendAxes::radial
  double share = 0;           ///< a = ΔV / ΔV_max
};
/// γ of isotropic, rubber, muscle, folds, belly and curve; 1 for the others, which do not depend on the pose.
double pose_map(const EffectSettings& settings, const MapPoint& point);
/// The same if q = |(p - c) / σ|² is known already. It is at most exp(-q), times the distance from the bone where
/// the effect has a side; `curve` does not look at q.
double pose_map(const EffectSettings& settings, const MapPoint& point, double q);
/// Whether an effect's map depends on the pose.
bool follows_pose(Effect effect);

}  // namespace isochor
