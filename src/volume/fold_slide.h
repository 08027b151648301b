#pragma once

/// Corners of faces that a displacement would bring near turning over slide apart: mostly along the skin, and by
/// little.

#include "volume/fold_zone.h"

namespace isochor::volume {

/// From buffers.wanted to buffers.displacement, and the same for offsets, in the zone that was found. Every step is
/// continuous in the pose.
void slide(const FoldInput& in, FoldBuffers& buffers);

}  // namespace isochor::volume
