#pragma once

/// Maps that an artist painted on the vertices, from a glTF's own vertex attributes.

#include <vector>

#include "isochor/io/gltf_read.h"
#include "isochor/volume/map_support.h"
#include "isochor/volume/settings.h"

namespace isochor {

/// The maps that the settings name. A map "fat" is the attribute _FAT or _fat of the primitives (glTF wants the names
/// of such attributes to begin with an underscore; Blender writes its own attributes so), its first component if it
/// has several. Primitives without it count as 0. Values are those of a welded vertex's first source. Throws
/// Error(bad_input) if no primitive has the attribute, or it does not fit its vertices.
std::vector<PaintedMap> read_painted_maps(const GltfSource& source, const WholeSurface& whole,
                                          const VolumeSettings& settings);

}  // namespace isochor
