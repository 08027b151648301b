#pragma once

/// A part as a mesh of the document.

#include <vector>

#include "gltf_build.h"
#include "isochor/io/gltf_write.h"

namespace isochor::gltf {

struct WrittenMesh {
  Index index = kNone;
  Index primitives = 0;
  std::vector<Index> vertex;  ///< the part's vertex of each vertex written
};

/// Throws Error(bad_input) where the arrays of a part do not fit each other or hold positions that are not finite.
void check_arrays(const Part& part);

/// The part must have a face.
WrittenMesh append_mesh(Impl& impl, const Part& part, const GltfWriteOptions& options, Problems& problems);

}  // namespace isochor::gltf
