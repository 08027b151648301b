#pragma once

/// Taking from a complex what says little about the shape.

#include <array>
#include <set>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

using EdgePair = std::array<Index, 2>;        ///< increasing
using TriangleTriple = std::array<Index, 3>;  ///< increasing

/// A complex while it is made. Lengths are in voxels.
struct RawComplex {
  std::vector<Vec3> points;   // #M
  std::vector<double> radii;  // #M
  std::set<EdgePair> edges;   ///< those of triangles, too
  std::set<TriangleTriple> triangles;
};

/// A triangle that is less than a quarter of a radius high, and whose longest edge is in no other, is a bent line: its
/// other two edges stay.
void flatten_slivers(RawComplex& complex);

/// Takes away ends of branches and rims of sheets, one vertex after another, as long as a larger ball near by along the
/// complex makes up for theirs: it sticks out of the larger one by no more than a quarter of the difference of their
/// radii (the scale axis of Giesen et al. 2009, at 1.25), or by no more than a voxel. That larger ball stays, or
/// goes for one that makes up for all of them. What is left is connected as before, and holes stay holes.
/// Vertices are renumbered. Returns how many went.
std::size_t prune_branches(RawComplex& complex);

}  // namespace isochor
