#pragma once

/// A fresh glTF document from a character of any source.

#include <array>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/io/gltf_read.h"
#include "isochor/rig/character.h"

namespace isochor {

/// What happens to a part without normals. Viewers shade it flat if the file has none either.
enum class MissingNormals { smooth, none };
template <>
struct EnumNames<MissingNormals> {
  static constexpr std::array names{"smooth", "none"};
};

struct GltfWriteOptions {
  MissingNormals missing_normals = MissingNormals::smooth;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GltfWriteOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.missing_normals,
        FieldInfo{.name = "missing-normals", .help = "normals of parts that have none: smooth, or none at all"});
}

struct GltfWritten {
  GltfSource source;  ///< the document, ready to save or to edit further; its map's vertices are those of `vertex`
  /// By part: the part's vertex of each vertex in the file. A vertex whose corners disagree in normal or texture
  /// coordinate is there several times, side by side; the identity if none does.
  std::vector<std::vector<Index>> vertex;
  Problems problems;  ///< what glTF could not hold, and what was done about it
};

/// Each part becomes a mesh with one primitive per material, on the same vertex accessors. Polygons are cut into fans
/// and marked with FB_ngon_encoding, so that they can be put together again. Skinned parts stand at the scene's root,
/// as the specification recommends; unskinned parts hang from their joint. Weights, inverse bind matrices, morph
/// targets, clips and joint tails (extras.tail) are written; a joint with shear becomes a chain of three nodes, since
/// glTF has no shear. Throws Error(bad_input) if arrays do not fit each other or a position is not finite.
GltfWritten write_gltf(const Character& character, const GltfWriteOptions& options = {});

}  // namespace isochor
