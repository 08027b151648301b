#pragma once

/// The surface on a lattice of whole numbers, on which the voxelizer's questions have exact answers: a shared edge is
/// the same edge for both its faces, and rounding noise in the input (a translation, a scale) disappears.

#include <array>
#include <cstdint>
#include <vector>

#include "isochor/mesh/surface.h"
#include "isochor/voxel/grid.h"

namespace isochor::voxel {

/// The cube's edge is 2^24 lattice units at any resolution. So the products of two differences are exact in double
/// precision, and a quotient of two of them that is not whole is never rounded to a whole number.
inline constexpr int kLatticeBits = 24;

using LatticePoint = std::array<std::int32_t, 3>;

/// Corners are numbers of distinct points, ordered by the points' coordinates, whatever the order in the face.
struct LatticeTriangle {
  std::array<Index, 3> corner;
  int sign = 0;            ///< +1 where the ordered corners run as in the face, -1 where against; 0: no side at all
  bool two_sided = false;  ///< there is a face of either orientation
  Index face = kNone;
};

struct LatticeSurface {
  VoxelGrid grid;
  int voxel_bits = 0;                      ///< a voxel's edge is 2^voxel_bits units
  std::vector<LatticePoint> points;        ///< distinct
  std::vector<LatticeTriangle> triangles;  ///< distinct; isolated points are triangles of one point
  std::vector<Index> dropped_faces;        ///< with a vertex that is not finite, increasing

  const LatticePoint& point(const LatticeTriangle& t, int corner) const { return points[t.corner[corner]]; }
  bool is_flat(const LatticeTriangle& t) const { return t.corner[0] == t.corner[1] || t.corner[1] == t.corner[2]; }
};

/// Puts the corners in the order of their points; the sign becomes +1 where that leaves the triangle's side as it was.
void order_corners(LatticeTriangle& triangle, const std::vector<LatticePoint>& points);

/// Throws Error(bad_input) where the grid does not hold a finite vertex.
LatticeSurface snap_to_lattice(const Surface& surface, const VoxelGrid& grid);

}  // namespace isochor::voxel
