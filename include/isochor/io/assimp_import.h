#pragma once

/// FBX and COLLADA through the assimp library, with polygons kept.
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

/// All nodes of the file become joints of the skeleton; nodes that some mesh is bound to are those that deform. Lengths
/// are in metres and y is up at the topmost node, if the file names its unit and axes. There is one part per mesh and
/// node. Weights are repaired if they need it, and that is reported. Blend shapes and textures are not read; files
/// that refer to other files are read without them.
///
/// assimp is not hardened against hostile files. What it is known to stumble over is refused before it sees the file
/// (records and counts that contradict themselves, deep nesting), and files above 1 GiB are not given to it; but
/// files from strangers are better converted to glTF first, in a process of their own.
Character read_assimp(const std::filesystem::path& path);
/// `extension` as in assimp_extensions().
Character parse_assimp(std::string_view bytes, std::string_view extension);

}  // namespace isochor
