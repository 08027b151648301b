#pragma once

/// What is checked once, when a document is parsed, so that the rest may rely on it.

#include "gltf_impl.h"

namespace isochor::gltf {

/// Version, required extensions, types of the top-level arrays, the node hierarchy (no cycle, one parent at most), and
/// every reference between nodes, meshes, skins, scenes, animations and accessors. Throws Error.
void check_json(const Json& root);

/// After this, every view's `buffer`, `byteOffset` and `byteLength` may be used as they are.
void check_views(const Impl& impl);

}  // namespace isochor::gltf
