#pragma once

/// Which morph targets of a mesh bake() made: they stand together, and extras.isochor.baked of the mesh says where.

#include <cstddef>

#include "gltf_json.h"

namespace isochor::gltf {

struct BakedTargets {
  std::size_t first = 0, count = 0;  ///< none if count is 0
};
BakedTargets baked_targets(const Json& mesh);
/// Extras that are no object stay as they are, and the targets then count as the author's.
void mark_baked(Json& mesh, const BakedTargets& baked);
void unmark_baked(Json& mesh);

}  // namespace isochor::gltf
