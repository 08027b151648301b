#pragma once

/// TGF skeletons (trivial graph format, as libigl uses it): vertices "id x y z …", a line "#", edges "parent child …".

#include <filesystem>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// A character that is a skeleton alone. Each TGF vertex is a joint at its position, without rotation, named by its
/// id ("joint1"); an edge makes its second vertex a child of its first. Further columns and a third section are
/// ignored. An edge against the grain of the tree (its second vertex has a parent already) is turned round if that
/// gives a tree; cycles and unknown ids are refused.
Character read_tgf(const std::filesystem::path& path);
Character parse_tgf(std::string_view text);

}  // namespace isochor
