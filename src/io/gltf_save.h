#pragma once

/// A document back into files.

#include <filesystem>
#include <vector>

#include "gltf_impl.h"

namespace isochor::gltf {

/// glTF 2.0, section 4.4.
inline constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinChunk = 0x004E4942;

/// The files that the document refers to and that stay outside it: relative path, as the URI has it.
std::vector<std::filesystem::path> external_files(const Impl& impl);

/// See GltfDocument.
std::vector<std::uint8_t> to_glb(const Impl& impl);
/// Its buffers and images taken in.
std::vector<std::uint8_t> to_whole_glb(Impl whole);
void save(const Impl& impl, const std::filesystem::path& path);

}  // namespace isochor::gltf
