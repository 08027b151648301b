#pragma once

/// Files split vertices at seams. Topology, binding and volume run on the surface welded by position.

#include <span>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/mesh/surface.h"

namespace isochor {

struct WeldOptions {
  double tolerance = 1e-7;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, WeldOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.tolerance, FieldInfo{.name = "weld-tolerance",
                                     .help = "vertices nearer than this become one; higher: wider gaps are closed, "
                                             "finer details lost (0: equal positions only)",
                                     .unit = "of the bounding box's diagonal",
                                     .min = 0,
                                     .max = 0.01,
                                     .expert = true});
}

/// Squares of volumes are products of six lengths, and overflow beyond 1e50.
inline constexpr double kLargestPosition = 1e30;

struct Weld {
  Surface surface;                   ///< welded; faces that fall below three distinct corners are gone
  std::vector<Index> vertex;         ///< #V of the source: source vertex -> welded vertex
  std::vector<Index> first_source;   ///< #V welded: the lowest source vertex of each
  std::vector<Index> face_source;    ///< #F welded: the source face of each
  std::vector<Index> dropped_faces;  ///< source faces that collapsed, increasing
};

/// Vertices are joined by exact position first, then greedily, in index order, within the tolerance.
/// A welded vertex keeps the position of its lowest source vertex. Throws Error(bad_input) if a position is not finite,
/// or beyond kLargestPosition.
Weld weld(const Surface& surface, const WeldOptions& options = {});

}  // namespace isochor
