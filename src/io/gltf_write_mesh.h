#pragma once

/// A part as a mesh of the document.

#include <span>
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

/// Some faces of a surface as triangles that FB_ngon_encoding can put together again. `of_corner` has the index that is
/// written for each of Surface::corners; faces that had to be torn apart are counted.
std::vector<std::uint32_t> cut_into_fans(const Surface& surface, std::span<const Index> faces,
                                         std::span<const Index> of_corner, ProblemCollector& torn);

/// The part must have a face.
WrittenMesh append_mesh(Impl& impl, const Part& part, const GltfWriteOptions& options, Problems& problems);

}  // namespace isochor::gltf
