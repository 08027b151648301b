#pragma once

/// A polygon surface: positions, and faces with three or more corners each. It owns nothing but geometry.
///
///   corners     the vertex indices of all faces, one face after another, counter-clockwise seen from outside
///   face_begin  #F+1 offsets into corners; face f is corners[face_begin[f]] … corners[face_begin[f+1]-1]
///
/// A square beside a triangle: corners = {0,1,2,3, 1,4,2}, face_begin = {0,4,7}.

#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

struct Surface {
  std::vector<Vec3> positions;          // #V
  std::vector<Index> corners;           // #C
  std::vector<Index> face_begin = {0};  // #F+1

  std::size_t vertex_count() const { return positions.size(); }
  std::size_t face_count() const { return face_begin.size() - 1; }
  std::span<const Index> face(std::size_t f) const {
    return {corners.data() + face_begin[f], corners.data() + face_begin[f + 1]};
  }
  std::span<Index> face(std::size_t f) { return {corners.data() + face_begin[f], corners.data() + face_begin[f + 1]}; }
  void add_face(std::span<const Index> vertices) {
    corners.insert(corners.end(), vertices.begin(), vertices.end());
    face_begin.push_back(static_cast<Index>(corners.size()));
  }
  void add_face(std::initializer_list<Index> vertices) { add_face(std::span(vertices.begin(), vertices.size())); }
};

/// The bounding box of the positions; empty (isEmpty()) for no vertex.
Box bounding_box(std::span<const Vec3> positions);

/// The mean of the positions and how far the farthest lies from it. Unlike a box it does not change its size when the
/// positions are turned. Zero for no vertex.
struct Ball {
  Vec3 middle = Vec3::Zero();
  double radius = 0;
};
Ball ball_around(std::span<const Vec3> positions);

/// The area of a polygon times its normal, by Newell's formula: exact if it is planar, sensible where it is not.
Vec3 area_vector(std::span<const Vec3> positions, std::span<const Index> polygon);

/// Faces cut into triangles: quads along the shorter diagonal, larger polygons by ear clipping in the polygon's own
/// plane.
struct Triangulation {
  std::vector<std::array<Index, 3>> triangles;  ///< corner *positions in `Surface::corners`* are in `corner`
  std::vector<std::array<Index, 3>> corner;     ///< for each triangle, the offsets into Surface::corners
  std::vector<Index> face;                      ///< the face each triangle came from
};
Triangulation triangulate(const Surface& surface);

/// Area-weighted vertex normals (unit; zero for a vertex without faces). Polygons by Newell's formula.
std::vector<Vec3> vertex_normals(const Surface& surface);
std::vector<Vec3> vertex_normals(const Surface& surface, std::span<const Vec3> positions);

/// Appends `other`'s vertices and faces to `surface`; returns the index of its first vertex.
Index append(Surface& surface, const Surface& other);

}  // namespace isochor
