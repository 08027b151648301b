#include "isochor/mesh/weld.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/mesh/topology.h"
#include "support/shapes.h"

namespace isochor {
namespace {

/// Every face with vertices of its own, as files with hard edges have them.
Surface explode(const Surface& s) {
  Surface out;
  for (std::size_t f = 0; f < s.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : s.face(f)) {
      face.push_back(static_cast<Index>(out.positions.size()));
      out.positions.push_back(s.positions[v]);
    }
    out.add_face(face);
  }
  return out;
}

// A cube of 24 split vertices becomes the closed cube of 8 again.
TEST(Weld, JoinsEqualPositions) {
  const Weld w = weld(explode(test::cube()), {.tolerance = 0});
  EXPECT_EQ(w.surface.vertex_count(), 8u);
  EXPECT_EQ(w.surface.face_count(), 6u);
  EXPECT_TRUE(analyse(w.surface).boundary_edges.empty());
  for (std::size_t v = 0; v < w.vertex.size(); ++v) ASSERT_LE(w.first_source[w.vertex[v]], static_cast<Index>(v));
}

// Zero and minus zero are one place.
TEST(Weld, MinusZeroIsZero) {
  Surface s;
  s.positions = {Vec3(0, 0, 0), Vec3(-0.0, 0, -0.0), Vec3(1, 0, 0)};
  EXPECT_EQ(weld(s, {.tolerance = 0}).surface.vertex_count(), 2u);
}

// Positions that differ by rounding are joined within the tolerance, relative to the box, and not beyond it.
TEST(Weld, ToleranceIsRelativeToTheBox) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    Surface s = explode(test::cube());
    for (std::size_t v = 0; v < s.positions.size(); ++v) {
      s.positions[v] *= scale;
      s.positions[v].x() += 1e-8 * scale * static_cast<double>(v % 3);
    }
    EXPECT_EQ(weld(s, {.tolerance = 1e-7}).surface.vertex_count(), 8u) << scale;
    EXPECT_GT(weld(s, {.tolerance = 0}).surface.vertex_count(), 8u) << scale;
  }
}

// Joining within the tolerance does not run along a chain of near vertices.
TEST(Weld, DoesNotChain) {
  Surface s;
  for (int i = 0; i <= 1000; ++i) s.positions.push_back(Vec3(i * 0.001, 0, 0));
  const Weld w = weld(s, {.tolerance = 0.0015});
  EXPECT_EQ(w.surface.vertex_count(), 501u);
}

// Faces that lose their third corner are dropped and named; quads with one short edge become triangles.
TEST(Weld, CollapsedFacesAreDropped) {
  Surface s;
  s.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 0, 0)};
  s.add_face({0, 4, 1});
  s.add_face({0, 4, 1, 2});
  const Weld w = weld(s);
  EXPECT_EQ(w.dropped_faces, std::vector<Index>{0});
  ASSERT_EQ(w.surface.face_count(), 1u);
  EXPECT_EQ(w.surface.face(0).size(), 3u);
  EXPECT_EQ(w.face_source, std::vector<Index>{1});
}

// All vertices in one point, and no vertex at all, weld without harm.
TEST(Weld, Degenerate) {
  Surface s;
  EXPECT_EQ(weld(s).surface.vertex_count(), 0u);
  s.positions.assign(5, Vec3(3, 3, 3));
  EXPECT_EQ(weld(s).surface.vertex_count(), 1u);
}

// Positions that cannot be computed with are refused.
TEST(Weld, RefusesPositionsWithoutMeasure) {
  for (const double x : {1e31, -1e300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (int axis = 0; axis < 3; ++axis) {
      Surface surface;
      surface.positions.assign(3, Vec3::Zero());
      surface.positions[1][axis] = x;
      EXPECT_THROW(weld(surface), Error) << x;
      EXPECT_THROW(weld(surface, {.tolerance = 0}), Error) << x;
    }
  }
}

}  // namespace
}  // namespace isochor
