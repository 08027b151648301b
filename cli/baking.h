#pragma once

/// How a motion is baked: what is asked for, at which times, and on which character.

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "isochor/bake/between_keys.h"
#include "isochor/bake/morph_basis.h"
#include "isochor/io/gltf_edit.h"
#include "posing.h"

namespace isochor {

enum class BakeMode {
  morphs,  ///< a small basis of morph targets
  frames,  ///< one morph target a frame
  pc2,     ///< point caches
  mdd,
};
template <>
struct EnumNames<BakeMode> {
  static constexpr std::array names{"morphs", "frames", "pc2", "mdd"};
};

namespace cli {

struct BakeOptions {
  std::optional<BakeMode> mode;  ///< by the output's extension, and morphs for a glTF, where none is given
  MorphBasisOptions basis;
  BetweenKeysOptions between;
  bool between_given = false;  ///< --fps says which frames there are, unless keys between them are asked for too
};
/// --bake and what belongs to it.
void add_bake_options(CLI::App& command, BakeOptions& options);

bool is_cache(BakeMode mode);
/// The mode that is asked for. Throws where the output's extension (.glb, .gltf, .pc2, .mdd) does not fit it.
BakeMode bake_mode(const BakeOptions& options, const std::filesystem::path& output);

/// Frames a second for point caches where none is given: their samples are one frame apart, which a clip's own keys
/// need not be. It is Blender's.
inline constexpr double kCacheFps = 24;
/// The times at which a clip is evaluated for baking: frame_times(), as the floats that a file holds. Where `fps` is 0
/// the keys, with more between those that are farther apart than kLongestGap, since morph weights are lines from frame
/// to frame and what is baked is not; and the last float before each step of a joint, where others do not step.
inline constexpr double kLongestGap = 0.05;
std::vector<double> bake_times(const Clip& clip, double fps);
/// Whether all joints of a clip step from key to key.
bool steps_throughout(const Clip& clip);

/// A character as the file to be written holds it: single precision, corners split into vertices, clips that came from
/// a motion, joints of another skeleton. What is baked is baked on this one, so that the file plays it and no rounding
/// comes in between.
struct WrittenCharacter {
  GltfSource source;
  Character character;
  std::vector<Index> clips;  ///< of the character: those that were asked for
};
/// A glTF keeps its own document, so that all else in it survives. `clips` are those of the input's character.
WrittenCharacter as_written(const PosedInput& input, std::span<const Index> clips);

}  // namespace cli
}  // namespace isochor
