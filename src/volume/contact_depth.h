#pragma once

/// Vertices that lie inside other skin, found from where the skin crosses itself.

#include "volume/contact.h"

namespace isochor::volume {

/// Fills buffers.buried with the vertices at `positions` that are inside other skin and connected, through others that
/// are, to a pair of `crossing`. Boxes of buffers.faces must hold `positions`.
void find_buried(const ContactInput& in, std::span<const Vec3> positions, std::span<const TrianglePair> crossing,
                 ContactBuffers& buffers);

}  // namespace isochor::volume
