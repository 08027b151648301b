#include "volume/contact_search.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <random>
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

  /// All pairs are known to lie back to back, or none is.
  ContactSearch search(bool back_to_back) const {
    return {surface, subject.welded.topology().component_of_vertex, triangles,
            ContactSearch::KnownAtRest{.left_alone = [](const TrianglePair&) { return false; },
                                       .back_to_back = [=](const TrianglePair&) { return back_to_back; }}};
  }

  Vec3 normal(Index t) const {
    const Triangle c = triangles.corners(t, posed);
    return (c[1] - c[0]).cross(c[2] - c[0]);
  }
};

using Faces = std::set<std::pair<Index, Index>>;

/// As the surface numbers its faces.
Faces crossing_of(const ContactSearch& search, const FaceHierarchy& triangles, const SearchBuffers& buffers) {
  Faces out;
  for (const auto& [f, g] : buffers.crossing) {
    out.insert(
        std::minmax({triangles.face_of(search.triangles_of(f)[0]), triangles.face_of(search.triangles_of(g)[0])}));
  }
  return out;
}
Faces facing_of(const ContactSearch& search, const FaceHierarchy& triangles, const SearchBuffers& buffers) {
  Faces out;
  for (const auto& blocks : buffers.facing) {
    for_pairs(blocks, [&](Index f, Index g) {
      out.insert(
          std::minmax({triangles.face_of(search.triangles_of(f)[0]), triangles.face_of(search.triangles_of(g)[0])}));
    });
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
    const auto found = crossing_of(search, skin.triangles, buffers);
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
  const auto found = facing_of(search, skin.triangles, buffers);
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

// A skin so large that the squares of its size are not finite: what fills up blocks stays out of it.
TEST(ContactSearch, HugeSkins) {
  BentSkin skin(1.25);
  for (auto* shape : {&skin.posed, &skin.corrected}) {
    for (Vec3& p : *shape) p *= 1e22;
  }
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.corrected, kOutward, kAll}, buffers);
  const auto count = static_cast<Index>(search.face_count());
  ASSERT_NE(search.block_count() % ContactSearch::kBlock, 0u);
  EXPECT_FALSE(buffers.facing.empty());
  for (const auto& blocks : buffers.facing) {
    for_pairs(blocks, [&](Index f, Index g) { EXPECT_TRUE(f < count && g < count) << f << " and " << g; });
  }
  for (const auto& [f, g] : buffers.crossing) EXPECT_TRUE(f < count && g < count) << f << " and " << g;
}

Vec3 normal_of(const Triangle& c) { return (c[1] - c[0]).cross(c[2] - c[0]); }

/// The room between two triangles that look against each other, as contact has it: ahead and aside, nothing behind.
double room(const Triangle& a, const Triangle& b) {
  const Vec3 towards = (normal_of(a).normalized() - normal_of(b).normalized()).normalized();
  const Vec3 gap = triangle_gap(a, b);
  const double ahead = gap.dot(towards);
  return std::max(0.0, ahead) + (gap - ahead * towards).norm();
}

struct Sorted {
  std::size_t out = 0, open = 0;
};
/// Sorts pairs into those that are said to be out of the way, which have to have that much room between all of their
/// triangles, and others.
Sorted sort_by_way(const ContactSearch& search, const SearchBuffers& buffers, const FaceHierarchy& triangles,
                   std::span<const Vec3> posed, double reach) {
  Sorted sorted;
  for (const auto& blocks : buffers.facing) {
    const auto left = may_be_in_the_way(buffers, blocks, reach);
    EXPECT_EQ(left.bits & ~blocks.bits, 0u);
    sorted.open += static_cast<std::size_t>(std::popcount(left.bits));
    for_pairs({blocks.first, blocks.second, blocks.bits & ~left.bits}, [&](Index f, Index g) {
      ++sorted.out;
      const double ways = reach * (farthest_way(buffers, f) + farthest_way(buffers, g));
      for (const Index s : search.triangles_of(f)) {
        for (const Index t : search.triangles_of(g)) {
          const Triangle a = triangles.corners(s, posed), b = triangles.corners(t, posed);
          if (!(normal_of(a).dot(normal_of(b)) < 0)) continue;
          EXPECT_GE(room(a, b), 0.9999 * ways) << s << " and " << t;
        }
      }
    });
  }
  return sorted;
}

// Faces that are said to be out of the way have that much room between all of their triangles; and many are.
TEST(ContactSearch, KnowsWhatIsOutOfTheWay) {
  const BentSkin skin(1.08);
  const ContactSearch search = skin.search(false);
  SearchBuffers buffers;
  search_contacts(search, {skin.posed, skin.corrected, kOutward, kAll}, buffers);
  for (const double reach : {0.0, 0.5, 1.3, 20.0}) {
    const Sorted sorted = sort_by_way(search, buffers, skin.triangles, skin.posed, reach);
    EXPECT_GT(sorted.open, 0u) << reach;
    EXPECT_TRUE(reach > 10 || sorted.out > sorted.open / 10) << reach;
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
    const auto found = facing_of(search, skin.triangles, buffers);
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
  const auto look = [&](Index f, Index g) {
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
  };
  for (const auto& blocks : buffers.facing) for_pairs(blocks, look);
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

// Faces that are near each other at rest and back to back do not face each other; those that are left alone do not
// cross either; and those that do not move are left out.
TEST(ContactSearch, LeavesOutWhatIsKnown) {
  const BentSkin skin(1.25);
  const ContactSearch unknown = skin.search(false), known = skin.search(true);
  SearchBuffers open, settled, alone, still;
  search_contacts(unknown, {skin.posed, skin.corrected, kOutward, kAll}, open);
  search_contacts(known, {skin.posed, skin.corrected, kOutward, kAll}, settled);
  const auto facing = [&](const SearchBuffers& buffers) { return facing_of(unknown, skin.triangles, buffers).size(); };
  EXPECT_LT(facing(settled), facing(open));
  EXPECT_EQ(settled.crossing.size(), open.crossing.size());
  const auto yes = [](const TrianglePair&) { return true; };
  const auto no = [](const TrianglePair&) { return false; };
  const ContactSearch left_alone(skin.surface, skin.subject.welded.topology().component_of_vertex, skin.triangles,
                                 ContactSearch::KnownAtRest{.left_alone = yes, .back_to_back = no});
  search_contacts(left_alone, {skin.posed, skin.corrected, kOutward, kAll}, alone);
  EXPECT_EQ(facing(alone), facing(settled));
  EXPECT_LT(alone.crossing.size(), open.crossing.size());
  search_contacts(unknown, {skin.posed, skin.posed, kOutward, FaceHierarchy::Which::moving}, still);
  EXPECT_TRUE(still.crossing.empty());
  EXPECT_TRUE(still.facing.empty());
}

/// Faces of three to five corners, anywhere, of any shape.
struct Soup {
  Surface surface;
  std::vector<Vec3> corrected;

  explicit Soup(double size, double away, double moved) {
    std::mt19937 random(7);
    const auto within = [&](double most) {
      std::uniform_real_distribution<double> of(-most, most);
      return Vec3(of(random), of(random), of(random));
    };
    surface.face_begin = {0};
    for (int f = 0; f < 600; ++f) {
      const Vec3 middle = within(1);
      const double flat = f % 3 == 0 ? 1e-4 : 1;
      for (int k = 0; k < 3 + f % 3; ++k) {
        const Vec3 p = size * (middle + within(0.25).cwiseProduct(Vec3(1, flat, 1)) + Vec3(away, 0, -away));
        surface.corners.push_back(static_cast<Index>(surface.positions.size()));
        surface.positions.push_back(p);
        corrected.push_back(p + size * within(moved));
      }
      surface.face_begin.push_back(static_cast<Index>(surface.corners.size()));
    }
  }

  ContactSearch search(const FaceHierarchy& triangles) const {
    const auto no = [](const TrianglePair&) { return false; };
    return {surface, std::vector<Index>(surface.positions.size(), 0), triangles, ContactSearch::KnownAtRest{no, no}};
  }
};

// What crosses, by brute force, is found among faces of any shape too, small, large and far from the origin, that move
// a little, far or not at all; and not much else.
TEST(ContactSearch, FindsAllThatCrossesInASoup) {
  for (const auto& [size, away] :
       {std::pair(1.0, 0.0), std::pair(1e-9, 0.0), std::pair(1e9, 0.0), std::pair(1.0, 1e6)}) {
    for (const double moved : {0.0, 0.01, 0.1}) {
      const Soup soup(size, away, moved);
      const FaceHierarchy triangles(soup.surface);
      const ContactSearch search = soup.search(triangles);
      SearchBuffers buffers;
      search_contacts(search, {soup.surface.positions, soup.corrected, {}, kAll}, buffers);
      const Faces found = crossing_of(search, triangles, buffers);
      Faces crossing;
      for (const auto& shape : {soup.surface.positions, soup.corrected}) {
        for (const FacePair& pair : test::crossings_by_brute_force(soup.surface, shape))
          crossing.insert({pair.a, pair.b});
      }
      EXPECT_GT(crossing.size(), 400u);
      for (const auto& [f, g] : crossing) EXPECT_TRUE(found.contains({f, g})) << f << " and " << g;
      EXPECT_TRUE(moved > 0.05 || away > 0 || found.size() < 5 * crossing.size())
          << found.size() << " for " << crossing.size();
    }
  }
}

// Where few faces move, what they cross is found, whichever of the two moves.
TEST(ContactSearch, FindsWhatCrossesFacesThatMove) {
  Soup soup(1, 0, 0.05);
  const auto moves = [](Index f) { return f % 41 == 0; };
  for (Index f = 0; f < static_cast<Index>(soup.surface.face_count()); ++f) {
    if (moves(f)) continue;
    for (const Index v : soup.surface.face(static_cast<std::size_t>(f))) soup.corrected[v] = soup.surface.positions[v];
  }
  const FaceHierarchy triangles(soup.surface);
  const ContactSearch search = soup.search(triangles);
  SearchBuffers buffers;
  search_contacts(search, {soup.surface.positions, soup.corrected, {}, FaceHierarchy::Which::moving}, buffers);
  const Faces found = crossing_of(search, triangles, buffers);
  std::size_t crossing = 0, all = 0;
  for (const auto& [f, g] : test::crossings_by_brute_force(soup.surface, soup.corrected)) {
    ++all;
    if (!moves(f) && !moves(g)) continue;
    ++crossing;
    EXPECT_TRUE(found.contains({f, g})) << f << " and " << g;
  }
  EXPECT_GT(crossing, 5u);
  EXPECT_LT(found.size(), all);
}

// The same of faces of any shape, some of them behind others.
TEST(ContactSearch, KnowsWhatIsOutOfTheWayInASoup) {
  const Soup soup(1, 0, 0.02);
  const FaceHierarchy triangles(soup.surface);
  const ContactSearch search = soup.search(triangles);
  SearchBuffers buffers;
  search_contacts(search, {soup.surface.positions, soup.corrected, kOutward, kAll}, buffers);
  for (const double reach : {0.0, 1.3, 4.0}) {
    const Sorted sorted = sort_by_way(search, buffers, triangles, soup.surface.positions, reach);
    EXPECT_GT(sorted.open, 100u);
    EXPECT_GT(sorted.out, 100u);
  }
}

// The loops for AVX2 find the same as those for any machine, to the bit.
TEST(ContactSearch, IsTheSameOnEveryMachine) {
  if (contact_kernels::avx2() == nullptr) GTEST_SKIP() << "no AVX2 here";
  const BentSkin skin(1.08);
  const ContactSearch search = skin.search(false);
  SearchBuffers plain, fast;
  plain.kernels = &contact_kernels::portable();
  fast.kernels = contact_kernels::avx2();
  for (SearchBuffers* buffers : {&plain, &fast}) {
    search_contacts(search, {skin.posed, skin.corrected, kOutward, FaceHierarchy::Which::moving}, *buffers);
  }
  ASSERT_EQ(plain.levels.size(), fast.levels.size());
  for (std::size_t level = 0; level < plain.levels.size(); ++level) {
    const auto &a = plain.levels[level], &b = fast.levels[level];
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(std::memcmp(&a[i], &b[i], offsetof(SearchBuffers::Block, stirring)), 0) << level << ", " << i;
      EXPECT_EQ(a[i].stirring, b[i].stirring);
      EXPECT_EQ(a[i].moving, b[i].moving);
    }
  }
  ASSERT_EQ(plain.normals.size(), fast.normals.size());
  EXPECT_EQ(std::memcmp(plain.normals.data(), fast.normals.data(), fast.normals.size() * sizeof(fast.normals[0])), 0);
  EXPECT_EQ(crossing_of(search, skin.triangles, plain), crossing_of(search, skin.triangles, fast));
  ASSERT_EQ(plain.facing.size(), fast.facing.size());
  ASSERT_GT(plain.facing.size(), 20u);
  for (std::size_t i = 0; i < plain.facing.size(); ++i) {
    EXPECT_EQ(plain.facing[i].bits, fast.facing[i].bits);
    for (const double reach : {0.0, 1.3}) {
      EXPECT_EQ(may_be_in_the_way(plain, plain.facing[i], reach).bits,
                may_be_in_the_way(fast, fast.facing[i], reach).bits);
    }
  }
}

// No faces, no pairs; and a shape that is a single point has nothing to be told apart by, and bears it.
TEST(ContactSearch, BearsDegenerateInput) {
  const Surface none;
  SearchBuffers buffers;
  const ContactSearch nothing(none, {}, FaceHierarchy(none), {});
  search_contacts(nothing, {}, buffers);
  EXPECT_TRUE(buffers.crossing.empty());
  const BentSkin skin(1.08);
  const std::vector<Vec3> point(skin.posed.size(), Vec3(1, 2, 3));
  search_contacts(skin.search(false), {point, point, kOutward, kAll}, buffers);
  EXPECT_GT(buffers.crossing.size(), 1000u);
}

}  // namespace
}  // namespace isochor::volume
