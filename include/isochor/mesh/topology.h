#pragma once

/// Edges, components, orientation and boundary of a polygon surface. Works on any input; what is not a clean manifold
/// is described, not refused. Run it on a welded surface.

#include <vector>

#include "isochor/base/problem.h"
#include "isochor/mesh/surface.h"

namespace isochor {

struct Edge {
  Index a, b;  ///< a < b
};

struct Component {
  std::vector<Index> faces;     ///< increasing
  std::vector<Index> vertices;  ///< increasing
  bool closed = false;          ///< no boundary edge
  bool manifold = false;        ///< no edge with more than two faces, no vertex where surfaces touch in a point only
  bool oriented = false;        ///< neighbours agree as they come
  bool orientable = false;      ///< flipping some faces makes neighbours agree
  std::vector<Index> flips;     ///< the faces to flip for that (the smaller side), increasing; empty if oriented
  std::vector<std::vector<Index>> boundary_loops;  ///< vertices in order, the surface on the left
};

struct Topology {
  std::vector<Edge> edges;                   ///< sorted by (a, b)
  std::vector<Index> boundary_edges;         ///< indices of edges with one face
  std::vector<Index> non_manifold_edges;     ///< indices of edges with more than two faces
  std::vector<Index> flipped_edges;          ///< two faces that run through it in the same direction
  std::vector<Index> non_manifold_vertices;  ///< whose faces form more than one fan
  std::vector<Index> isolated_vertices;      ///< in no face
  std::vector<Index> duplicate_faces;        ///< same vertex set as an earlier face
  std::vector<Index> degenerate_faces;       ///< zero area or a repeated corner
  std::vector<Component> components;         ///< connected through edges or vertices; ordered by lowest vertex
  std::vector<Index> component_of_vertex;    ///< #V; kNone for isolated vertices
  std::vector<Index> component_of_face;      ///< #F
};

Topology analyse(const Surface& surface);

/// Problems of the surface in words: non-finite positions, indices out of range, and all that `Topology` lists.
/// Works on unwelded and on broken surfaces, where analyse() may not be called.
Problems validate(const Surface& surface);

}  // namespace isochor
