#pragma once

/// assimp is not hardened against hostile files. What can be checked cheaply is checked before it sees the bytes.

#include <string_view>

namespace isochor {

/// Throws Error(bad_input) where the bytes cannot be a file of that kind, or announce more than they hold.
void check_before_assimp(std::string_view bytes, std::string_view extension);

}  // namespace isochor
