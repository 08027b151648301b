#pragma once

/// A glTF 2.0 file as it is: its JSON document and its buffers, unchanged but for what the functions of gltf_edit.h are
/// asked to change. Reading never trusts the file: every index, length and count is checked against the bytes that are
/// there, and a broken file is refused with one sentence (docs/design/gltf.md).

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

/// What an accessor says of itself.
struct GltfAccessorInfo {
  std::size_t count = 0;      ///< elements
  int components = 1;         ///< 1 for SCALAR … 16 for MAT4
  int component_type = 5126;  ///< 5120 … 5126, as in the specification
  bool normalized = false;    ///< integers stand for [0, 1] or [-1, 1]
  bool sparse = false;
};

class GltfDocument {
 public:
  /// {"asset": {"version": "2.0"}} and nothing else.
  GltfDocument();
  ~GltfDocument();
  GltfDocument(const GltfDocument& other);
  GltfDocument(GltfDocument&& other) noexcept;
  GltfDocument& operator=(const GltfDocument& other);
  GltfDocument& operator=(GltfDocument&& other) noexcept;

  /// Reads a .glb or a .gltf, told apart by their content, with the external buffers of the latter. URIs may not leave
  /// the file's own folder: absolute paths, schemes, ".." and links that lead out are refused. Checked here: container,
  /// JSON, version, required extensions, buffers, buffer views and the node hierarchy (no cycle, one parent at most).
  /// Accessors are checked when they are read.
  static GltfDocument open(const std::filesystem::path& path);
  /// The same from memory. `folder` is where external buffers are sought; without one, a file that has any is refused.
  static GltfDocument parse(std::span<const std::uint8_t> bytes, const std::filesystem::path& folder = {});

  /// Writes a .glb, or a .gltf with the buffers beside it, by the extension; no file is ever half written.
  /// The order of JSON keys and every value that was not edited are kept. What edits left without use is dropped, with
  /// its bytes; what was without use before stays. A .gltf
  /// saved as .glb takes its external buffers and images in; a .glb saved as .gltf puts its chunk into NAME.bin. Files
  /// that the document refers to are copied beside an output in another folder, and never over a different file.
  void save(const std::filesystem::path& path) const;
  /// The bytes of a .glb. Buffers and images outside the container stay outside.
  std::vector<std::uint8_t> to_glb() const;
  /// The same with buffers and images from other files taken in: it needs no folder any more.
  std::vector<std::uint8_t> to_whole_glb() const;

  /// The files beside it that it refers to: buffers, images. Those of a document from memory are not known.
  std::vector<std::filesystem::path> external_files() const;

  /// The JSON document, compact.
  std::string json_text() const;
  std::size_t buffer_count() const;
  std::span<const std::uint8_t> buffer(std::size_t index) const;

  std::size_t accessor_count() const;
  /// Both throw Error(bad_input) for an accessor that does not exist or does not fit into its buffer view.
  GltfAccessorInfo accessor(Index index) const;
  /// count × components values; sparse elements put in, normalised integers as fractions, matrices without padding.
  std::vector<double> read_accessor(Index index) const;

  /// For the sources of the io module.
  struct Impl;
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  explicit GltfDocument(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace isochor
