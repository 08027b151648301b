#pragma once

/// Keys between the keys of a clip. Morph weights are lines from key to key, while a skin that turns fast is not: it
/// loses volume half-way. Keys are added where that matters, and nowhere else. Faces that lines turn over ask for no
/// key: their corners move a little at the keys around instead (FaceMender), which takes fewer keys and leaves none
/// turned.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/base/types.h"

namespace isochor {

struct BetweenKeysOptions {
  double volume_error = 1e-3;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, BetweenKeysOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.volume_error,
        FieldInfo{
            .name = "between",
            .help =
                "add keys to a baked clip until no component's volume is off by more "
                "than this half-way between two keys, and turn faces back that would be turned over there (0: neither)",
            .unit = "of its volume",
            .min = 0,
            .max = 1});
}

/// What lines between keys get wrong at one moment.
struct BetweenError {
  double volume = 0;       ///< of the worst component, relative
  double position = 0;     ///< of the worst vertex, relative to the character's size
  std::size_t turned = 0;  ///< faces turned over, or nearly so

  bool within(double allowed_volume) const { return volume <= allowed_volume; }
};

/// A clip that keys can be added to.
struct KeyedClip {
  /// At moments, each between two neighbouring keys of those that are there by then. Any of them that is not within
  /// `allowed` may be asked for as a key.
  std::function<std::vector<BetweenError>(std::span<const double> times, double allowed)> errors;
  /// Makes a key of one of the moments that errors() was asked for last, by its place among them.
  std::function<void(std::size_t moment)> add;
};

struct BetweenKeys {
  std::vector<double> added;    ///< increasing
  BetweenError max_error;       ///< half-way between neighbouring keys, with those added
  std::vector<double> turned;   ///< moments half-way at which faces are turned over, or nearly so; increasing
  std::size_t gaps_beyond = 0;  ///< gaps between keys that were halved as often as allowed and are still beyond
};

/// Half-way between two keys in single precision, as players have it; nothing if they are neighbouring floats: nothing
/// is ever shown between these.
std::optional<double> moment_between(double before, double after);

/// A gap is halved at most so often: a jump, as of a joint that steps, has an error at any distance.
inline constexpr int kMostHalvings = 5;

/// Halves the gaps between `keys` (increasing, in single precision as files have them) where the error of the volume
/// half-way is larger than allowed: all gaps once, then all halves of those that were halved, and so on. A tenth of
/// what is allowed is left to rounding and to morph targets.
BetweenKeys add_keys_between(std::span<const double> keys, const BetweenKeysOptions& options, const KeyedClip& clip);

}  // namespace isochor
