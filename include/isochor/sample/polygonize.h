#pragma once

/// An implicit shape as a closed surface of quads, good to look at: surface nets on a regular grid, then vertices slide
/// over the surface until the quads are even.

#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/mesh/surface.h"
#include "isochor/sample/implicit.h"

namespace isochor {

struct PolygonizeOptions {
  int vertices = 2000;
  int relaxation = 20;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, PolygonizeOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.vertices,
        FieldInfo{.name = "vertices", .help = "about how many vertices the surface has", .min = 50, .max = 2000000});
  visit(options.relaxation, FieldInfo{.name = "relaxation",
                                      .help = "rounds of sliding the vertices over the surface to even out the quads",
                                      .min = 0,
                                      .max = 1000});
}

struct QuadMesh {
  Surface surface;  ///< quads only, counter-clockwise seen from outside
  std::vector<Index>
      mirror;       ///< #V: the reflection of each vertex in x = 0 (itself on the plane); empty: not symmetric
  double cell = 0;  ///< m; the grid's spacing, about the edge length
};

/// Every edge of the result has two faces and every vertex one fan of faces, whatever the shape: grid samples that
/// would make surface nets ambiguous are moved inside first. Details thinner than the spacing may be lost. A symmetric
/// shape gives an exactly symmetric surface with a line of vertices on the plane x = 0. The number of vertices is
/// within 2 % of the one asked for if the shape allows it.
QuadMesh polygonize(const ImplicitShape& shape, const PolygonizeOptions& options, const Context& context);

}  // namespace isochor
