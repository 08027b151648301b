#pragma once

/// Where volume settings stand in a glTF, and what their reader, their writer and their schema share.

#include <string_view>

#include "gltf_json.h"
#include "isochor/base/options.h"
#include "isochor/volume/settings.h"

namespace isochor::volume_settings_json {

inline constexpr FieldInfo kVolume{.name = "volume",
                                   .help = "scale of the volume to keep, as points [seconds, scale]",
                                   .min = VolumeSettings::kMinScale,
                                   .max = VolumeSettings::kMaxScale};

/// The name that a field of VolumeOptions has in files: "stiffness" for the option volume-stiffness.
inline const char* key_of(const FieldInfo& info) {
  constexpr std::string_view kPrefix = "volume-";
  return std::string_view(info.name).starts_with(kPrefix) ? info.name + kPrefix.size() : info.name;
}

/// extras.isochor.volume of the default scene, of the asset where there is no scene; null where there is none.
const gltf::Json* find(const gltf::Json& root);

}  // namespace isochor::volume_settings_json
