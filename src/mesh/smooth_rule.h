#pragma once

/// Where the middle of an edge lies on a smooth surface through the vertices, and how values are carried there.

#include <unordered_set>
#include <vector>

#include "isochor/mesh/refine.h"
#include "mesh/edge_uses.h"

namespace isochor::mesh {

/// Edges that stay sharp. Asked for single edges only, so that no order of theirs gets into a result.
using SharpEdges = std::unordered_set<EdgeKey>;

/// Edges whose faces differ by more than an angle (in radians), boundaries, and all that is not the meeting of two
/// faces that agree.
SharpEdges find_sharp_edges(const Surface& surface, double angle);

/// A rule for one surface, in which no vertex lies inside an edge.
class SmoothRule {
 public:
  /// `surface` and `sharp` must outlive it. Sharp curves that turn by more than `angle` (in radians) have a corner
  /// there.
  SmoothRule(const Surface& surface, const SharpEdges& sharp, double angle);

  /// The middle of the edge that begins at a corner (an offset into Surface::corners) of a face.
  Vec3 edge_point(std::size_t face, Index corner) const;

  /// Appends the terms of a smooth value in the middle between two neighbours.
  void add_edge_terms(Index a, Index b, std::vector<RefinedSurface::Term>& out) const;

 private:
  Vec3 curve_bulge(Index a, Index b) const;
  Vec3 tangent(Index from, Index to) const;
  void add_slope(Index vertex, const Vec3& step, double share, std::vector<RefinedSurface::Term>& out) const;

  const Surface& surface_;
  const SharpEdges& sharp_;
  double corner_cosine_;
  std::vector<Vec3> normals_;           // by corner: unit, of the smooth surface around it; zero if there is none
  std::vector<Index> neighbour_begin_;  // by vertex, into neighbours_
  std::vector<Index> neighbours_;
  std::vector<Index> sharp_begin_;  // by vertex, into sharp_ends_
  std::vector<Index> sharp_ends_;   // the other ends of its sharp edges
};

}  // namespace isochor::mesh
