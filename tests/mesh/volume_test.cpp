#include "isochor/mesh/volume.h"

#include <gtest/gtest.h>

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
  flip_faces(s, std::vector<Index>{2});
  EXPECT_NEAR(volume(s), 1.0, 1e-15);
  Surface inward = test::cube();
  flip_faces(inward, std::vector<Index>{0, 1, 2, 3, 4, 5});
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

}  // namespace
}  // namespace isochor
