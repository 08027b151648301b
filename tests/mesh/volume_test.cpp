#include "isochor/mesh/volume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/shapes.h"

namespace isochor {
namespace {

double volume(const Surface& s) { return signed_volume(s, analyse(s).components.at(0)); }

// Known solids: the unit cube and the corner tetrahedron.
TEST(SignedVolume, KnownSolids) {
  EXPECT_NEAR(volume(test::cube()), 1.0, 1e-15);
  EXPECT_NEAR(volume(test::tetrahedron()), 1.0 / 6, 1e-15);
}

// Far away from the origin the volume keeps its digits.
TEST(SignedVolume, FarFromTheOrigin) {
  Surface s = test::cube();
  for (Vec3& p : s.positions) p += Vec3(1e6, -1e6, 1e6);
  EXPECT_NEAR(volume(s), 1.0, 1e-9);
}

// An open tube is closed by caps: the prism over its polygon.
TEST(SignedVolume, OpenTubeIsCapped) {
  const int n = 12;
  const double base = 0.5 * n * std::sin(2 * std::numbers::pi / n);
  EXPECT_NEAR(volume(test::tube(n, 5, 1.0, 3.0)), 3 * base, 1e-12);
}

// Flipped faces are measured as if they were turned back; an inside-out surface has a negative volume.
TEST(SignedVolume, OrientationIsMadeConsistent) {
  Surface s = test::cube();
  test::flip_faces(s, std::vector<Index>{2});
  EXPECT_NEAR(volume(s), 1.0, 1e-15);
  Surface inward = test::cube();
  test::flip_faces(inward, std::vector<Index>{0, 1, 2, 3, 4, 5});
  EXPECT_NEAR(volume(inward), -1.0, 1e-15);
}

/// Rohmer 2009, eq. 2, as printed: corners (0,0), (1,0), (0,1), (1,1).
double paper_quad(const Vec3& p0, const Vec3& p1, const Vec3& p2, const Vec3& p3) {
  Eigen::Matrix4d m;
  m << 4, 2, 2, 1, 2, 4, 1, 2, 2, 1, 4, 2, 1, 2, 2, 4;
  m /= 36;
  const auto cross = [](const Vec3& a, const Vec3& b) { return a.x() * b.y() - a.y() * b.x(); };
  const Eigen::Vector4d k(cross(p1 - p0, p2 - p0), cross(p1 - p0, p3 - p1), cross(p3 - p2, p2 - p0),
                          cross(p3 - p2, p3 - p1));
  return Eigen::Vector4d(p0.z(), p1.z(), p2.z(), p3.z()).dot(m * k);
}

// A solid of non-planar quads encloses what the paper's matrix form says, corner order (a, b, d, c).
TEST(SignedVolume, QuadsFollowTheBilinearPatch) {
  Surface s = test::cube();
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    const auto x = static_cast<double>(v);
    s.positions[v] += 0.2 * Vec3(std::sin(3 * x), std::cos(5 * x), std::sin(7 * x + 1));
  }
  double expected = 0;
  for (std::size_t f = 0; f < s.face_count(); ++f) {
    const auto q = s.face(f);
    expected += paper_quad(s.positions[q[0]], s.positions[q[1]], s.positions[q[3]], s.positions[q[2]]);
  }
  EXPECT_NEAR(volume(s), expected, 1e-13);
}

// Cutting a planar pentagon prism's caps does not change its volume: n-gons are fans about their mean.
TEST(SignedVolume, PolygonsAsFans) {
  Surface s = test::tube(5, 2, 1.0, 1.0);
  s.add_face({4, 3, 2, 1, 0});
  s.add_face({5, 6, 7, 8, 9});
  const Topology t = analyse(s);
  ASSERT_TRUE(t.components[0].closed && t.components[0].oriented);
  EXPECT_NEAR(signed_volume(s, t.components[0]), 2.5 * std::sin(2 * std::numbers::pi / 5), 1e-13);
}

/// Triangles, quads, a pentagon and a hole: one of everything, bent out of shape.
struct Mixed {
  Surface surface = test::tube(5, 4, 1.0, 2.0);
  std::vector<Vec3> direction;

  Mixed() {
    surface.add_face({4, 3, 2, 1, 0});
    const std::vector<Index> quad(surface.face(7).begin(), surface.face(7).end());
    Surface cut;
    cut.positions = surface.positions;
    for (std::size_t f = 0; f < surface.face_count(); ++f) {
      if (f != 7) cut.add_face(surface.face(f));
    }
    cut.add_face({quad[0], quad[1], quad[2]});
    cut.add_face({quad[0], quad[2], quad[3]});
    surface = cut;
    for (std::size_t v = 0; v < surface.positions.size(); ++v) {
      const auto x = static_cast<double>(v);
      surface.positions[v] += 0.1 * Vec3(std::sin(3 * x), std::cos(5 * x), std::sin(7 * x + 1));
      direction.push_back(0.3 * Vec3(std::cos(2 * x), std::sin(x + 2), std::cos(4 * x)));
    }
  }
};

// The functional is the signed volume; its gradient is what finite differences say; it does not see translations.
TEST(VolumeFunctional, VolumeAndGradient) {
  const Mixed mixed;
  const Topology topology = analyse(mixed.surface);
  const VolumeFunctional functional(mixed.surface, topology.components.at(0));
  EXPECT_EQ(functional.cap_count(), 1u);
  std::vector<Vec3> p = mixed.surface.positions;
  EXPECT_NEAR(functional.volume(p), signed_volume(mixed.surface, topology.components[0]), 1e-14);
  std::vector<Vec3> gradient(p.size(), Vec3::Zero());
  functional.gradient(p, gradient);
  for (std::size_t v = 0; v < p.size(); ++v) {
    for (int a = 0; a < 3; ++a) {
      const double h = 1e-4, x = p[v][a];
      p[v][a] = x + h;
      const double above = functional.volume(p);
      p[v][a] = x - h;
      const double below = functional.volume(p);
      p[v][a] = x;
      EXPECT_NEAR(gradient[v][a], (above - below) / (2 * h), 1e-10);
    }
  }
  const double still = functional.volume(p);
  for (Vec3& q : p) q += Vec3(1e3, -2e3, 5e2);
  EXPECT_NEAR(functional.volume(p), still, 1e-11);
}

// Along any direction the volume is the cubic that along() gives, also from the rings around the support alone.
TEST(VolumeFunctional, CubicAlongADirection) {
  Mixed mixed;
  const Topology topology = analyse(mixed.surface);
  const VolumeFunctional functional(mixed.surface, topology.components.at(0));
  const std::vector<Index> support{6, 7, 8, 12};
  for (std::size_t v = 0; v < mixed.direction.size(); ++v) {
    if (std::find(support.begin(), support.end(), static_cast<Index>(v)) == support.end()) mixed.direction[v].setZero();
  }
  const VolumeFunctional around = functional.around(support);
  EXPECT_LT(around.ring_count(), functional.ring_count());
  const std::vector<Vec3>& p = mixed.surface.positions;
  const VolumeCubic cubic = functional.along(p, mixed.direction), local = around.along(p, mixed.direction);
  EXPECT_NEAR(cubic.c1, local.c1, 1e-13);
  EXPECT_NEAR(cubic.c2, local.c2, 1e-13);
  EXPECT_NEAR(cubic.c3, local.c3, 1e-13);
  // Nor do more rings of the whole need to be looked at than those: the gradient on the support is the same.
  std::vector<Index> near;
  for (const Index r : functional.all_rings()) {
    const auto ring = functional.ring(r);
    if (std::any_of(ring.begin(), ring.end(),
                    [&](Index v) { return std::find(support.begin(), support.end(), v) != support.end(); })) {
      near.push_back(r);
    }
  }
  EXPECT_EQ(near.size(), around.ring_count());
  const RingView view{p[0], near};
  EXPECT_NEAR(functional.along(p, mixed.direction, view, {}).c1, cubic.c1, 1e-13);
  std::vector<Vec3> some(p.size()), all(p.size());
  functional.gradient(p, view, some, {});
  functional.gradient(p, all);
  for (const Index v : support) EXPECT_LT((some[v] - all[v]).norm(), 1e-13);
  for (const double t : {-1.5, -0.2, 0.4, 1.0, 3.0}) {
    std::vector<Vec3> q = p;
    for (std::size_t v = 0; v < q.size(); ++v) q[v] += t * mixed.direction[v];
    EXPECT_NEAR(functional.volume(q) - functional.volume(p), cubic(t), 1e-12);
  }
}

// A region is closed by a cap over each of its boundary loops; rings seen from anywhere add up to its volume.
TEST(VolumeFunctional, Regions) {
  const int n = 12;
  Surface s = test::tube(n, 7, 1.0, 6.0);
  const Topology topology = analyse(s);
  std::vector<Index> faces;
  for (Index f = 2 * n; f < 4 * n; ++f) faces.push_back(f);
  const VolumeFunctional region(s, topology.components.at(0), faces);
  EXPECT_EQ(region.cap_count(), 2u);
  EXPECT_EQ(region.vertices().size(), 3u * n);
  const double expected = 2 * 0.5 * n * std::sin(2 * std::numbers::pi / n);
  EXPECT_NEAR(region.volume(s.positions), expected, 1e-13);
  std::vector<double> rings(region.ring_count());
  region.ring_volumes(s.positions, {Vec3(3, -4, 5), region.all_rings()}, rings);
  double sum = 0;
  for (const double r : rings) sum += r;
  EXPECT_NEAR(sum, expected, 1e-12);
  // Flipped faces are turned back, and inward regions have a negative volume.
  test::flip_faces(s, faces);
  const Topology flipped = analyse(s);
  EXPECT_NEAR(std::abs(VolumeFunctional(s, flipped.components.at(0), faces).volume(s.positions)), expected, 1e-13);
}

// The passes that measure rings give their area vectors too.
TEST(VolumeFunctional, AreaVectorsOfRings) {
  const Surface s = test::tube(12, 7, 1.0, 6.0);
  const VolumeFunctional whole(s, analyse(s).components.at(0));
  const RingView view{Vec3(3, -4, 5), whole.all_rings()};
  std::vector<double> volumes(whole.ring_count());
  std::vector<Vec3> gradient(s.vertex_count()), some(whole.ring_count()), others(whole.ring_count());
  whole.ring_volumes(s.positions, view, volumes, some);
  whole.gradient(s.positions, view, gradient, volumes, others);
  for (std::size_t r = 0; r < whole.ring_count(); ++r) {
    const Vec3 area = area_vector(s.positions, whole.ring(r));
    EXPECT_LT((some[r] - area).norm(), 1e-14) << r;
    EXPECT_EQ(some[r], others[r]) << r;
  }
}

// A vertex's share of area: on the unit cube each corner has a quarter of three squares.
TEST(VolumeFunctional, Areas) {
  const Surface s = test::cube();
  const Topology topology = analyse(s);
  std::vector<double> areas(8);
  VolumeFunctional(s, topology.components.at(0)).areas(s.positions, areas);
  for (const double a : areas) EXPECT_NEAR(a, 0.75, 1e-15);  // three faces, a quarter of each
}

// Three faces in one edge: the one without a partner is capped too, so that the volume does not see translations.
TEST(VolumeFunctional, NonManifoldEdgesAreClosed) {
  Surface s = test::cube();
  s.positions.push_back(Vec3(0.5, -1, 2));
  s.add_face({0, 1, 8});
  const Topology topology = analyse(s);
  const VolumeFunctional functional(s, topology.components.at(0));
  std::vector<Vec3> p = s.positions;
  const double still = functional.volume(p);
  EXPECT_NEAR(still, signed_volume(s, topology.components[0]), 1e-14);
  for (Vec3& q : p) q += Vec3(10, 20, -30);
  EXPECT_NEAR(functional.volume(p), still, 1e-12);
  EXPECT_NEAR(signed_volume(s, topology.components[0], p), still, 1e-12);
}

}  // namespace
}  // namespace isochor
