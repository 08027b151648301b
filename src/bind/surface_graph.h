#pragma once

/// A surface as a graph for heat flow: areas at vertices, conductances between them, and coarser graphs of it.

#include <array>
#include <span>
#include <vector>

#include "isochor/mesh/surface.h"

namespace isochor {

struct SurfaceGraph {
  std::vector<Vec3> positions;     // #V
  std::vector<float> mass;         // #V: a third of the area of the triangles around
  std::vector<Index> begin = {0};  // #V+1: the neighbours of vertex v are begin[v] … begin[v+1]-1
  std::vector<Index> neighbour;    // increasing for each vertex
  std::vector<float> conductance;  // of each neighbour; symmetric

  std::size_t size() const { return mass.size(); }
};

/// Vertices in an order that depends on their positions alone: along a Morton curve, so that neighbours lie close in
/// memory; equal positions by index.
std::vector<Index> canonical_order(std::span<const Vec3> positions);

/// The graph of a surface, its vertices numbered by `order`; `positions` and `length` (#V) are in that order. An edge
/// conducts as the cotangent Laplacian does over equilateral triangles, times the square of the mean length at its two
/// ends; other triangles conduct by their area over the edge's square, which is never negative. The order of the
/// surface's vertices and faces makes no difference, not in the last bit.
SurfaceGraph surface_graph(const Surface& surface, std::span<const Index> order, std::vector<Vec3> positions,
                           std::span<const double> length);

/// Vertices gathered with their neighbours: `group` (#V) says where each went. Conductances keep the flow of a steady
/// slope: Σ k |e| / |distance of the groups' centres|.
struct CoarseGraph {
  SurfaceGraph graph;
  std::vector<Index> group;
};
CoarseGraph coarsen(const SurfaceGraph& fine);

}  // namespace isochor
