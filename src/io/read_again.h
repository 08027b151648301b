#pragma once

/// Options for a document that was read once already: it is not refused now.

#include "isochor/io/gltf_read.h"

namespace isochor {

inline GltfReadOptions read_again(GltfReadOptions options) {
  options.require_triangles = false;
  describe(options, [](double& field, const FieldInfo& info) { field = info.max; });
  return options;
}

}  // namespace isochor
