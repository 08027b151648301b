#include "isochor/mesh/refine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "isochor/mesh/topology.h"
#include "isochor/mesh/volume.h"
#include "support/shapes.h"

namespace isochor {
namespace {

std::vector<double> everywhere(const Surface& surface) { return std::vector<double>(surface.vertex_count(), 1.0); }

/// 1 where a vertex lies on one side of a plane.
std::vector<double> beyond(const Surface& surface, const Vec3& direction, double offset) {
  std::vector<double> values;
  for (const Vec3& p : surface.positions) values.push_back(p.dot(direction) > offset ? 1 : 0);
  return values;
}

Surface triangles_of(const Surface& surface) {
  Surface out;
  out.positions = surface.positions;
  for (const auto& t : triangulate(surface).triangles) out.add_face(t);
  return out;
}

/// A cube of quads, split evenly so often and drawn onto the unit sphere.
Surface ball(int rounds) {
  Surface s = test::cube();
  for (int i = 0; i < rounds; ++i) s = refine(s, {everywhere(s)}, {.sharp_angle = 0}).surface;
  for (Vec3& p : s.positions) p = (p - Vec3::Constant(0.5)).normalized();
  return s;
}

long euler(const Surface& surface, const Topology& topology) {
  return static_cast<long>(surface.vertex_count() - topology.isolated_vertices.size()) -
         static_cast<long>(topology.edges.size()) + static_cast<long>(surface.face_count());
}

/// Largest number of vertices that lie inside an edge of others, on a surface whose vertices are all on a plane or
/// straight edges: none for a conforming one. Found by the edges themselves: a T-junction is a boundary.
void expect_same_kind(const Surface& before, const Surface& after) {
  const Topology was = analyse(before), is = analyse(after);
  EXPECT_EQ(euler(after, is), euler(before, was));
  ASSERT_EQ(is.components.size(), was.components.size());
  for (std::size_t c = 0; c < is.components.size(); ++c) {
    EXPECT_EQ(is.components[c].closed, was.components[c].closed);
    EXPECT_EQ(is.components[c].manifold, was.components[c].manifold);
    EXPECT_EQ(is.components[c].oriented, was.components[c].oriented);
    EXPECT_EQ(is.components[c].boundary_loops.size(), was.components[c].boundary_loops.size());
  }
  EXPECT_TRUE(is.duplicate_faces.empty() && is.degenerate_faces.empty());
}

void expect_old_vertices(const Surface& before, const Surface& after) {
  ASSERT_GE(after.vertex_count(), before.vertex_count());
  for (std::size_t v = 0; v < before.vertex_count(); ++v) EXPECT_EQ(after.positions[v], before.positions[v]);
}

// With no wish above the threshold nothing changes.
TEST(Refine, LeavesAloneWhatNobodyAsksFor) {
  const Surface s = test::cube();
  const RefinedSurface fine = refine(s, {std::vector<double>(8, 0.5)}, {.threshold = 0.5});
  EXPECT_EQ(fine.surface.corners, s.corners);
  EXPECT_EQ(fine.surface.positions, s.positions);
  EXPECT_EQ(fine.new_count(), 0u);
  EXPECT_EQ(fine.split_faces, 0u);
  EXPECT_EQ(fine.max_distance, 0);
}

// Every quad becomes four quads, every triangle four triangles, a pentagon five quads.
TEST(Refine, SplitsEvenly) {
  const Surface quads = test::cube();
  const RefinedSurface a = refine(quads, {everywhere(quads)}, {.levels = 2});
  EXPECT_EQ(a.surface.face_count(), 96u);
  EXPECT_EQ(a.surface.corners.size(), 4 * 96u);
  EXPECT_EQ(a.split_faces, 6u);
  const Surface triangles = test::tetrahedron();
  const RefinedSurface b = refine(triangles, {everywhere(triangles)}, {.levels = 3});
  EXPECT_EQ(b.surface.face_count(), 4 * 64u);
  EXPECT_EQ(b.surface.corners.size(), 3 * 4 * 64u);
  Surface pentagon;
  for (int k = 0; k < 5; ++k) pentagon.positions.push_back({std::cos(1.2566 * k), std::sin(1.2566 * k), 0});
  pentagon.add_face({0, 1, 2, 3, 4});
  const RefinedSurface c = refine(pentagon, {everywhere(pentagon)}, {.sharp_angle = 10});
  EXPECT_EQ(c.surface.face_count(), 5u);
  EXPECT_EQ(c.surface.corners.size(), 20u);
  for (const Vec3& p : c.surface.positions) EXPECT_NEAR(p.z(), 0, 1e-15);
}

// In part, at any number of levels: closed, manifold, oriented, of the same genus, no T-junction, the old vertices
// where they were. An open end inside an edge would be a boundary.
TEST(Refine, KeepsTopologyInPart) {
  const Surface shapes[] = {
      test::cube(),           triangles_of(test::cube()),          test::tetrahedron(), ball(2), triangles_of(ball(2)),
      test::tube(7, 5, 1, 3), triangles_of(test::tube(7, 5, 1, 3))};
  for (const Surface& s : shapes) {
    for (int levels = 1; levels <= 4; ++levels) {
      for (const double offset : {0.9, 0.3, -0.2}) {
        const RefinedSurface fine =
            refine(s, {beyond(s, Vec3(0.6, 0.3, 0.7).normalized(), offset)}, {.levels = levels});
        expect_same_kind(s, fine.surface);
        expect_old_vertices(s, fine.surface);
        EXPECT_TRUE(std::is_sorted(fine.face_source.begin(), fine.face_source.end()));
      }
    }
  }
}

// Triangles stay triangles; quads inside the region stay quads.
TEST(Refine, KeepsTheKindOfFaces) {
  const Surface s = ball(3);
  const std::vector<double> wish = beyond(s, Vec3::UnitX(), 0.2);
  const RefinedSurface quads = refine(s, {wish}, {.levels = 2});
  std::size_t inside = 0;
  for (std::size_t f = 0; f < quads.surface.face_count(); ++f) {
    const auto old = s.face(quads.face_source[f]);
    if (!std::all_of(old.begin(), old.end(), [&](Index v) { return wish[v] > 0; })) continue;
    EXPECT_EQ(quads.surface.face(f).size(), 4u);
    ++inside;
  }
  EXPECT_GT(inside, 100u);
  const RefinedSurface triangles = refine(triangles_of(s), {wish}, {.levels = 2});
  EXPECT_EQ(triangles.surface.corners.size(), 3 * triangles.surface.face_count());
}

// Neighbouring faces differ by one level: on a plane, areas across an edge differ by a factor of 4 or, beside a cut
// face, a little more, whatever the number of levels.
TEST(Refine, GrowsFinerStepByStep) {
  Surface grid;
  constexpr int n = 12;
  for (int y = 0; y <= n; ++y) {
    for (int x = 0; x <= n; ++x) grid.positions.push_back(Vec3(x, y, 0));
  }
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const Index v = y * (n + 1) + x;
      grid.add_face({v, v + 1, v + n + 2, v + n + 1});
    }
  }
  std::vector<double> wish(grid.vertex_count(), 0.0);
  wish[6 * (n + 1) + 6] = 1;
  const RefinedSurface fine = refine(grid, {wish}, {.levels = 4});
  std::map<std::pair<Index, Index>, double> area;
  double worst = 1;
  for (std::size_t f = 0; f < fine.surface.face_count(); ++f) {
    const auto face = fine.surface.face(f);
    const double mine = area_vector(fine.surface.positions, face).norm();
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Index a = face[k], b = face[(k + 1) % face.size()];
      const std::pair<Index, Index> edge(std::min(a, b), std::max(a, b));
      const auto [other, first] = area.try_emplace(edge, mine);
      if (!first) worst = std::max({worst, mine / other->second, other->second / mine});
    }
  }
  EXPECT_LE(worst, 4.001);
  for (const Vec3& p : fine.surface.positions) EXPECT_EQ(p.z(), 0);
}

// New vertices of a sphere lie near it: the error of the smooth rule falls with the fourth power of the edges, that of
// midpoints with the second.
TEST(Refine, FollowsASphere) {
  double last = 0;
  for (int rounds = 2; rounds <= 4; ++rounds) {
    const Surface s = ball(rounds);
    const RefinedSurface fine = refine(s, {everywhere(s)}, {});
    double worst = 0, flat = 0;
    for (std::size_t n = 0; n < fine.new_count(); ++n) {
      worst = std::max(worst, std::abs(fine.surface.positions[s.vertex_count() + n].norm() - 1));
      Vec3 mean = Vec3::Zero();
      for (const Index p : fine.parents_of(n)) {
        mean += fine.surface.positions[p] / static_cast<double>(fine.parents_of(n).size());
      }
      flat = std::max(flat, 1 - mean.norm());
    }
    EXPECT_LT(worst, 0.2 * flat) << rounds;
    EXPECT_LE(fine.max_distance, 1.2 * flat);
    EXPECT_GE(fine.max_distance, 0.5 * flat);
    if (rounds > 2) {
      EXPECT_LT(worst, last / 6) << rounds;
    }
    last = worst;
  }
}

// A box stays a box: its sharp edges stay straight, its sides flat.
TEST(Refine, KeepsSharpEdges) {
  const Surface s = test::cube();
  const RefinedSurface fine = refine(s, {everywhere(s)}, {.levels = 3});
  for (const Vec3& p : fine.surface.positions) {
    const double out = std::min({p.minCoeff(), 1 - p.maxCoeff()});
    EXPECT_EQ(out, 0);
  }
  EXPECT_LT(fine.max_distance, 1e-15);
  const Topology t = analyse(fine.surface);
  EXPECT_NEAR(signed_volume(fine.surface, t.components[0]), 1, 1e-14);
}

// The rims of an open tube stay in their planes and become rounder; they do not move inward or outward.
TEST(Refine, KeepsBoundaries) {
  const Surface s = test::tube(12, 4, 1, 2);
  const RefinedSurface fine = refine(s, {everywhere(s)}, {.levels = 3});
  const Topology t = analyse(fine.surface);
  ASSERT_EQ(t.components[0].boundary_loops.size(), 2u);
  for (const auto& loop : t.components[0].boundary_loops) {
    EXPECT_EQ(loop.size(), 96u);
    for (const Index v : loop) {
      const Vec3& p = fine.surface.positions[v];
      EXPECT_TRUE(std::abs(p.z()) < 1e-12 || std::abs(p.z() - 2) < 1e-12);
      EXPECT_NEAR(std::hypot(p.x(), p.y()), 1, 2e-3);
    }
  }
  for (const Vec3& p : fine.surface.positions) EXPECT_NEAR(std::hypot(p.x(), p.y()), 1, 2e-3);
}

// Linear values are carried exactly by parents and by smooth terms; smooth ones better by the terms.
TEST(Refine, CarriesValues) {
  const Surface s = test::tube(48, 13, 1, 2);
  const RefinedSurface fine = refine(s, {everywhere(s)}, {});
  const auto wave = [](const Vec3& p) { return std::sin(1.5 * p.z()); };
  double by_parents = 0, by_terms = 0;
  for (std::size_t n = 0; n < fine.new_count(); ++n) {
    const Vec3& p = fine.surface.positions[s.vertex_count() + n];
    if (p.z() < 0.3 || p.z() > 1.7) continue;  // slopes at a rim are one-sided
    double mean = 0, smooth = 0, height = 0, sum = 0;
    const auto value = [&](Index v) { return fine.surface.positions[v]; };
    for (const Index v : fine.parents_of(n)) {
      mean += wave(value(v)) / static_cast<double>(fine.parents_of(n).size());
    }
    for (const RefinedSurface::Term& term : fine.terms_of(n)) {
      smooth += term.share * wave(value(term.vertex));
      height += term.share * value(term.vertex).z();
      sum += term.share;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(height, p.z(), 1e-12);
    by_parents = std::max(by_parents, std::abs(mean - wave(p)));
    by_terms = std::max(by_terms, std::abs(smooth - wave(p)));
  }
  EXPECT_LT(by_terms, 0.1 * by_parents);
}

// Parents and terms of a vertex come before it.
TEST(Refine, ParentsComeFirst) {
  const Surface s = ball(2);
  const RefinedSurface fine = refine(s, {beyond(s, Vec3::UnitZ(), 0)}, {.levels = 3});
  ASSERT_EQ(fine.term_begin.size(), fine.parent_begin.size());
  ASSERT_EQ(fine.surface.vertex_count(), s.vertex_count() + fine.new_count());
  for (std::size_t n = 0; n < fine.new_count(); ++n) {
    const auto self = static_cast<Index>(s.vertex_count() + n);
    for (const Index p : fine.parents_of(n)) EXPECT_LT(p, self);
    for (const RefinedSurface::Term& term : fine.terms_of(n)) EXPECT_LT(term.vertex, self);
  }
}

// Faces without area and their neighbours stay whole; the rest of the surface is refined around them.
TEST(Refine, LeavesFacesWithoutArea) {
  // An edge with a vertex on its middle: a sliver closes the gap.
  Surface s = test::tube(16, 9, 1, 4);
  s = triangles_of(s);
  const auto face = s.face(100);
  const Index a = face[0], b = face[1];
  const auto m = static_cast<Index>(s.vertex_count());
  s.positions.push_back(0.5 * (s.positions[a] + s.positions[b]));
  Surface mended;
  mended.positions = s.positions;
  for (std::size_t f = 0; f < s.face_count(); ++f) {
    if (f != 100) {
      mended.add_face(s.face(f));
      continue;
    }
    mended.add_face({a, m, face[2]});
    mended.add_face({m, b, face[2]});
    mended.add_face({a, b, m});
  }
  const RefinedSurface fine = refine(mended, {everywhere(mended)}, {.levels = 2});
  const Topology was = analyse(mended), is = analyse(fine.surface);
  EXPECT_EQ(euler(fine.surface, is), euler(mended, was));
  EXPECT_EQ(is.degenerate_faces.size(), was.degenerate_faces.size());
  EXPECT_EQ(is.components[0].boundary_loops.size(), 2u);
  EXPECT_GT(fine.surface.face_count(), 12 * mended.face_count());
}

// The value that asks may fade with each level: a smooth shape needs finer faces only where it is bent most.
TEST(Refine, WishesFade) {
  const Surface s = ball(3);
  std::vector<double> wish(s.vertex_count(), 0.9);
  const RefinedSurface once = refine(s, {wish}, {.threshold = 0.5, .levels = 1});
  const RefinedSurface faded = refine(s, {wish, 0.5}, {.threshold = 0.5, .levels = 3});
  EXPECT_EQ(once.surface.corners, faded.surface.corners);
}

// Numbers out of range and surfaces that would grow too large are refused with a sentence.
TEST(Refine, RefusesInASentence) {
  const Surface s = ball(3);
  EXPECT_THROW(refine(s, {everywhere(s)}, {.threshold = 1.5}), Error);
  EXPECT_THROW(refine(s, {everywhere(s)}, {.threshold = std::nan("")}), Error);
  EXPECT_THROW(refine(s, {everywhere(s)}, {.levels = 0}), Error);
  EXPECT_THROW(refine(s, {everywhere(s)}, {.levels = 6}), Error);
  EXPECT_THROW(refine(s, {std::vector<double>(3, 1.0)}, {}), Error);
  try {
    refine(s, {everywhere(s)}, {.levels = 3, .max_vertices = 5000});
    FAIL() << "more vertices than allowed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 5000 vertices"), std::string::npos) << error.what();
  }
}

// Non-manifold edges and vertices, flipped faces and duplicates are split like all others.
TEST(Refine, TakesBrokenSurfaces) {
  Surface s = test::cube();
  const auto first = static_cast<Index>(s.vertex_count());
  s.positions.insert(s.positions.end(), {Vec3(2, 1, 1), Vec3(2, 1, 0)});
  s.add_face({3, 7, first, first + 1});  // a fin on an edge of the cube
  test::flip_faces(s, std::vector<Index>{2});
  const RefinedSurface fine = refine(s, {everywhere(s)}, {.levels = 2});
  EXPECT_EQ(fine.surface.face_count(), 7 * 16u);
  const Topology was = analyse(s), is = analyse(fine.surface);
  EXPECT_EQ(is.non_manifold_edges.size(), 4 * was.non_manifold_edges.size());
  EXPECT_EQ(is.flipped_edges.size(), 4 * was.flipped_edges.size());
  EXPECT_EQ(is.boundary_edges.size(), 4 * was.boundary_edges.size());
}

}  // namespace
}  // namespace isochor
