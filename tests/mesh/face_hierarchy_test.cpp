#include "isochor/mesh/face_hierarchy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "mesh/brute_force_crossings.h"

namespace isochor {
namespace {

/// A ball of quads, with triangles at its poles, moved by `shift`.
void add_ball(Surface& surface, const Vec3& shift, double radius) {
  constexpr Index kAround = 16, kRings = 11;
  const auto first = static_cast<Index>(surface.vertex_count());
  surface.positions.emplace_back(shift + Vec3(0, 0, radius));
  for (Index r = 0; r < kRings; ++r) {
    const double polar = std::numbers::pi * (r + 1) / (kRings + 1);
    for (Index k = 0; k < kAround; ++k) {
      const double around = 2 * std::numbers::pi * k / kAround;
      surface.positions.emplace_back(shift + radius * Vec3(std::sin(polar) * std::cos(around),
                                                           std::sin(polar) * std::sin(around), std::cos(polar)));
    }
  }
  surface.positions.emplace_back(shift - Vec3(0, 0, radius));
  const auto at = [&](Index r, Index k) { return first + 1 + r * kAround + k % kAround; };
  for (Index k = 0; k < kAround; ++k) {
    surface.add_face({first, at(0, k), at(0, k + 1)});
    for (Index r = 0; r + 1 < kRings; ++r) surface.add_face({at(r, k), at(r + 1, k), at(r + 1, k + 1), at(r, k + 1)});
    surface.add_face({at(kRings - 1, k), first + 1 + kRings * kAround, at(kRings - 1, k + 1)});
  }
}

Surface two_balls() {
  Surface surface;
  add_ball(surface, Vec3::Zero(), 1);
  add_ball(surface, Vec3(2.5, 0.1, 0.2), 0.9);
  return surface;
}

// Refitted to many shapes, from hardly moved to crumpled, it finds the pairs that all-pairs finds, and no others.
TEST(FaceHierarchy, AgreesWithBruteForce) {
  const Surface surface = two_balls();
  FaceHierarchy faces(surface);
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  std::size_t found = 0;
  for (const double crumpled : {0.0, 0.01, 0.05, 0.2, 1.0}) {
    for (const double nearer : {0.0, 0.55, 0.65, 1.2, 2.5}) {
      std::vector<Vec3> positions = surface.positions;
      for (std::size_t v = 0; v < positions.size(); ++v) {
        if (v >= positions.size() / 2) positions[v].x() -= nearer;
        positions[v] += crumpled * Vec3(noise(random), noise(random), noise(random));
      }
      faces.refit(positions);
      const auto pairs = faces.crossings(positions);
      EXPECT_EQ(pairs, test::crossings_by_brute_force(surface, positions)) << crumpled << " " << nearer;
      found += pairs.size();
      if (crumpled == 0) {
        EXPECT_EQ(pairs.empty(), nearer < 0.6) << nearer;
      }
    }
  }
  EXPECT_GT(found, 1000u);
}

// Exactly mirrored skin that passes through its mirror image is found, although edges meet edges there.
TEST(FaceHierarchy, FindsMirroredSkin) {
  Surface surface;
  add_ball(surface, Vec3(0.97, 0, 0), 1);
  add_ball(surface, Vec3(-0.97, 0, 0), 1);
  for (std::size_t v = surface.vertex_count() / 2; v < surface.vertex_count(); ++v) {
    surface.positions[v] = surface.positions[v - surface.vertex_count() / 2].cwiseProduct(Vec3(-1, 1, 1));
  }
  const FaceHierarchy faces(surface);
  const auto pairs = faces.crossings(surface.positions);
  EXPECT_FALSE(pairs.empty());
  EXPECT_EQ(pairs, test::crossings_by_brute_force(surface, surface.positions));
}

// Fitted to two shapes, it lists every pair that crosses in a shape between them.
TEST(FaceHierarchy, HoldsAllThatLiesBetweenTwoShapes) {
  const Surface surface = two_balls();
  std::vector<Vec3> to = surface.positions;
  for (std::size_t v = to.size() / 2; v < to.size(); ++v) to[v].x() -= 5;
  FaceHierarchy faces(surface);
  faces.refit(surface.positions, to);
  std::vector<TrianglePair> near;
  faces.near_pairs(near);
  std::vector<FacePair> listed;
  for (const auto& [s, t] : near) {
    listed.push_back({std::min(faces.face_of(s), faces.face_of(t)), std::max(faces.face_of(s), faces.face_of(t))});
  }
  std::sort(listed.begin(), listed.end());
  for (const double s : {0.2, 0.5, 0.8}) {
    std::vector<Vec3> between = surface.positions;
    for (std::size_t v = 0; v < to.size(); ++v) between[v] += s * (to[v] - between[v]);
    const auto crossings = test::crossings_by_brute_force(surface, between);
    EXPECT_FALSE(crossings.empty());
    for (const FacePair& pair : crossings) EXPECT_TRUE(std::binary_search(listed.begin(), listed.end(), pair));
  }
}

// Boxes that are grown hold all pairs that are near each other for their size, as all-pairs finds them.
TEST(FaceHierarchy, ListsPairsThatAreNearForTheirSize) {
  const Surface surface = two_balls();
  FaceHierarchy faces(surface);
  faces.refit(surface.positions, surface.positions, 0.5);
  std::vector<TrianglePair> near;
  faces.near_pairs(near);
  const auto longest = [](const Triangle& t) {
    return std::max({(t[0] - t[1]).norm(), (t[1] - t[2]).norm(), (t[2] - t[0]).norm()});
  };
  const auto close = [&](Index s, Index t) {
    const Triangle a = faces.corners(s, surface.positions), b = faces.corners(t, surface.positions);
    return triangle_distance(a, b) <= 0.5 * (longest(a) + longest(b));
  };
  std::vector<TrianglePair> kept, all;
  for (const TrianglePair& pair : near) {
    if (close(pair.a, pair.b)) kept.push_back(pair);
  }
  std::sort(kept.begin(), kept.end());
  const auto apart = [&](Index s, Index t) {
    const auto f = surface.face(static_cast<std::size_t>(faces.face_of(s)));
    const auto g = surface.face(static_cast<std::size_t>(faces.face_of(t)));
    return std::find_first_of(f.begin(), f.end(), g.begin(), g.end()) == f.end();
  };
  for (Index s = 0; s < static_cast<Index>(faces.triangle_count()); ++s) {
    for (Index t = s + 1; t < static_cast<Index>(faces.triangle_count()); ++t) {
      if (apart(s, t) && close(s, t)) all.push_back({s, t});
    }
  }
  EXPECT_EQ(kept, all);
}

// Around a point it visits every triangle within the distance.
TEST(FaceHierarchy, VisitsTrianglesAroundAPoint) {
  const Surface surface = two_balls();
  const FaceHierarchy faces(surface);
  const Vec3 point(1.3, 0.2, 0.1);
  const auto distance = [&](Index t) {
    const Triangle corners = faces.corners(t, surface.positions);
    const Vec3 shares = nearest_shares(corners, point);
    return (shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * corners[2] - point).norm();
  };
  std::vector<Index> visited;
  double nearest = 10;
  faces.around(point, 0.6, [&](Index t, double&) { visited.push_back(t); });
  faces.around(point, 10, [&](Index t, double& within) { within = nearest = std::min(within, distance(t)); });
  double expected = 10;
  std::size_t inside = 0;
  for (Index t = 0; t < static_cast<Index>(faces.triangle_count()); ++t) {
    expected = std::min(expected, distance(t));
    if (distance(t) > 0.6) continue;
    ++inside;
    EXPECT_NE(std::find(visited.begin(), visited.end(), t), visited.end());
  }
  EXPECT_GT(inside, 0u);
  EXPECT_LT(visited.size(), faces.triangle_count() / 2);
  EXPECT_EQ(nearest, expected);
}

// Nothing, one face, and positions that are no numbers are no trouble.
TEST(FaceHierarchy, BearsDegenerateInput) {
  EXPECT_TRUE(FaceHierarchy(Surface{}).crossings({}).empty());
  Surface surface;
  surface.positions = {Vec3(0, 0, 0),      Vec3(1, 0, 0),     Vec3(0, 1, 0),
                       Vec3(0.2, 0.2, -1), Vec3(0.2, 0.3, 1), Vec3(0, 0, 1)};
  surface.add_face({0, 1, 2});
  EXPECT_TRUE(FaceHierarchy(surface).crossings(surface.positions).empty());
  surface.add_face({3, 4, 5});
  FaceHierarchy faces(surface);
  EXPECT_EQ(faces.crossings(surface.positions).size(), 1u);
  surface.positions[4].x() = std::nan("");
  faces.refit(surface.positions);
  EXPECT_TRUE(faces.crossings(surface.positions).empty());
}

}  // namespace
}  // namespace isochor
