#pragma once

/// Which way faces should look: votes and winding numbers need to know.

#include <cstdint>

#include "isochor/base/problem.h"
#include "voxel/lattice.h"

namespace isochor::voxel {

struct Orientation {
  std::int64_t flipped_triangles = 0;
  std::int64_t flipped_components = 0;
  std::int64_t cavities = 0;
};

/// Sets the triangles' signs so that neighbours agree and components look outward, as far as that can be known:
///   1. Within a patch (triangles joined through edges of exactly two) the minority is turned over.
///   2. A patch that is closed, or nearly so, is turned outward by its volume.
///   3. Nested: a patch inside another keeps its relation to it. One that looked the same way looks outward as well;
///      one that looked the other way is a hollow, as a modeller makes one.
///   4. Open patches cannot be judged; they follow where most of the closed surface was turned.
/// Two-sided sheets that are not part of a closed patch get no side at all.
Orientation orient(LatticeSurface& surface, Problems& problems);

}  // namespace isochor::voxel
