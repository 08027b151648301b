#pragma once

/// PNG files. The same image always gives the same bytes.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "isochor/render/image.h"

namespace isochor {

/// The bytes of a PNG file, 8-bit RGB, tagged sRGB. Throws Error(bad_input) for an image without pixels.
std::vector<std::uint8_t> encode_png(const Image& image);

/// Writes a temporary file beside `path` and renames it, so that a half-written picture is never seen under its name.
/// Throws Error(io); nothing is left behind then.
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace isochor
