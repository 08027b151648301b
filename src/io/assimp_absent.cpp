#include <array>
#include <string>

#include "isochor/base/error.h"
#include "isochor/io/assimp_import.h"

// Built instead of everything else about assimp where it, or a process of its own for it, is not to be had.

namespace isochor {

namespace {

constexpr std::array<std::string_view, 2> kExtensions = {"dae", "fbx"};

[[noreturn]] void refuse_without_assimp() {
  throw_unsupported("FBX and COLLADA cannot be read by this build of the program: convert the file to glTF first");
}

}  // namespace

std::span<const std::string_view> assimp_extensions() { return kExtensions; }

Character parse_assimp(std::string_view, std::string_view, const AssimpOptions&) { refuse_without_assimp(); }

Character read_assimp(const std::filesystem::path&, const AssimpOptions&) { refuse_without_assimp(); }

}  // namespace isochor
