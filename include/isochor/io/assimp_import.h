#pragma once

/// FBX, COLLADA, PLY, STL, OFF and IQM through the assimp library, with polygons kept.
///
/// assimp hands out meshes whose vertices are split at every face corner. The file's own vertices are rebuilt here:
/// corners of one mesh with the same position and the same weights are one vertex again, and normals and texture
/// coordinates stay with the corners.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// The extensions that read_assimp() takes: lower case, without a dot.
std::span<const std::string_view> assimp_extensions();

/// All nodes of the file become joints of the skeleton, in the file's units and axes (notes say which); nodes that some
/// mesh is bound to are those that deform. Weights are repaired where they need it, and that is reported.
/// One part a mesh and node. Files that refer to other files are read without them. assimp is not ours to mend: what it cannot read is refused with its own
/// reason in one sentence, and files above 1 GiB are not given to it.
Character read_assimp(const std::filesystem::path& path);
/// `extension` as in assimp_extensions().
Character parse_assimp(std::string_view bytes, std::string_view extension);

}  // namespace isochor
