#pragma once

/// A character in one pose as a file, from what was loaded to a plain shape.

#include <filesystem>
#include <functional>

#include "isochor/io/written_character.h"
#include "isochor/volume/corrected_playback.h"

namespace isochor {

struct StillFileOptions {
  double time = 0;  ///< of the pose, for the report
  /// How the surface that is written is played; if not given, with its volume held.
  std::function<PlaybackOptions(const WeldedCharacter&)> playback = {};
};

struct StillFile {
  VolumeReport volume;
  double max_volume_error = 0;  ///< in what was written, which for a glTF is in single precision
  Problems problems;
};

/// Poses a character, holds its volume and writes it without joints: .glb or .gltf, as triangles and with all else that
/// its document has, or .obj, with its polygons. What was baked into its file is to be left out when it is loaded.
StillFile save_still(const Loaded& loaded, const Pose& pose, const StillFileOptions& options,
                     const std::filesystem::path& path, Context& context);

}  // namespace isochor
