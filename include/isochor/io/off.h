#pragma once

/// Geomview OFF (text): vertices and polygons.

#include <filesystem>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// One part, vertices in file order, polygons as they are; normals and colours (NOFF, COFF, STOFF) are passed over.
/// Faces with fewer than three corners are left out with a note; an index out of range is refused with the line's
/// number.
Character read_off(const std::filesystem::path& path);
Character parse_off(std::string_view text);

}  // namespace isochor
