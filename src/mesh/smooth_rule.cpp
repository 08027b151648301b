#include "mesh/smooth_rule.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"
#include "mesh/disjoint_sets.h"

namespace isochor::mesh {
namespace {

std::vector<Vec3> face_normals(const Surface& surface) {
  std::vector<Vec3> normals;
  normals.reserve(surface.face_count());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    normals.push_back(unit_or(area_vector(surface.positions, surface.face(f))));
  }
  return normals;
}

/// Corners that belong together: around one vertex, without a sharp edge between them.
DisjointSets group_corners(const Surface& surface, const EdgeUses& edges, const SharpEdges& sharp) {
  DisjointSets groups(surface.corners.size());
  for (std::size_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.edge(e);
    if (!joins_two(uses) || sharp.count(uses[0].key) > 0) continue;
    groups.join(uses[0].corner, uses[1].next);
    groups.join(uses[0].next, uses[1].corner);
  }
  return groups;
}

/// The angle of a face at one of its corners.
double corner_angle(const Surface& surface, std::size_t face, Index corner) {
  const Index begin = surface.face_begin[face], end = surface.face_begin[face + 1];
  const Vec3& p = surface.positions[surface.corners[corner]];
  const Vec3& before = surface.positions[surface.corners[corner > begin ? corner - 1 : end - 1]];
  const Vec3& after = surface.positions[surface.corners[corner + 1 < end ? corner + 1 : begin]];
  const Vec3 x = unit_or(after - p), y = unit_or(before - p);
  return std::atan2(x.cross(y).norm(), x.dot(y));
}

/// Faces count by their angle at the vertex, which does not change when a face is split: by their areas, a dense band
/// would have other normals than its surroundings.
std::vector<Vec3> corner_normals(const Surface& surface, DisjointSets groups) {
  std::vector<Vec3> sums(surface.corners.size(), Vec3::Zero());
  const std::vector<Vec3> of_face = face_normals(surface);
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (Index c = surface.face_begin[f]; c < surface.face_begin[f + 1]; ++c) {
      sums[groups.find(c)] += corner_angle(surface, f, c) * of_face[f];
    }
  }
  std::vector<Vec3> normals(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c) normals[c] = unit_or(sums[groups.find(static_cast<Index>(c))]);
  return normals;
}

/// Pairs (vertex, other) as lists by vertex.
void gather(std::vector<std::pair<Index, Index>> pairs, std::size_t vertices, std::vector<Index>& begin,
            std::vector<Index>& others) {
  std::sort(pairs.begin(), pairs.end());
  begin.assign(vertices + 1, 0);
  others.clear();
  for (const auto& [vertex, other] : pairs) {
    ++begin[vertex + 1];
    others.push_back(other);
  }
  for (std::size_t v = 0; v < vertices; ++v) begin[v + 1] += begin[v];
}

}  // namespace

SharpEdges find_sharp_edges(const Surface& surface, double angle) {
  const EdgeUses edges(surface);
  const std::vector<Vec3> normals = face_normals(surface);
  const double least = std::cos(angle);
  SharpEdges sharp;
  for (std::size_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.edge(e);
    const bool smooth = joins_two(uses) && normals[uses[0].face].dot(normals[uses[1].face]) >= least;
    if (!smooth) sharp.insert(uses[0].key);
  }
  return sharp;
}

SmoothRule::SmoothRule(const Surface& surface, const SharpEdges& sharp, double angle)
    : surface_(surface), sharp_(sharp), corner_cosine_(std::cos(angle)) {
  const EdgeUses edges(surface);
  normals_ = corner_normals(surface, group_corners(surface, edges, sharp));
  std::vector<std::pair<Index, Index>> all, of_sharp;
  for (std::size_t e = 0; e < edges.edge_count(); ++e) {
    const FaceEdge& use = edges.edge(e)[0];
    const Index a = surface.corners[use.corner], b = surface.corners[use.next];
    all.insert(all.end(), {{a, b}, {b, a}});
    if (sharp.count(use.key) > 0) of_sharp.insert(of_sharp.end(), {{a, b}, {b, a}});
  }
  gather(std::move(all), surface.vertex_count(), neighbour_begin_, neighbours_);
  gather(std::move(of_sharp), surface.vertex_count(), sharp_begin_, sharp_ends_);
}

/// The cubic whose ends leave along the edge's projections onto the tangent planes there: Vlachos, Peters, Boyd and
/// Mitchell 2001, section 3.1 (curved PN triangles), in its middle. On a sphere it is the sagitta to second order.
Vec3 SmoothRule::edge_point(std::size_t face, Index corner) const {
  const Index next = corner + 1 < surface_.face_begin[face + 1] ? corner + 1 : surface_.face_begin[face];
  const Index a = surface_.corners[corner], b = surface_.corners[next];
  const Vec3& p = surface_.positions[a];
  const Vec3& q = surface_.positions[b];
  const Vec3 middle = 0.5 * (p + q);
  if (sharp_.count(edge_key(a, b)) > 0) return middle + curve_bulge(a, b);
  const Vec3 edge = q - p;
  const Vec3& n = normals_[corner];
  const Vec3& m = normals_[next];
  return middle + (edge.dot(m) * m - edge.dot(n) * n) / 8;
}

/// The same along a sharp curve, whose tangents are known.
Vec3 SmoothRule::curve_bulge(Index a, Index b) const {
  const double length = (surface_.positions[b] - surface_.positions[a]).norm();
  return length / 8 * (tangent(a, b) + tangent(b, a));
}

/// Of the sharp curve at `from`, towards `to`. At its ends, where it branches and at its corners it is the edge's own.
Vec3 SmoothRule::tangent(Index from, Index to) const {
  const auto& x = surface_.positions;
  Vec3 ahead = unit_or(x[to] - x[from]);
  const Index begin = sharp_begin_[from];
  if (sharp_begin_[from + 1] - begin != 2) return ahead;
  const Index other = sharp_ends_[begin] == to ? sharp_ends_[begin + 1] : sharp_ends_[begin];
  const Vec3 behind = unit_or(x[from] - x[other]);
  return ahead.dot(behind) < corner_cosine_ ? ahead : unit_or(ahead + behind);
}

/// Along a curve the middle is ½ (a + b) + ⅛ (slope at a − slope at b); slopes are those of the planes that fit the
/// neighbours best. On a regular grid this is the four-point scheme of Dubuc 1986: 9/16 and −1/16.
void SmoothRule::add_edge_terms(Index a, Index b, std::vector<RefinedSurface::Term>& out) const {
  const std::size_t first = out.size();
  const Vec3 edge = surface_.positions[b] - surface_.positions[a];
  out.push_back({a, 0.5});
  out.push_back({b, 0.5});
  add_slope(a, edge, 0.125, out);
  add_slope(b, edge, -0.125, out);
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
  std::stable_sort(begin, out.end(), [](const auto& x, const auto& y) { return x.vertex < y.vertex; });
  std::size_t kept = first;
  for (std::size_t i = first; i < out.size(); ++i) {
    if (kept > first && out[kept - 1].vertex == out[i].vertex) {
      out[kept - 1].share += out[i].share;
    } else {
      out[kept++] = out[i];
    }
  }
  out.resize(kept);
}

/// `share` times the change along `step` of the linear function that fits the neighbours best, near ones most.
void SmoothRule::add_slope(Index vertex, const Vec3& step, double share, std::vector<RefinedSurface::Term>& out) const {
  // Neighbours in a plane say nothing about the direction across it: a little of the unit matrix makes that slope zero.
  constexpr double kAcross = 1e-3;
  const Vec3& p = surface_.positions[vertex];
  const Index begin = neighbour_begin_[vertex], end = neighbour_begin_[vertex + 1];
  Mat3 fit = kAcross * static_cast<double>(end - begin) * Mat3::Identity();
  for (Index i = begin; i < end; ++i) {
    const Vec3 d = surface_.positions[neighbours_[i]] - p;
    if (d.squaredNorm() > 0) fit += d * d.transpose() / d.squaredNorm();
  }
  const Vec3 y = fit.ldlt().solve(step);
  for (Index i = begin; i < end; ++i) {
    const Vec3 d = surface_.positions[neighbours_[i]] - p;
    if (!(d.squaredNorm() > 0)) continue;
    const double term = share * y.dot(d) / d.squaredNorm();
    out.push_back({neighbours_[i], term});
    out.push_back({vertex, -term});
  }
}

}  // namespace isochor::mesh
