#pragma once

/// How a character is played: what its file says about volume and what a user wants otherwise, as one plan.
///
///   const WrittenCharacter file = as_written(loaded);
///   const WeldedCharacter welded(file.character());
///   hold_volume(welded, {.playback = playback_of(file, welded)}, context);

#include <array>
#include <functional>
#include <optional>

#include "isochor/io/written_character.h"
#include "isochor/volume/corrected_playback.h"

namespace isochor {

/// How the volume is held, in one word: not at all, or by a solver.
enum class VolumeMode { off, exact, three_step, linear };
template <>
struct EnumNames<VolumeMode> {
  static constexpr std::array names{"off", "exact", "three-step", "linear"};
};

/// What a user wants otherwise than the file has it.
struct VolumeOverrides {
  std::optional<VolumeMode> mode = {};              ///< nothing: as the settings say
  std::optional<VolumeSettings> settings = {};      ///< in place of those of the file
  std::function<void(VolumeOptions&)> change = {};  ///< single options, over those of the settings
};

/// The settings of the file (extras.isochor.volume), or else the defaults, with what the overrides say over them.
/// Nothing if the volume is not to be held. `source` is null for a character that came from no glTF.
std::optional<VolumeSettings> plan_volume(const GltfSource* source, const VolumeOverrides& overrides = {});

/// How `welded` is played with these settings: with the maps that they name, as they are painted in the document.
PlaybackOptions playback_of(const GltfSource* source, const WeldedCharacter& welded,
                            const std::optional<VolumeSettings>& volume);
/// Both, for a character that will be written. `welded` is made of file.character().
PlaybackOptions playback_of(const WrittenCharacter& file, const WeldedCharacter& welded,
                            const VolumeOverrides& overrides = {});

}  // namespace isochor
