#include "isochor/sample/polygonize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sample/checks.h"

namespace isochor {
namespace {

const ImplicitShape kBall{.blobs = {{Ellipsoid{{0, 0.3, -0.2}, {0.7, 0.7, 0.7}}}}};

// A ball comes out closed, made of quads, with its volume and about the number of vertices asked for.
TEST(Polygonize, Ball) {
  Context context;
  const QuadMesh mesh = polygonize(kBall, {.vertices = 4000}, context);
  test::expect_one_closed_surface(mesh.surface);
  test::expect_quads(mesh.surface);
  EXPECT_NEAR(mesh.surface.vertex_count(), 4000, 80);
  const Topology topology = analyse(mesh.surface);
  const double volume = signed_volume(mesh.surface, topology.components.front());
  EXPECT_NEAR(volume / (4.0 / 3 * 3.14159265358979 * 0.343), 1, 3e-3);
}

// Vertices lie on the surface.
TEST(Polygonize, VerticesLieOnTheSurface) {
  Context context;
  const QuadMesh mesh = polygonize(kBall, {.vertices = 1000}, context);
  for (const Vec3& p : mesh.surface.positions) ASSERT_NEAR(distance(kBall, p), 0, 1e-6);
}

// Sliding makes the quads more even: the ratio of the longest to the shortest edge falls.
TEST(Polygonize, RelaxationEvensOutTheQuads) {
  Context context;
  const auto worst_ratio = [&](int rounds) {
    const QuadMesh mesh = polygonize(kBall, {.vertices = 1500, .relaxation = rounds}, context);
    double shortest = 1e9;
    double longest = 0;
    for (std::size_t f = 0; f < mesh.surface.face_count(); ++f) {
      const auto face = mesh.surface.face(f);
      for (std::size_t c = 0; c < 4; ++c) {
        const double l = (mesh.surface.positions[face[c]] - mesh.surface.positions[face[(c + 1) % 4]]).norm();
        shortest = std::min(shortest, l);
        longest = std::max(longest, l);
      }
    }
    return longest / shortest;
  };
  EXPECT_LT(worst_ratio(30), 0.8 * worst_ratio(0));
}

// Solids that touch in the grid's blind spots (corner to corner, edge to edge) still give manifolds.
TEST(Polygonize, AmbiguousSamplesGiveAManifold) {
  Context context;
  for (int n = 0; n < 12; ++n) {
    ImplicitShape shape;
    for (int i = 0; i < 14; ++i) {
      const double a = 1.7 * i + 0.31 * n;
      shape.blobs.push_back({RoundCone{
          {std::cos(a), 0.13 * i, std::sin(2.3 * a)}, {std::cos(a + 1), 0.1 * i, std::sin(a)}, 0.07 + 0.01 * n, 0.09}});
    }
    const QuadMesh mesh = polygonize(shape, {.vertices = 900 + 70 * n, .relaxation = 0}, context);
    const Topology topology = analyse(mesh.surface);
    EXPECT_TRUE(topology.boundary_edges.empty());
    EXPECT_TRUE(topology.non_manifold_edges.empty());
    EXPECT_TRUE(topology.non_manifold_vertices.empty());
    EXPECT_TRUE(topology.flipped_edges.empty());
    EXPECT_TRUE(mesh.mirror.empty());
  }
}

// A symmetric shape gives a surface that is symmetric bit for bit, with a line of vertices on the plane.
TEST(Polygonize, SymmetricShapesStaySymmetric) {
  Context context;
  const ImplicitShape shape{.blobs = {{RoundCone{{0, 0, 0}, {0, 1, 0.2}, 0.4, 0.3}},
                                      {RoundCone{{0.2, 0.1, 0}, {0.5, -0.8, 0.1}, 0.2, 0.1}, 0.1, true}}};
  const QuadMesh mesh = polygonize(shape, {.vertices = 1500}, context);
  ASSERT_EQ(mesh.mirror.size(), mesh.surface.vertex_count());
  int on_plane = 0;
  for (std::size_t v = 0; v < mesh.mirror.size(); ++v) {
    const Vec3& p = mesh.surface.positions[v];
    const Vec3& m = mesh.surface.positions[mesh.mirror[v]];
    ASSERT_EQ(mesh.mirror[mesh.mirror[v]], static_cast<Index>(v));
    ASSERT_EQ(p, Vec3(-m.x(), m.y(), m.z()));
    on_plane += mesh.mirror[v] == static_cast<Index>(v) ? 1 : 0;
  }
  EXPECT_GT(on_plane, 20);
}

// The floor cuts flat soles.
TEST(Polygonize, FloorIsFlat) {
  Context context;
  ImplicitShape shape = kBall;
  shape.floor = 0;
  const QuadMesh mesh = polygonize(shape, {.vertices = 2000}, context);
  test::expect_one_closed_surface(mesh.surface);
  double lowest = 1;
  for (const Vec3& p : mesh.surface.positions) lowest = std::min(lowest, p.y());
  EXPECT_NEAR(lowest, 0, 0.01);
}

// An empty shape, a count out of range and a cancelled context are refused.
TEST(Polygonize, RefusesWhatItCannotDo) {
  Context context;
  EXPECT_THROW(polygonize({}, {}, context), Error);
  EXPECT_THROW(polygonize(kBall, {.vertices = 3}, context), Error);
  context.set_stop([] { return true; });
  EXPECT_THROW(polygonize(kBall, {}, context), Error);
}

}  // namespace
}  // namespace isochor
