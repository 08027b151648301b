#pragma once

/// MEDIT .mesh (text): the surface of a tetrahedral mesh.

#include <filesystem>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// One part with the sections Triangles and Quadrilaterals over all Vertices, in file order; vertices inside the solid
/// stay, as they have their place in the order. Other sections (Tetrahedra, Edges …) are skipped, and noted.
Character read_medit(const std::filesystem::path& path);
Character parse_medit(std::string_view text);

}  // namespace isochor
