#pragma once

/// The .skel text of projective-skinning research: a count, then lines of "x y z name parent"; the parent of a root
/// is "root".

#include <filesystem>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// A character that is a skeleton alone; joints without rotation at their positions.
Character read_skel(const std::filesystem::path& path);
Character parse_skel(std::string_view text);

}  // namespace isochor
