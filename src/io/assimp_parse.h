#pragma once

/// What is done in the child process that read_assimp() starts: assimp reads the bytes, and we read assimp's scene.

#include <string_view>

#include "isochor/rig/character.h"

struct aiScene;

namespace isochor {

/// Throws Error for what is refused. assimp may also end the process, or never come back.
Character parse_with_assimp(std::string_view bytes, std::string_view extension);

/// Our part of it, which must stand anything that assimp hands out.
Character to_character(const aiScene& scene, std::string_view extension);

}  // namespace isochor
