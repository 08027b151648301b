#pragma once

/// PLY, text and binary, either byte order.

#include <filesystem>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// One part, vertices in file order with their normals (nx ny nz) if given, polygons as they are. Other elements and
/// properties (colours, qualities, edges) are passed over. Faces with fewer than three corners are left out with a
/// note.
Character read_ply(const std::filesystem::path& path);
Character parse_ply(std::string_view bytes);

}  // namespace isochor
