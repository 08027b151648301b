#pragma once

/// The settings of volume correction as JSON: a file, or a glTF's extras, so that they travel with the character.
///
///   { "default": {"effect": "blend"},
///     "joints": { "*Spine*": {"effect": "belly", "mu": [0.1, 0.1, 0.8], "sigma": [0.6, 0.4, 0.4], "side": "flexor"},
///                 "Neck": {"effect": "curve", "mu": [0, 1, 0], "x": [[-1, 0], [0, 1], [1, 0]]} },
///     "solver": "exact", "treatment": "together", "volume": [[0.0, 1.0], [1.5, 1.06], [3.0, 1.0]] }
///
/// Every field may be absent. An entry begins with the defaults of its effect (default_effect()); `mu` without
/// `direction` means along the axes. A field that the effect does not use is refused, as is one that is not known. In a
/// glTF they are `extras.isochor.volume` of the default scene (of the asset if there is no scene): scene extras are
/// what editors keep. docs/volume-settings.schema.json is volume_settings_schema().

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/io/gltf_document.h"
#include "isochor/volume/joint_effects.h"
#include "isochor/volume/settings.h"

namespace isochor {

/// Throws Error(bad_input) "FILE: line N: …", naming the field and what it may be.
VolumeSettings read_volume_settings(const std::filesystem::path& path);
VolumeSettings parse_volume_settings(std::string_view text);

/// Fields that are not the defaults, indented; reads back to equal settings.
std::string write_volume_settings(const VolumeSettings& settings);

/// Nothing if the document has none; throws Error(bad_input) with the place where they are broken.
std::optional<VolumeSettings> volume_settings_of(const GltfDocument& document);
/// Puts the settings into the document, in place of those that were there; all other extras stay.
void set_volume_settings(GltfDocument& document, const VolumeSettings& settings);

/// The JSON schema (draft 2020-12) of what parse_volume_settings() takes.
std::string volume_settings_schema();

}  // namespace isochor
