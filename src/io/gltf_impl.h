#pragma once

/// The inside of a GltfDocument, shared by the sources that read, write and edit glTF.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gltf_json.h"
#include "isochor/base/error.h"
#include "isochor/io/gltf_document.h"

namespace isochor {

struct GltfDocument::Impl {
  enum class Home { container, data_uri, file };  ///< where a buffer's bytes live

  struct Buffer {
    std::vector<std::uint8_t> bytes;
    Home home = Home::container;
    std::filesystem::path file;  ///< where home is file
    bool changed = false;        ///< bytes were appended
  };
  /// A GLB chunk of a type that we do not know; kept and written back.
  struct Chunk {
    std::uint32_t type = 0;
    std::vector<std::uint8_t> bytes;
  };

  gltf::Json json;
  std::vector<Buffer> buffers;  ///< as many as json["buffers"]
  std::vector<Chunk> chunks;
  std::filesystem::path path;      ///< where it was opened, or empty
  std::filesystem::path folder;    ///< empty for a document that came from memory
  bool binary = true;              ///< came as .glb
  std::string name = "this glTF";  ///< for sentences: the path in quotes
  /// What nothing referred to when it was opened (gltf_prune.h); those added since are not in these.
  std::vector<bool> idle_accessors, idle_views;
};

namespace gltf {

using Impl = GltfDocument::Impl;

/// Bytes of all buffers: what may be allocated for a file is measured against it.
std::size_t total_bytes(const Impl& impl);

/// Runs `body`; an Error that leaves it says of which file it speaks.
template <class Body>
auto in_file(const std::string& name, Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    throw Error(error.kind(), "cannot read " + name + ": " + error.what(), error.element());
  }
}

}  // namespace gltf
}  // namespace isochor
