#include "volume/contact_search.h"

#include <gtest/gtest.h>

#include <set>

#include "mesh/brute_force_crossings.h"
#include "volume/subject.h"

namespace isochor::volume {
namespace {

/// A bent cylinder, as skinned and as corrected, and the search in it.
struct BentSkin {
  test::Subject subject{make_sample("cylinder"), VolumeOptions{}};
  const Surface& surface = subject.welded.surface();
  FaceHierarchy triangles{surface};
  std::vector<Vec3> posed, corrected;

  explicit BentSkin(double time, const Vec3& moved_by = Vec3::Zero()) {
    const Clip& clip = subject.character.clips[find_clip(subject.character.clips, "bend")];
    subject.together(sample(clip, subject.character.skeleton, time));
    for (const Vec3& p : subject.posed.positions) posed.emplace_back(p + moved_by);
    for (const Vec3& p : subject.frame.positions) corrected.emplace_back(p + moved_by);
  }

  ContactSearch search(bool settled) const {
    return {surface, subject.welded.topology().component_of_vertex, triangles,
            [settled](const TrianglePair&) { return settled; }};
  }

  Vec3 normal(Index t) const {
    const Triangle c = triangles.corners(t, posed);
    return (c[1] - c[0]).cross(c[2] - c[0]);
  }
};

/// As the surface numbers its faces.
std::set<std::pair<Index, Index>> faces_of(const ContactSearch& search, const FaceHierarchy& triangles,
                                           std::span<const SearchBuffers::Pair> pairs) {
  std::set<std::pair<Index, Index>> out;
  for (const auto& [f, g] : pairs) {
    out.insert(
        std::minmax({triangles.face_of(search.triangles_of(f)[0]), triangles.face_of(search.triangles_of(g)[0])}));
  }
  return out;
}

constexpr std::array<double, 1> kOutward{1};
constexpr auto kAll = FaceHierarchy::Which::all;

// What crosses, by brute force, is found: under skinning and as corrected, and far from the origin as well.
TEST(ContactSearch, FindsAllThatCrosses) {
  for (const double away : {0.0, 300.0}) {
    const BentSkin skin(1.25, Vec3(away, 0, -away));
    const ContactSearch search = skin.search(true);
    SearchBuffers buffers;
    search_contacts(search, {skin.posed, skin.corrected, {}, kAll}, buffers);
    const auto found = faces_of(search, skin.triangles, buffers.crossing);
    EXPECT_TRUE(buffers.facing.empty());
    std::size_t crossings = 0;
    for (const auto& shape : {skin.posed, skin.corrected}) {
      for (const FacePair& pair : test::crossings_by_brute_force(skin.surface, shape)) {
        EXPECT_TRUE(found.contains({pair.a, pair.b})) << pair.a << " and " << pair.b;
        ++crossings;
      }
    }
    EXPECT_GT(crossings, 20u);
  }
}

// Faces with triangles that look against each other, and whose grown boxes overlap, are found; others hardly.
TEST(ContactSearch, FindsAllThatFaceEachOther) {
  BentSkin skin(1.08);
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.corrected, kOutward, kAll}, buffers);
  const auto found = faces_of(search, skin.triangles, buffers.facing);
  skin.triangles.refit(skin.posed, skin.corrected, kGrownBoxes);
  std::vector<TrianglePair> near;
  skin.triangles.near_pairs(near);
  std::set<std::pair<Index, Index>> facing;
  for (const auto& [s, t] : near) {
    if (!(skin.normal(s).dot(skin.normal(t)) < 0)) continue;
    facing.insert(std::minmax({skin.triangles.face_of(s), skin.triangles.face_of(t)}));
  }
  ASSERT_GT(facing.size(), 100u);
  for (const auto& pair : facing) EXPECT_TRUE(found.contains(pair)) << pair.first << " and " << pair.second;
  EXPECT_LT(found.size(), 2 * facing.size());
}

/// The room between two triangles that look against each other, as contact has it: ahead and aside, nothing behind.
double room(const BentSkin& skin, Index s, Index t) {
  const Vec3 towards = (skin.normal(s).normalized() - skin.normal(t).normalized()).normalized();
  const Vec3 gap = triangle_gap(skin.triangles.corners(s, skin.posed), skin.triangles.corners(t, skin.posed));
  const double ahead = gap.dot(towards);
  return std::max(0.0, ahead) + (gap - ahead * towards).norm();
}

// Faces that are said to be out of the way have that much room between all of their triangles.
TEST(ContactSearch, KnowsWhatIsOutOfTheWay) {
  const BentSkin skin(1.08);
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.corrected, kOutward, kAll}, buffers);
  for (const double reach : {0.0, 0.002, 0.01, 0.05}) {
    std::size_t out = 0, open = 0;
    for (const auto& [f, g] : buffers.facing) {
      const bool free = surely_out_of_the_way(buffers, {f, g}, reach);
      ++(free ? out : open);
      for (const Index s : search.triangles_of(f)) {
        for (const Index t : search.triangles_of(g)) {
          if (!free || !(skin.normal(s).dot(skin.normal(t)) < 0)) continue;
          EXPECT_GE(room(skin, s, t), reach) << s << " and " << t;
        }
      }
    }
    EXPECT_GT(open, 0u) << reach;
    EXPECT_TRUE(reach > 0.005 || out > open / 10) << reach;
  }
}

// Normals are bounded far from the origin, and in shapes of any size, as well: what looks against each other is found.
TEST(ContactSearch, FindsWhatFacesEachOtherAtAnySize) {
  for (const auto& [size, away] : {std::pair(1e-9, 0.0), std::pair(1e9, 0.0), std::pair(1.0, 300.0)}) {
    BentSkin skin(1.08, Vec3(away, 0, -away));
    for (auto* shape : {&skin.posed, &skin.corrected}) {
      for (Vec3& p : *shape) p *= size;
    }
    const ContactSearch search = skin.search(false);
    SearchBuffers buffers;
    search_contacts(search, {skin.posed, skin.corrected, kOutward, kAll}, buffers);
    const auto found = faces_of(search, skin.triangles, buffers.facing);
    skin.triangles.refit(skin.posed, skin.corrected, kGrownBoxes);
    std::vector<TrianglePair> near;
    skin.triangles.near_pairs(near);
    std::size_t facing = 0;
    for (const auto& [s, t] : near) {
      if (!(skin.normal(s).dot(skin.normal(t)) < 0)) continue;
      ++facing;
      EXPECT_TRUE(found.contains(std::minmax({skin.triangles.face_of(s), skin.triangles.face_of(t)})))
          << s << ", " << t;
    }
    EXPECT_GT(facing, 100u);
  }
}

// Triangles that are said not to look against each other do not; and of those that clearly do not, nearly all are
// known.
TEST(ContactSearch, KnowsWhatIsNotOpposed) {
  const BentSkin skin(1.08);
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.corrected, kOutward, kAll}, buffers);
  std::size_t clearly = 0, known = 0, opposed = 0;
  for (const auto& [f, g] : buffers.facing) {
    const auto own = search.triangles_of(f), others = search.triangles_of(g);
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < others.size(); ++j) {
        const double product = skin.normal(own[i]).normalized().dot(skin.normal(others[j]).normalized());
        const bool aside = surely_not_opposed(search, buffers, {f, i}, {g, j});
        EXPECT_FALSE(aside && product < 0) << own[i] << " and " << others[j];
        opposed += product < 0 ? 1 : 0;
        if (!(product > 1e-4)) continue;
        ++clearly;
        known += aside ? 1 : 0;
      }
    }
  }
  EXPECT_GT(opposed, 100u);
  EXPECT_GT(clearly, 10u);
  EXPECT_GT(known, 9 * clearly / 10);
}

// A face is moved by no more than is said, and by not much less.
TEST(ContactSearch, KnowsHowFarFacesMove) {
  const BentSkin skin(1.08);
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.corrected, {}, kAll}, buffers);
  for (Index f = 0; f < static_cast<Index>(search.face_count()); ++f) {
    double most = 0;
    for (const Index v : search.corners_of(f)) most = std::max(most, (skin.corrected[v] - skin.posed[v]).norm());
    EXPECT_GE(farthest_way(buffers, f), most) << f;
    EXPECT_LE(farthest_way(buffers, f), 1.0001 * most + 1e-30) << f;
  }
}

// If only faces that move are asked for, none is found where nothing moves; what crosses is.
TEST(ContactSearch, NothingFacesWhereNothingMoves) {
  const BentSkin skin(1.25);
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.posed, kOutward, kAll, FaceHierarchy::Which::moving}, buffers);
  EXPECT_FALSE(buffers.crossing.empty());
  EXPECT_TRUE(buffers.facing.empty());
}

// Faces that are near each other at rest and settled are left out, and so are those that do not move.
TEST(ContactSearch, LeavesOutWhatIsKnown) {
  const BentSkin skin(1.08);
  SearchBuffers open, settled, still;
  const ContactSearch unknown = skin.search(false), known = skin.search(true);
  search_contacts(unknown, {skin.posed, skin.corrected, kOutward, kAll}, open);
  search_contacts(known, {skin.posed, skin.corrected, kOutward, kAll}, settled);
  EXPECT_LT(settled.facing.size(), open.facing.size());
  EXPECT_EQ(settled.crossing.size(), open.crossing.size());
  search_contacts(unknown, {skin.posed, skin.posed, kOutward, FaceHierarchy::Which::moving}, still);
  EXPECT_TRUE(still.crossing.empty());
  EXPECT_TRUE(still.facing.empty());
}

// No faces, no pairs; and a shape that is a single point has nothing to be told apart by, and bears it.
TEST(ContactSearch, BearsDegenerateInput) {
  const Surface none;
  SearchBuffers buffers;
  const ContactSearch nothing(none, {}, FaceHierarchy(none), [](const TrianglePair&) { return false; });
  search_contacts(nothing, {}, buffers);
  EXPECT_TRUE(buffers.crossing.empty());
  const BentSkin skin(1.08);
  const std::vector<Vec3> point(skin.posed.size(), Vec3(1, 2, 3));
  search_contacts(skin.search(false), {point, point, kOutward, kAll}, buffers);
  EXPECT_GT(buffers.crossing.size(), 1000u);
}

}  // namespace
}  // namespace isochor::volume
