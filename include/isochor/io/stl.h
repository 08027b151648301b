#pragma once

/// STL, text and binary: a soup of triangles.

#include <filesystem>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// One part; corners of exactly equal position are one vertex again. Facet normals, if all are given, go to the
/// corners. Triangles without area in the sense of repeated corners are left out with a note.
Character read_stl(const std::filesystem::path& path);
Character parse_stl(std::string_view bytes);

}  // namespace isochor
