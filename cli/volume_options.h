#pragma once

/// --volume, --effects and what belongs to them: one set of settings from the command line, the file of --effects and
/// the character's own extras; and what came of it, in the report and in words.

#include <filesystem>
#include <optional>

#include "isochor/io/playback.h"
#include "session.h"

namespace CLI {
class App;
}

namespace isochor::cli {

struct VolumeArguments {
  const CLI::App* command = nullptr;
  std::optional<VolumeMode> mode;
  std::filesystem::path effects;
  VolumeOptions options;  ///< those that were given count
};
void add_volume_options(CLI::App& command, VolumeArguments& arguments);

/// What the command line says, for plan_volume().
VolumeOverrides overrides_of(const VolumeArguments& arguments);

/// What was given beside --volume off is said to be without effect.
Problems unused_volume_options(const VolumeArguments& arguments);

/// As the report's options have them.
void report_volume_settings(Json& options, const std::optional<VolumeSettings>& settings);

/// The report's field `volume`.
Json volume_json(const VolumeReport& report, const Skeleton& skeleton);
void print_volume(const VolumeReport& report, const Skeleton& skeleton, const Session& session);

}  // namespace isochor::cli
