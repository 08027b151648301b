#pragma once

/// --volume, --effects and what belongs to them: one set of settings from the command line, the file of --effects and
/// the character's own extras; and what came of it, in the report and in words.

#include <filesystem>
#include <optional>

#include "isochor/io/gltf_read.h"
#include "isochor/volume/settings.h"
#include "session.h"

namespace CLI {
class App;
}

namespace isochor {

enum class VolumeMode { off, exact, three_step, linear };
template <>
struct EnumNames<VolumeMode> {
  static constexpr std::array names{"off", "exact", "three-step", "linear"};
};

namespace cli {

struct VolumeArguments {
  const CLI::App* command = nullptr;
  std::optional<VolumeMode> mode;
  std::filesystem::path effects;
  VolumeOptions options;  ///< those that were given count
};
void add_volume_options(CLI::App& command, VolumeArguments& arguments);

/// The settings in full: of --effects, or else of the glTF's extras (`source`, null where the input is none), or else
/// the defaults; over them what the command line says. Nothing where the volume is not to be held.
std::optional<VolumeSettings> resolve_volume(const VolumeArguments& arguments, const GltfSource* source);

/// What was given beside --volume off is said to be without effect.
Problems unused_volume_options(const VolumeArguments& arguments);

/// As the report's options have them.
void report_volume_settings(Json& options, const std::optional<VolumeSettings>& settings);

/// The report's field `volume`.
Json volume_json(const VolumeReport& report, const Skeleton& skeleton);
void print_volume(const VolumeReport& report, const Skeleton& skeleton, const Session& session);

}  // namespace cli
}  // namespace isochor
