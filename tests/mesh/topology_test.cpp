#include "isochor/mesh/topology.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/shapes.h"

namespace isochor {
namespace {

bool has(const Problems& problems, const std::string& code) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.code == code; });
}

// A cube is one closed, oriented manifold of twelve edges.
TEST(Topology, CubeIsClean) {
  const Topology t = analyse(test::cube());
  EXPECT_EQ(t.edges.size(), 12u);
  ASSERT_EQ(t.components.size(), 1u);
  const Component& c = t.components[0];
  EXPECT_TRUE(c.closed && c.manifold && c.oriented && c.orientable);
  EXPECT_TRUE(c.flips.empty() && c.boundary_loops.empty());
  EXPECT_EQ(c.faces.size(), 6u);
  EXPECT_TRUE(validate(test::cube()).empty());
}

// Two surfaces side by side are two components, ordered by their lowest vertex; loose vertices belong to none.
TEST(Topology, ComponentsAreSeparated) {
  Surface s = test::cube();
  s.positions.push_back(Vec3(5, 5, 5));
  append(s, test::tetrahedron());
  const Topology t = analyse(s);
  ASSERT_EQ(t.components.size(), 2u);
  EXPECT_EQ(t.components[0].vertices.size(), 8u);
  EXPECT_EQ(t.components[1].vertices.size(), 4u);
  EXPECT_EQ(t.isolated_vertices, std::vector<Index>{8});
  EXPECT_EQ(t.component_of_vertex[8], kNone);
  EXPECT_EQ(t.component_of_face[7], 1);
}

// The smaller side is flipped, and after flipping the surface is oriented.
TEST(Topology, FindsTheFacesToFlip) {
  Surface s = test::cube();
  const std::vector<Index> turned = {1, 4};
  test::flip_faces(s, turned);
  const Topology t = analyse(s);
  EXPECT_FALSE(t.components[0].oriented);
  EXPECT_TRUE(t.components[0].orientable);
  EXPECT_EQ(t.components[0].flips, turned);
  EXPECT_FALSE(t.flipped_edges.empty());
  test::flip_faces(s, t.components[0].flips);
  EXPECT_TRUE(analyse(s).components[0].oriented);
}

// A Möbius strip is refused: no flips make it consistent.
TEST(Topology, MoebiusStripCannotBeOriented) {
  const Topology t = analyse(test::moebius(12));
  ASSERT_EQ(t.components.size(), 1u);
  EXPECT_FALSE(t.components[0].orientable);
  EXPECT_TRUE(t.components[0].flips.empty());
  EXPECT_TRUE(has(validate(test::moebius(12)), "not-orientable"));
}

// An open tube has two boundary loops, each with the surface on its left.
TEST(Topology, TubeHasTwoLoopsWithTheSurfaceOnTheLeft) {
  const Surface s = test::tube(8, 3, 1.0, 2.0);
  const Topology t = analyse(s);
  ASSERT_EQ(t.components.size(), 1u);
  const auto& loops = t.components[0].boundary_loops;
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_FALSE(t.components[0].closed);
  for (const auto& loop : loops) {
    ASSERT_EQ(loop.size(), 8u);
    // A directed boundary edge is one that its only face runs through in that very direction.
    bool found = false;
    for (std::size_t f = 0; f < s.face_count(); ++f) {
      const auto face = s.face(f);
      for (std::size_t i = 0; i < 4; ++i) found |= face[i] == loop[0] && face[(i + 1) % 4] == loop[1];
    }
    EXPECT_TRUE(found);
  }
}

// Three faces on one edge: non-manifold, named, and still walked.
TEST(Topology, NonManifoldEdge) {
  Surface s;
  s.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1)};
  s.add_face({0, 1, 2});
  s.add_face({1, 0, 3});
  s.add_face({0, 1, 4});
  const Topology t = analyse(s);
  ASSERT_EQ(t.non_manifold_edges.size(), 1u);
  EXPECT_EQ(t.edges[t.non_manifold_edges[0]].a, 0);
  EXPECT_EQ(t.edges[t.non_manifold_edges[0]].b, 1);
  EXPECT_FALSE(t.components[0].manifold);
}

// Two tetrahedra that share one vertex: that vertex is not manifold, the edges are.
TEST(Topology, SharedPointIsANonManifoldVertex) {
  Surface s = test::tetrahedron();
  Surface other = test::tetrahedron();
  for (Vec3& p : other.positions) p = -p;
  append(s, other);
  for (Index& c : s.corners) {
    if (c == 4) c = 0;
  }
  const Topology t = analyse(s);
  EXPECT_EQ(t.non_manifold_vertices, std::vector<Index>{0});
  EXPECT_TRUE(t.non_manifold_edges.empty());
  EXPECT_EQ(t.components.size(), 1u);
}

// Repeated faces and faces without area are found.
TEST(Topology, DuplicateAndDegenerateFaces) {
  Surface s = test::cube();
  s.add_face({1, 0, 2, 3});
  s.add_face({0, 1, 1});
  s.positions.push_back(Vec3(0.5, 0, 0));
  s.add_face({0, 8, 1});
  const Topology t = analyse(s);
  EXPECT_EQ(t.duplicate_faces, std::vector<Index>{6});
  EXPECT_EQ(t.degenerate_faces, (std::vector<Index>{7, 8}));
}

// What cannot be walked is described instead: numbers that are none, vertices that are not there, faces of two corners.
TEST(Validate, BrokenSurfaces) {
  Surface nan = test::cube();
  nan.positions[3].y() = std::nan("");
  EXPECT_TRUE(has(validate(nan), "position-not-finite"));
  Surface range = test::cube();
  range.corners[5] = 99;
  EXPECT_TRUE(has(validate(range), "vertex-out-of-range"));
  Surface small = test::cube();
  small.add_face({0, 1});
  EXPECT_TRUE(has(validate(small), "face-too-small"));
}

// Nothing at all is no problem.
TEST(Validate, EmptySurface) { EXPECT_TRUE(validate(Surface{}).empty()); }

}  // namespace
}  // namespace isochor
