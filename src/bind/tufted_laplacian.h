#pragma once

/// The Laplacian of any surface, without a negative coefficient.

#include <array>
#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

struct SurfaceLaplacian {
  struct Conductance {
    Index a, b;  ///< a < b
    double value;
  };
  std::vector<double> mass;              ///< #V: the area that belongs to each vertex
  std::vector<Conductance> conductance;  ///< by (a, b), each pair once; 0 or more
};

/// Half cotangents over an intrinsic Delaunay triangulation of the tufted cover (Sharp and Crane 2020): every triangle
/// is taken twice, as a front and a back, glued around each edge in a ring. So each edge has exactly two sides, whether
/// it had one face, two, or ten, and can be flipped until no cotangent sum is negative. Edges are lengthened by a hair
/// first, so that triangles without area count as very thin ones. On a manifold surface with well shaped triangles
/// these are the usual cotangents. Depends on lengths alone; scaling the positions scales masses and leaves
/// conductances.
SurfaceLaplacian tufted_laplacian(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles);

}  // namespace isochor
