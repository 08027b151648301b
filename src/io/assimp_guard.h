#pragma once

/// assimp is not hardened against hostile files: it has crashed, recursed without end and allocated without end on
/// files with a few bytes changed. What it has been seen to stumble over is checked before it sees the bytes.

#include <string_view>

namespace isochor {

/// Throws Error(bad_input) where the bytes cannot be a file of that kind ("fbx", "dae"), or contradict themselves.
void check_before_assimp(std::string_view bytes, std::string_view extension);

void check_fbx(std::string_view bytes);
void check_collada(std::string_view bytes);

}  // namespace isochor
