#pragma once

/// Which clip, which moment, which pose: the options that `deform` and `render` share.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isochor/io/load.h"
#include "isochor/rig/retarget.h"
#include "session.h"

namespace isochor::cli {

struct Posing {
  std::filesystem::path skeleton;
  std::string clip;
  std::optional<double> time;
  std::filesystem::path pose;
  std::filesystem::path motion;
  std::string motion_clip;
  std::filesystem::path motion_map;
  RetargetOptions retarget;
};

void add_posing_options(CLI::App& command, Posing& posing);

/// Loads the character, attaches the skeleton and retargets the motion where they are given. Fills the report's inputs.
/// The index of the clip that came from the motion, or kNone.
struct PosedInput {
  Loaded loaded;
  Index motion_clip = kNone;
};
PosedInput load_posed(const std::filesystem::path& file, const Posing& posing, const LoadOptions& options,
                      Session& session);

/// The clips that the options choose: the one named, the motion's, or all.
std::vector<Index> chosen_clips(const PosedInput& input, const Posing& posing);

/// The one pose that the options ask for (--pose, or --time in a clip); nothing where they ask for none.
std::optional<Pose> still_pose(const PosedInput& input, const Posing& posing);

}  // namespace isochor::cli
