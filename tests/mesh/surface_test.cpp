#include "isochor/mesh/surface.h"

#include <gtest/gtest.h>

#include <set>

#include "support/shapes.h"

namespace isochor {
namespace {

double area(const Surface& s, const Triangulation& t) {
  double sum = 0;
  for (const auto& [a, b, c] : t.triangles) {
    sum += 0.5 * (s.positions[b] - s.positions[a]).cross(s.positions[c] - s.positions[a]).norm();
  }
  return sum;
}

// The example in the header: a square beside a triangle.
TEST(Surface, FacesOfTheHeadersExample) {
  Surface s;
  s.corners = {0, 1, 2, 3, 1, 4, 2};
  s.face_begin = {0, 4, 7};
  ASSERT_EQ(s.face_count(), 2u);
  EXPECT_EQ(s.face(0).size(), 4u);
  EXPECT_EQ(s.face(1)[1], 4);
}

// The box of the unit cube, and of nothing.
TEST(Surface, BoundingBox) {
  const Box box = bounding_box(test::cube().positions);
  EXPECT_EQ(box.min(), Vec3(0, 0, 0));
  EXPECT_EQ(box.max(), Vec3(1, 1, 1));
  EXPECT_TRUE(bounding_box({}).isEmpty());
}

// Triangles cover the faces they come from, and know the corners they came from.
TEST(Triangulate, CoversTheFaces) {
  const Surface s = test::cube();
  const Triangulation t = triangulate(s);
  EXPECT_EQ(t.triangles.size(), 12u);
  EXPECT_NEAR(area(s, t), 6.0, 1e-12);
  for (std::size_t i = 0; i < t.triangles.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(s.corners[t.corner[i][k]], t.triangles[i][k]);
      EXPECT_GE(t.corner[i][k], s.face_begin[t.face[i]]);
      EXPECT_LT(t.corner[i][k], s.face_begin[t.face[i] + 1]);
    }
  }
}

// A concave polygon (a U of area 7) is cut without leaving itself: the triangles' areas sum to its own.
TEST(Triangulate, ConcavePolygonKeepsItsArea) {
  Surface s;
  s.positions = {Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(3, 3, 0), Vec3(2, 3, 0),
                 Vec3(2, 1, 0), Vec3(1, 1, 0), Vec3(1, 3, 0), Vec3(0, 3, 0)};
  s.add_face({0, 1, 2, 3, 4, 5, 6, 7});
  const Triangulation t = triangulate(s);
  EXPECT_EQ(t.triangles.size(), 6u);
  EXPECT_NEAR(area(s, t), 7.0, 1e-12);
}

// A concave quad is cut at its reflex corner although the other diagonal is shorter.
TEST(Triangulate, ConcaveQuadIsCutAtItsReflexCorner) {
  Surface s;
  s.positions = {Vec3(0, 0, 0), Vec3(1, -2, 0), Vec3(0.2, 0, 0), Vec3(1, 2, 0)};
  s.positions[0] = Vec3(-3, 0, 0);
  s.add_face({0, 1, 2, 3});
  const Triangulation t = triangulate(s);
  ASSERT_EQ(t.triangles.size(), 2u);
  EXPECT_NEAR(area(s, t), 0.5 * 4 * 3.2, 1e-12);
}

// A polygon whose corners all coincide still gives n-2 triangles and ends.
TEST(Triangulate, DegeneratePolygonEnds) {
  Surface s;
  s.positions.assign(6, Vec3(1, 1, 1));
  s.add_face({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(triangulate(s).triangles.size(), 4u);
}

// Normals of a cube's corners point along its diagonals; a vertex without faces has none.
TEST(VertexNormals, CubeCornersAndLooseVertices) {
  Surface s = test::cube();
  s.positions.push_back(Vec3(9, 9, 9));
  const auto normals = vertex_normals(s);
  EXPECT_NEAR((normals[7] - Vec3(1, 1, 1).normalized()).norm(), 0, 1e-12);
  EXPECT_NEAR((normals[0] + Vec3(1, 1, 1).normalized()).norm(), 0, 1e-12);
  EXPECT_EQ(normals[8], Vec3(0, 0, 0));
}

// Appending shifts the indices of the second surface.
TEST(Append, ShiftsIndices) {
  Surface s = test::cube();
  const Index first = append(s, test::tetrahedron());
  EXPECT_EQ(first, 8);
  EXPECT_EQ(s.vertex_count(), 12u);
  ASSERT_EQ(s.face_count(), 10u);
  EXPECT_EQ(s.face(6)[1], 10);
  EXPECT_EQ(s.face(9).size(), 3u);
}

}  // namespace
}  // namespace isochor
