#pragma once

/// A motion from a file, brought onto a character as a new clip.

#include <filesystem>
#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/rig/character.h"
#include "isochor/rig/retarget.h"

namespace isochor {

struct MotionOptions {
  std::string clip;  ///< a clip of the motion's file, by name or number; empty: the first
  RetargetOptions retarget;
};

struct BroughtMotion {
  Index clip = kNone;                   ///< the new clip, in the character
  std::vector<std::string> file_clips;  ///< names of all clips of the motion's file
  Index taken = kNone;                  ///< the one that was taken, in file_clips
  Skeleton source;                      ///< the motion's joints, to which `retargeted` refers
  Retargeted retargeted;                ///< what matched; its clip is in the character
};

/// Reads a BVH, or a clip of any other file that load_character() takes, and adds it to the character's clips. The new
/// clip is called as the file (without extension); if `options.clip` picks one, as that one, with the file's name
/// behind it if the character has a clip of that name already. Throws Error(bad_input) if the file has no clip or not
/// that one, and TooFewMatches (see retarget()).
BroughtMotion bring_motion(Character& character, const std::filesystem::path& file, const MotionOptions& options,
                           Context& context);

}  // namespace isochor
