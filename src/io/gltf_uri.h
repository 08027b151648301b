#pragma once

/// The URIs of a glTF: data URIs, and relative paths that may not leave the file's folder.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isochor::gltf {

/// No file beside a glTF is read beyond this size.
inline constexpr std::uint64_t kMaxExternalBytes = std::uint64_t{4} << 30;

bool is_data_uri(std::string_view uri);
/// The bytes of a base64 (or percent-encoded) data URI. Throws Error(bad_input).
std::vector<std::uint8_t> decode_data_uri(std::string_view uri);
std::string encode_data_uri(const std::vector<std::uint8_t>& bytes);

/// The relative path that a URI names, percent-decoded; nothing where it is absolute, has a scheme, or climbs with
/// "..".
std::optional<std::filesystem::path> relative_path(std::string_view uri);
/// folder / relative_path(uri), which must lie inside `folder` after links are followed. Throws Error(bad_input).
std::filesystem::path resolve_uri(std::string_view uri, const std::filesystem::path& folder);
/// A file name as a URI.
std::string encode_uri(std::string_view file_name);

}  // namespace isochor::gltf
