#pragma once

/// A surface made finer where something asks for it (Rohmer 2009, 4.3).
///
/// A face is split once per level: a triangle into four triangles, a quad into four quads, a larger polygon into quads
/// about its middle. Two faces that share an edge differ by one level at most, and the coarser one of them is cut so
/// that no vertex lies inside an edge: the result has no T-junction, and is closed, manifold and of the same genus
/// where the surface was.
///
/// New vertices lie on a smooth surface through the old ones, which stay where they are. Along an edge it is the cubic
/// that leaves both ends within their tangent planes; along sharp edges and boundaries it is a curve in those alone, so
/// that they stay sharp. Corners of sharp curves stay corners.

#include <span>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/mesh/surface.h"

namespace isochor {

struct RefineOptions {
  double threshold = 0.5;
  int levels = 1;
  double sharp_angle = 65;
  int max_vertices = 1000000;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, RefineOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.threshold, FieldInfo{.name = "refine",
                                     .help = "split faces where the skin is corrected by more than this; lower: more "
                                             "of the skin becomes finer",
                                     .min = 0,
                                     .max = 1});
  visit(options.levels,
        FieldInfo{
            .name = "levels", .help = "how often faces are split; each time four come out of one", .min = 1, .max = 5});
  visit(options.sharp_angle,
        FieldInfo{.name = "refine-sharp-angle",
                  .help = "edges whose faces differ by more stay sharp; higher: more edges are rounded",
                  .unit = "degrees",
                  .min = 0,
                  .max = 180,
                  .expert = true});
  visit(options.max_vertices, FieldInfo{.name = "refine-max-vertices",
                                        .help = "refuse to make a character of more vertices than this",
                                        .min = 1,
                                        .max = 1e8,
                                        .expert = true});
}

/// What asks for finer faces.
struct RefineWish {
  std::span<const double> values;  ///< #V: a face is split if a corner has more than the threshold
  double growth = 1;               ///< what a vertex's value is multiplied by at each level
};

struct RefinedSurface {
  Surface surface;                  ///< the old vertices come first, in their order, at their places
  std::vector<Index> face_source;   ///< #F: the old face of each, not decreasing
  std::vector<Index> parent_begin;  ///< #new+1 offsets into parents
  std::vector<Index> parents;       ///< of new vertices: the ends of an edge or the corners of a face, all before it
  /// Smooth values at new vertices: Σ share · value of the vertices before it, where `parents` give their mean.
  struct Term {
    Index vertex = 0;
    double share = 0;
  };
  std::vector<Index> term_begin;  ///< #new+1 offsets into terms
  std::vector<Term> terms;
  std::size_t split_faces = 0;  ///< old faces that are not there as they were
  double max_distance = 0;      ///< of a new vertex from the old faces that it came from

  std::size_t new_count() const { return parent_begin.size() - 1; }
  std::span<const Index> parents_of(std::size_t n) const {
    return {parents.data() + parent_begin[n], parents.data() + parent_begin[n + 1]};
  }
  std::span<const Term> terms_of(std::size_t n) const {
    return {terms.data() + term_begin[n], terms.data() + term_begin[n + 1]};
  }
};

/// Faces without area, with a repeated corner or an edge too short to be told apart from its middle stay whole, as do
/// their neighbours. Throws Error(bad_input) if options are out of range or the result would have too many vertices.
RefinedSurface refine(const Surface& surface, const RefineWish& wish, const RefineOptions& options = {});

}  // namespace isochor
