#pragma once

/// A character in motion as a file, from what was loaded to a glTF that was played to see whether it is right.

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "isochor/io/bake.h"
#include "isochor/io/bake_check.h"

namespace isochor {

struct MotionFileOptions {
  std::vector<Index> clips;  ///< of the loaded character
  HoldOptions hold;          ///< but for `clips` and `playback`
  /// How the surface that is written is played.
  std::function<PlaybackOptions(const WeldedCharacter&)> playback = {};
  BakeOptions bake;
  bool carry_settings = false;   ///< the settings of the playback travel on in the document
  std::filesystem::path driven;  ///< if given: where to write how joints that are added follow the pose
  bool always_check = false;     ///< play the file back also if skinning alone shows all of the motion
};

struct MotionFile {
  HeldMotion motion;
  BakeResult baked;
  std::optional<BakeErrors> errors;  ///< of the file, if it was played back
};

/// Plays clips with their volume held, bakes what skinning does not show, writes .glb or .gltf and plays it back.
/// Throws Error(bad_input) if no clip moves anything, and whatever hold_volume(), bake() and check_bake() throw.
MotionFile save_motion(const Loaded& loaded, const MotionFileOptions& options, const std::filesystem::path& path,
                       Context& context);

/// The same clips as point caches. `claim`, if given, hears of the files before they are written.
struct MotionCaches {
  HeldMotion motion;
  std::vector<std::filesystem::path> files;
  BakeErrors errors;  ///< of the volumes in them
};
MotionCaches save_motion_caches(const Loaded& loaded, const MotionFileOptions& options,
                                const std::filesystem::path& path,
                                const std::function<void(const std::vector<std::filesystem::path>&)>& claim,
                                Context& context);

}  // namespace isochor
