#include "isochor/io/playback.h"

#include "isochor/io/painted_map.h"
#include "isochor/io/volume_settings.h"

namespace isochor {

std::optional<VolumeSettings> plan_volume(const GltfSource* source, const VolumeOverrides& overrides) {
  std::optional<VolumeSettings> settings = overrides.settings;
  if (!settings && source != nullptr) settings = volume_settings_of(source->document);
  if (!settings) settings.emplace();
  if (overrides.change) overrides.change(settings->options);
  if (!overrides.mode) return settings;
  if (*overrides.mode == VolumeMode::off) return std::nullopt;
  // All but `off` are the names of solvers.
  settings->options.solve.solver = parse_enum<VolumeSolver>(enum_name(*overrides.mode)).value();
  return settings;
}

PlaybackOptions playback_of(const GltfSource* source, const WeldedCharacter& welded,
                            const std::optional<VolumeSettings>& volume) {
  PlaybackOptions playback{.volume = volume};
  if (source != nullptr && volume) playback.painted = read_painted_maps(*source, welded.whole(), *volume);
  return playback;
}

PlaybackOptions playback_of(const WrittenCharacter& file, const WeldedCharacter& welded,
                            const VolumeOverrides& overrides) {
  return playback_of(&file.source(), welded, plan_volume(&file.source(), overrides));
}

}  // namespace isochor
