#include "isochor/mesh/refine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "isochor/mesh/triangle_crossing.h"
#include "mesh/leaf_faces.h"
#include "mesh/smooth_rule.h"

namespace isochor {
namespace {

using mesh::EdgeMiddles;
using mesh::LeafFaces;
using mesh::SharpEdges;
using mesh::SmoothRule;

/// What grows from level to level.
struct Refinement {
  std::vector<Vec3> positions;
  std::vector<double> values;
  LeafFaces leaves;
  EdgeMiddles middles;
  SharpEdges sharp;
  RefinedSurface result;
};

/// The leaves as polygons without a vertex inside an edge: those are corners of their own.
Surface as_polygons(const Refinement& state) {
  Surface surface;
  surface.positions = state.positions;
  std::vector<Index> polygon;
  for (std::size_t f = 0; f < state.leaves.size(); ++f) {
    mesh::with_middles(state.leaves.face(f), state.middles, polygon);
    surface.add_face(polygon);
  }
  return surface;
}

/// The position is known, the parents and the smooth terms are the last of their lists.
Index add_vertex(const Vec3& position, Refinement& state) {
  RefinedSurface& out = state.result;
  const std::span<const Index> parents(out.parents.data() + out.parent_begin.back(),
                                       out.parents.data() + out.parents.size());
  double value = 0;
  for (const Index p : parents) value += state.values[p];
  state.values.push_back(value / static_cast<double>(parents.size()));
  state.positions.push_back(position);
  out.parent_begin.push_back(static_cast<Index>(out.parents.size()));
  out.term_begin.push_back(static_cast<Index>(out.terms.size()));
  return static_cast<Index>(state.positions.size() - 1);
}

void split_edge(std::size_t face, Index corner, const Surface& polygons, const SmoothRule& rule, Refinement& state) {
  const Index next = corner + 1 < polygons.face_begin[face + 1] ? corner + 1 : polygons.face_begin[face];
  const Index a = polygons.corners[corner], b = polygons.corners[next];
  state.result.parents.insert(state.result.parents.end(), {std::min(a, b), std::max(a, b)});
  rule.add_edge_terms(std::min(a, b), std::max(a, b), state.result.terms);
  const Index middle = add_vertex(rule.edge_point(face, corner), state);
  state.middles.add(a, b, middle);
  if (state.sharp.count(mesh::edge_key(a, b)) == 0) return;
  state.sharp.insert(mesh::edge_key(a, middle));
  state.sharp.insert(mesh::edge_key(middle, b));
}

/// Splits the whole edges of a leaf.
void split_edges(std::size_t f, const Surface& polygons, const SmoothRule& rule, Refinement& state) {
  for (Index c = polygons.face_begin[f]; c < polygons.face_begin[f + 1]; ++c) {
    const Index next = c + 1 < polygons.face_begin[f + 1] ? c + 1 : polygons.face_begin[f];
    const Index a = polygons.corners[c], b = polygons.corners[next];
    // A polygon's edge is an edge of the leaf, or half of one that is split.
    const auto face = state.leaves.face(f);
    const auto at = std::find(face.begin(), face.end(), a);
    const bool whole = at != face.end() && (at + 1 == face.end() ? face.front() : *(at + 1)) == b;
    if (whole && state.middles.find(a, b) == kNone) split_edge(f, c, polygons, rule, state);
  }
}

std::vector<Index> middles_of(std::span<const Index> face, const EdgeMiddles& middles) {
  std::vector<Index> out;
  out.reserve(face.size());
  for (std::size_t k = 0; k < face.size(); ++k) out.push_back(middles.find(face[k], face[(k + 1) % face.size()]));
  return out;
}

/// The middle of a face whose edges bulge: what Coons 1967 gives for a quad. With n corners of a regular polygon on a
/// sphere the middle lies higher than an edge's by 1 / sin²(π / n): twice for a quad.
Index add_center(std::span<const Index> face, std::span<const Index> middle, Refinement& state) {
  const auto n = static_cast<double>(face.size());
  const double rise = 1 / (n * std::pow(std::sin(std::numbers::pi / n), 2));
  std::vector<RefinedSurface::Term>& terms = state.result.terms;
  const std::size_t first = terms.size();
  for (std::size_t k = 0; k < face.size(); ++k) {
    const bool before = middle[(k + face.size() - 1) % face.size()] != kNone, after = middle[k] != kNone;
    terms.push_back({face[k], 1 / n - rise / 2 * ((before ? 1 : 0) + (after ? 1 : 0))});
    if (after) terms.push_back({middle[k], rise});
  }
  Vec3 position = Vec3::Zero();
  for (std::size_t i = first; i < terms.size(); ++i) position += terms[i].share * state.positions[terms[i].vertex];
  state.result.parents.insert(state.result.parents.end(), face.begin(), face.end());
  return add_vertex(position, state);
}

void check_count(const Refinement& state, const RefineOptions& options) {
  if (state.positions.size() <= static_cast<std::size_t>(options.max_vertices)) return;
  throw_bad_input("the refined surface would have more than " + std::to_string(options.max_vertices) +
                  " vertices; raise --refine, lower --levels, or allow more with --refine-max-vertices");
}

/// One level: splits the marked leaves in four.
void split_leaves(std::span<const char> marked, const RefineOptions& options, Refinement& state) {
  const Surface polygons = as_polygons(state);
  // Edges that a leaf splits are asked for by others that come later, which must find the rule as it was.
  const SharpEdges sharp = state.sharp;
  const SmoothRule rule(polygons, sharp, options.sharp_angle * std::numbers::pi / 180);
  LeafFaces next;
  std::vector<std::vector<Index>> pieces;
  for (std::size_t f = 0; f < state.leaves.size(); ++f) {
    const Index source = state.leaves.source[f];
    const int level = state.leaves.level[f];
    const auto face = state.leaves.face(f);
    if (!marked[f]) {
      next.add(face, source, level);
      continue;
    }
    split_edges(f, polygons, rule, state);
    const std::vector<Index> middle = middles_of(face, state.middles);
    const Index center = mesh::needs_center(middle) ? add_center(face, middle, state) : kNone;
    mesh::cut(face, middle, center, state.positions, pieces);
    for (const auto& piece : pieces) next.add(piece, source, level + 1);
    check_count(state, options);
  }
  state.leaves = std::move(next);
}

std::vector<char> wished(const Refinement& state, const RefineWish& wish, double threshold, int level) {
  const double growth = std::pow(wish.growth, level);
  std::vector<char> marked(state.leaves.size(), 0);
  for (std::size_t f = 0; f < marked.size(); ++f) {
    if (state.leaves.level[f] != level) continue;
    const auto face = state.leaves.face(f);
    marked[f] = std::any_of(face.begin(), face.end(), [&](Index v) { return state.values[v] * growth > threshold; });
  }
  return marked;
}

/// The cuts of leaves beside finer ones.
void close_leaves(Refinement& state) {
  std::vector<std::vector<Index>> pieces;
  for (std::size_t f = 0; f < state.leaves.size(); ++f) {
    const auto face = state.leaves.face(f);
    const std::vector<Index> middle = middles_of(face, state.middles);
    const Index center = mesh::needs_center(middle) ? add_center(face, middle, state) : kNone;
    mesh::cut(face, middle, center, state.positions, pieces);
    for (const auto& piece : pieces) {
      state.result.surface.add_face(piece);
      state.result.face_source.push_back(state.leaves.source[f]);
    }
  }
}

/// From a face as its volume is counted: a fan about the mean of its corners.
double distance_to_face(const Vec3& p, const Surface& surface, std::size_t f) {
  const auto face = surface.face(f);
  Vec3 mean = Vec3::Zero();
  for (const Index v : face) mean += surface.positions[v] / static_cast<double>(face.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Vec3& a = surface.positions[face[k]];
    const Vec3& b = surface.positions[face[(k + 1) % face.size()]];
    least = std::min(least, (nearest_point({a, b, mean}, p) - p).norm());
  }
  return least;
}

void measure(const Surface& surface, RefinedSurface& out) {
  const std::size_t old = surface.vertex_count();
  std::vector<double> distance(out.surface.vertex_count() - old, std::numeric_limits<double>::infinity());
  for (std::size_t f = 0; f < out.surface.face_count(); ++f) {
    const bool alone = (f == 0 || out.face_source[f - 1] != out.face_source[f]) &&
                       (f + 1 == out.surface.face_count() || out.face_source[f + 1] != out.face_source[f]);
    if (alone) continue;
    if (f == 0 || out.face_source[f - 1] != out.face_source[f]) ++out.split_faces;
    for (const Index v : out.surface.face(f)) {
      if (static_cast<std::size_t>(v) < old) continue;
      double& least = distance[static_cast<std::size_t>(v) - old];
      least = std::min(least, distance_to_face(out.surface.positions[v], surface, out.face_source[f]));
    }
  }
  for (const double d : distance) out.max_distance = std::max(out.max_distance, d);
}

}  // namespace

RefinedSurface refine(const Surface& surface, const RefineWish& wish, const RefineOptions& options) {
  check_ranges(options);
  if (wish.values.size() != surface.vertex_count()) throw_bad_input("there must be one wish for each vertex");
  Refinement state;
  state.positions = surface.positions;
  state.values.assign(wish.values.begin(), wish.values.end());
  state.leaves = mesh::leaves_of(surface);
  state.sharp = mesh::find_sharp_edges(surface, options.sharp_angle * std::numbers::pi / 180);
  state.result.parent_begin = {0};
  state.result.term_begin = {0};
  const std::vector<int> limits = mesh::level_limits(surface, options.levels);
  for (int level = 0; level < options.levels; ++level) {
    const std::vector<char> marked =
        mesh::balance(state.leaves, state.middles, limits, wished(state, wish, options.threshold, level));
    if (std::find(marked.begin(), marked.end(), 1) == marked.end()) break;
    split_leaves(marked, options, state);
  }
  close_leaves(state);
  check_count(state, options);
  RefinedSurface& result = state.result;
  result.surface.positions = std::move(state.positions);
  measure(surface, result);
  return std::move(state.result);
}

}  // namespace isochor
