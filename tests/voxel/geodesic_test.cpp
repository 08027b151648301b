#include "isochor/voxel/geodesic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "isochor/voxel/bone_voxels.h"
#include "support/sanitizers.h"
#include "voxel/solid_shapes.h"

namespace isochor {
namespace {

using namespace test;

std::vector<std::vector<std::uint32_t>> bone_voxels(const VoxelGrid& grid, const std::vector<Segment>& bones) {
  std::vector<std::vector<std::uint32_t>> result;
  for (const Segment& bone : bones) result.push_back(voxels_of(grid, bone));
  return result;
}

std::vector<std::uint32_t> joined(const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<std::uint32_t> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<GeodesicSeed> seeds_of(const Octree& octree, const std::vector<std::vector<std::uint32_t>>& voxels) {
  std::vector<GeodesicSeed> seeds;
  for (std::size_t s = 0; s < voxels.size(); ++s) {
    for (const std::uint32_t code : voxels[s]) {
      const Index cell = octree.find(code);
      if (cell != kNone) seeds.push_back({.source = static_cast<Index>(s), .cell = cell});
    }
  }
  return seeds;
}

/// A solid with bones in it, ready to sweep.
struct Scene {
  Octree octree;
  std::vector<GeodesicSeed> seeds;
  Index sources = 0;

  Scene(const VoxelSolid& solid, const std::vector<Segment>& bones, CellSizes sizes = CellSizes::sparse) {
    Context context;
    const auto voxels = bone_voxels(solid.grid, bones);
    octree = build_octree(solid, joined(voxels), sizes, context);
    seeds = seeds_of(octree, voxels);
    sources = static_cast<Index>(bones.size());
  }
};

/// Bones scattered over the grid, some of them twice, some sharing voxels.
std::vector<Segment> scattered(Index resolution, int count) {
  std::uint64_t state = 11;
  const auto next = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return resolution * static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  };
  std::vector<Segment> bones;
  for (int i = 0; i < count; ++i) {
    const double x = next();
    const double y = next();
    const Vec3 a(x, y, next());
    if (i % 5 == 4) {
      bones.push_back(bones[bones.size() / 2]);
    } else if (i % 3 == 2) {
      bones.push_back({a, a});
    } else {
      bones.push_back({a, a + Vec3(3, -2, 4)});
    }
  }
  return bones;
}

std::vector<VoxelSolid> solids() {
  std::vector<VoxelSolid> all;
  all.push_back(solid_with_skin(32, ball(15, 16, 17, 13)));
  all.push_back(solid_with_skin(64, ball(31, 33, 30, 28)));
  all.push_back(solid_with_skin(32, cuboid({3, 3, 3}, {29, 30, 20})));
  all.push_back(solid_with_skin(32, letter_u()));
  all.push_back(solid_with_skin(32, cuboid({3, 3, 15}, {29, 30, 17})));  // a sheet, boundary only
  all.push_back(solid_without_skin(16, [](int x, int y, int z) { return (x * 7 + y * 13 + z * 5) % 3 != 0; }));
  all.push_back(solid_without_skin(64, [](int, int, int) { return true; }));
  return all;
}

/// Algorithm 3 as it stands, one source, with a heap, on Octree::neighbours.
std::vector<std::uint32_t> plain_dijkstra(const Octree& octree, std::span<const GeodesicSeed> seeds, double penalty) {
  std::vector<std::uint32_t> length(octree.size(), GeodesicLabel::kFar);
  using Item = std::pair<std::uint32_t, Index>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  const auto offer = [&](Index cell, std::uint32_t l) {
    if (l >= length[static_cast<std::size_t>(cell)]) return;
    length[static_cast<std::size_t>(cell)] = l;
    queue.push({l, cell});
  };
  for (const GeodesicSeed& s : seeds) offer(s.cell, static_cast<std::uint32_t>(std::lround(1024 * s.distance)));
  std::vector<Index> around;
  while (!queue.empty()) {
    const auto [l, cell] = queue.top();
    queue.pop();
    if (l != length[static_cast<std::size_t>(cell)]) continue;
    octree.neighbours(cell, around);
    for (const Index n : around) {
      const double step = (octree.centre(n) - octree.centre(cell)).norm();
      const double factor = octree.cell(n).kind == CellKind::boundary ? penalty : 1;
      offer(n, l + static_cast<std::uint32_t>(std::lround(1024 * step * factor)));
    }
  }
  return length;
}

// The sweep is algorithm 3: a plain Dijkstra with a heap gives the same lengths, cell for cell, for several penalties.
TEST(Geodesic, EqualsPlainDijkstra) {
  Context context;
  for (const VoxelSolid& solid : solids()) {
    const Scene s(solid, scattered(solid.grid.resolution, 6));
    for (const double penalty : {1.0, 1.3, 4.0, 20.0}) {
      if (test::kFewerCases && penalty != 1.3) continue;
      const GeodesicSweep sweep(s.octree, {.penalty = penalty}, context);
      const AllDistances all = sweep.all(s.seeds, s.sources, context);
      for (Index b = 0; b < s.sources; ++b) {
        std::vector<GeodesicSeed> own;
        std::copy_if(s.seeds.begin(), s.seeds.end(), std::back_inserter(own),
                     [&](const GeodesicSeed& seed) { return seed.source == b; });
        ASSERT_EQ(all.lengths[static_cast<std::size_t>(b)], plain_dijkstra(s.octree, own, penalty));
      }
    }
  }
}

// The k nearest sources of one sweep are the full distances cut to k, exactly, with ties and doubled sources.
TEST(Geodesic, NearestEqualsAllCut) {
  Context context;
  for (const VoxelSolid& solid : solids()) {
    const Scene s(solid, scattered(solid.grid.resolution, 23));
    for (const double penalty : {1.0, 1.3, 4.0, 20.0}) {
      if (test::kFewerCases && penalty != 1.3) continue;
      const GeodesicSweep sweep(s.octree, {.penalty = penalty}, context);
      const AllDistances all = sweep.all(s.seeds, s.sources, context);
      for (const Index k : {1, 2, 3, 4, 5, 6, 7, 8, 11, 30}) {
        ASSERT_TRUE(sweep.nearest(s.seeds, k, context).labels == all.cut(k).labels) << k;
      }
    }
  }
}

// Where all cells are single voxels, octree and uniform grid give the same distances.
TEST(Geodesic, OctreeEqualsUniformOnThinShapes) {
  Context context;
  const auto bars = [](int x, int y, int z) { return (x % 4 < 2 && y % 4 < 1) || (z % 8 == 3 && y % 4 < 1); };
  for (const VoxelSolid& solid :
       {solid_with_skin(32, cuboid({3, 3, 15}, {29, 30, 18})), solid_without_skin(32, bars)}) {
    const auto bones = scattered(32, 12);
    const Scene sparse(solid, bones);
    const Scene uniform(solid, bones, CellSizes::uniform);
    ASSERT_EQ(sparse.octree.size(), uniform.octree.size());
    const GeodesicSweep a(sparse.octree, {}, context);
    const GeodesicSweep b(uniform.octree, {}, context);
    EXPECT_TRUE(a.nearest(sparse.seeds, 4, context).labels == b.nearest(uniform.seeds, 4, context).labels);
  }
}

// With large cells, whose centres are far apart, the distances to the surface stay within a fifth of the uniform
// grid's, and within a thirtieth on average.
TEST(Geodesic, OctreeIsNearUniform) {
  Context context;
  const VoxelSolid solid = solid_with_skin(64, ball(31, 33, 30, 28));
  const std::vector<Segment> bones = {{Vec3(12, 30, 30), Vec3(30, 33, 31)}};
  const Scene sparse(solid, bones);
  const Scene uniform(solid, bones, CellSizes::uniform);
  ASSERT_LT(sparse.octree.size(), uniform.octree.size() / 2);
  const AllDistances a = GeodesicSweep(sparse.octree, {.penalty = 1}, context).all(sparse.seeds, 1, context);
  const AllDistances b = GeodesicSweep(uniform.octree, {.penalty = 1}, context).all(uniform.seeds, 1, context);
  double worst = 0;
  double sum = 0;
  int count = 0;
  for (std::size_t c = 0; c < uniform.octree.size(); ++c) {
    const OctreeCell& cell = uniform.octree.cells()[c];
    if (cell.kind != CellKind::boundary) continue;
    const double u = b.lengths[0][c] / 1024.0;
    const double v = a.lengths[0][static_cast<std::size_t>(sparse.octree.find(cell.code))] / 1024.0;
    worst = std::max(worst, std::abs(u - v) / u);
    sum += std::abs(u - v) / u;
    ++count;
  }
  EXPECT_LT(worst, 0.2);
  EXPECT_LT(sum / count, 1.0 / 30);
}

// Along a straight tube a distance is the tube's length; in any direction of a full ball it is at least the straight
// line and at most 1.128 times that, the error of the 26 directions.
TEST(Geodesic, LatticeError) {
  Context context;
  const VoxelSolid tube = solid_with_skin(64, cuboid({2, 20, 20}, {62, 30, 31}));
  const Scene s(tube, {{Vec3(4.5, 25.5, 25.5), Vec3(4.5, 25.5, 25.5)}}, CellSizes::uniform);
  const auto lengths = GeodesicSweep(s.octree, {}, context).all(s.seeds, 1, context).lengths[0];
  EXPECT_EQ(lengths[static_cast<std::size_t>(s.octree.find(Voxel{59, 25, 25}))], 1024u * 55);

  const VoxelSolid round = solid_without_skin(64, ball(32, 32, 32, 30));
  const Scene t(round, {{Vec3(32.5, 32.5, 32.5), Vec3(32.5, 32.5, 32.5)}}, CellSizes::uniform);
  const auto around = GeodesicSweep(t.octree, {}, context).all(t.seeds, 1, context).lengths[0];
  double largest = 0;
  for (std::size_t c = 0; c < t.octree.size(); ++c) {
    const double straight = (t.octree.centre(static_cast<Index>(c)) - Vec3(32.5, 32.5, 32.5)).norm();
    if (straight < 1) continue;
    const double ratio = around[c] / 1024.0 / straight;
    ASSERT_GE(ratio, 1 - 2e-4);
    largest = std::max(largest, ratio);
  }
  EXPECT_LT(largest, 1.1283);
  EXPECT_GT(largest, 1.12);
}

// The penalty lengthens exactly the steps into boundary cells: through a sheet all steps, through a solid the last one.
TEST(Geodesic, Penalty) {
  Context context;
  const VoxelSolid sheet = solid_with_skin(32, cuboid({3, 10, 15}, {29, 20, 16}));
  const Scene s(sheet, {{Vec3(4.5, 15.5, 15.5), Vec3(4.5, 15.5, 15.5)}});
  for (const double penalty : {1.0, 4.0, 10.0}) {
    const auto lengths = GeodesicSweep(s.octree, {.penalty = penalty}, context).all(s.seeds, 1, context).lengths[0];
    EXPECT_EQ(lengths[static_cast<std::size_t>(s.octree.find(Voxel{24, 15, 15}))], 1024u * 20 * penalty);
  }
  const VoxelSolid box = solid_with_skin(32, cuboid({3, 3, 3}, {29, 29, 29}));
  const Scene t(box, {{Vec3(16.5, 16.5, 16.5), Vec3(16.5, 16.5, 16.5)}}, CellSizes::uniform);
  const auto lengths = GeodesicSweep(t.octree, {}, context).all(t.seeds, 1, context).lengths[0];
  EXPECT_EQ(lengths[static_cast<std::size_t>(t.octree.find(Voxel{28, 16, 16}))], 1024u * (11 + 4));
}

// In a U the way goes round, not across the gap.
TEST(Geodesic, GoesRound) {
  Context context;
  const Scene s(solid_with_skin(32, letter_u()), {{Vec3(7, 26.5, 15), Vec3(7, 26.5, 15)}});
  const auto nearest = GeodesicSweep(s.octree, {}, context).nearest(s.seeds, 1, context);
  const double other_end = nearest.of(s.octree.find(Voxel{21, 26, 15})).front().distance();
  EXPECT_GT(other_end, 40);
  EXPECT_LT(other_end, 48);
}

// Solids that do not touch: what no source reaches is reported, component by component, and goes on from new seeds.
TEST(Geodesic, DisconnectedAndExtended) {
  Context context;
  const auto a = cuboid({2, 2, 2}, {12, 12, 12});
  const auto b = cuboid({16, 2, 2}, {28, 14, 14});
  const auto c = cuboid({2, 16, 20}, {12, 30, 30});
  const VoxelSolid solid =
      solid_with_skin(32, [&](int x, int y, int z) { return a(x, y, z) || b(x, y, z) || c(x, y, z); });
  const Scene s(solid, {{Vec3(5.5, 5.5, 5.5), Vec3(8.5, 5.5, 5.5)}, {Vec3(7.5, 8.5, 6.5), Vec3(7.5, 9.5, 6.5)}});
  const GeodesicSweep sweep(s.octree, {}, context);
  NearestSources nearest = sweep.nearest(s.seeds, 4, context);
  const auto components = sweep.unreached(nearest);
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(nearest.of(components[0].front()).front().source(), kNone);
  std::size_t reached = 0;
  for (Index i = 0; i < static_cast<Index>(s.octree.size()); ++i) reached += nearest.reached(i) ? 1 : 0;
  EXPECT_EQ(reached + components[0].size() + components[1].size(), s.octree.size());

  std::vector<GeodesicSeed> more;
  for (const auto& component : components) {
    more.push_back({.source = 1, .cell = component.front(), .distance = 7.25});
    more.push_back({.source = 0, .cell = component.back(), .distance = 9});
  }
  sweep.extend(nearest, more, context);
  EXPECT_TRUE(sweep.unreached(nearest).empty());
  std::vector<GeodesicSeed> all = s.seeds;
  all.insert(all.end(), more.begin(), more.end());
  EXPECT_TRUE(nearest.labels == sweep.nearest(all, 4, context).labels);
  EXPECT_EQ(nearest.of(components[0].front()).front().distance(), 7.25);
}

// Going on with seeds for cells that are reached already gives what all seeds together would have.
TEST(Geodesic, ExtendEqualsAllAtOnce) {
  Context context;
  const Scene s(solid_with_skin(64, ball(31, 33, 30, 28)), scattered(64, 20));
  const GeodesicSweep sweep(s.octree, {}, context);
  const std::size_t half = s.seeds.size() / 2;
  NearestSources nearest = sweep.nearest(std::span(s.seeds).first(half), 3, context);
  sweep.extend(nearest, std::span(s.seeds).subspan(half), context);
  EXPECT_TRUE(nearest.labels == sweep.nearest(s.seeds, 3, context).labels);
}

// Sources in the same voxel have the same distances, the lower one first; fewer sources than k leave labels empty.
TEST(Geodesic, SourcesInOneVoxel) {
  Context context;
  const Segment bone{Vec3(15.5, 15.5, 15.5), Vec3(15.5, 15.5, 15.5)};
  const Scene s(solid_with_skin(32, ball(15, 16, 17, 13)), {bone, bone, bone});
  const auto nearest = GeodesicSweep(s.octree, {}, context).nearest(s.seeds, 4, context);
  for (Index c = 0; c < static_cast<Index>(s.octree.size()); ++c) {
    const auto labels = nearest.of(c);
    for (Index i = 0; i < 3; ++i) {
      ASSERT_EQ(labels[static_cast<std::size_t>(i)].source(), i);
      ASSERT_EQ(labels[static_cast<std::size_t>(i)].length(), labels[0].length());
    }
    ASSERT_FALSE(labels[3].reached());
  }
}

// A symmetric solid with symmetric bones has symmetric distances, exactly.
TEST(Geodesic, Mirror) {
  Context context;
  const auto two_balls = [](int x, int y, int z) {
    return ball(20, 16, 16, 11)(x, y, z) || ball(44, 16, 16, 11)(x, y, z) ||
           cuboid({20, 12, 12}, {44, 20, 20})(x, y, z);
  };
  const std::vector<Segment> bones = {{Vec3(14.2, 15.1, 13.7), Vec3(20.4, 17.3, 16.6)},
                                      {Vec3(49.8, 15.1, 13.7), Vec3(43.6, 17.3, 16.6)},
                                      {Vec3(32, 14.5, 14.1), Vec3(32, 17.3, 16.9)}};
  const std::vector<std::size_t> partner = {1, 0, 2};
  const Scene s(solid_with_skin(64, two_balls), bones);
  const AllDistances all = GeodesicSweep(s.octree, {}, context).all(s.seeds, 3, context);
  for (std::size_t c = 0; c < s.octree.size(); ++c) {
    const Voxel v = morton_decode(s.octree.cells()[c].code);
    const Index mirrored = s.octree.find(Voxel{63 - v[0], v[1], v[2]});
    ASSERT_NE(mirrored, kNone);
    for (std::size_t b = 0; b < 3; ++b) {
      ASSERT_EQ(all.lengths[b][c], all.lengths[partner[b]][static_cast<std::size_t>(mirrored)]);
    }
  }
}

// The same bytes for one thread and two.
TEST(Geodesic, SameForAnyThreads) {
  Context one(1);
  Context two(2);
  const Scene s(solid_with_skin(64, ball(31, 33, 30, 28)), scattered(64, 40));
  const GeodesicSweep a(s.octree, {}, one);
  const GeodesicSweep b(s.octree, {}, two);
  const NearestSources expected = a.nearest(s.seeds, 4, one);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(b.nearest(s.seeds, 4, two).labels == expected.labels);
  EXPECT_EQ(a.all(s.seeds, s.sources, one).lengths, b.all(s.seeds, s.sources, two).lengths);
}

// Also where the skin carries labels on: sheets, thin bars, seeds on the surface.
TEST(Geodesic, SameForAnyThreadsInThinShapes) {
  Context one(1);
  Context three(3);
  for (const VoxelSolid& solid : solids()) {
    Scene s(solid, scattered(solid.grid.resolution, 30));
    for (Index c = 0; c < static_cast<Index>(s.octree.size()); c += 97) {
      s.seeds.push_back({.source = s.sources++, .cell = c, .distance = 0.5 * (c % 7)});
    }
    const GeodesicSweep sweep(s.octree, {}, one);
    const NearestSources expected = sweep.nearest(s.seeds, 4, one);
    ASSERT_TRUE(sweep.nearest(s.seeds, 4, three).labels == expected.labels);
    ASSERT_TRUE(sweep.all(s.seeds, s.sources, one).cut(4).labels == expected.labels);
  }
}

// The order of the seeds does not matter.
TEST(Geodesic, SameForAnyOrderOfSeeds) {
  Context context;
  Scene s(solid_with_skin(32, ball(15, 16, 17, 13)), scattered(32, 20));
  const GeodesicSweep sweep(s.octree, {}, context);
  const NearestSources expected = sweep.nearest(s.seeds, 4, context);
  std::reverse(s.seeds.begin(), s.seeds.end());
  EXPECT_TRUE(sweep.nearest(s.seeds, 4, context).labels == expected.labels);
}

// A bone that starts at a distance keeps that distance all the way.
TEST(Geodesic, StartingDistance) {
  Context context;
  Scene s(solid_with_skin(32, ball(15, 16, 17, 13)), {{Vec3(15.5, 15.5, 15.5), Vec3(15.5, 15.5, 15.5)}});
  const GeodesicSweep sweep(s.octree, {}, context);
  const auto without = sweep.all(s.seeds, 1, context).lengths[0];
  for (GeodesicSeed& seed : s.seeds) seed.distance = 3.5;
  const auto with = sweep.all(s.seeds, 1, context).lengths[0];
  for (std::size_t c = 0; c < with.size(); ++c) ASSERT_EQ(with[c], without[c] + 3584);
}

// Nothing to sweep over, and no seeds: nothing is reached, nothing breaks.
TEST(Geodesic, Empty) {
  Context context;
  const Scene nothing(solid_with_skin(16, [](int, int, int) { return false; }), {});
  EXPECT_EQ(GeodesicSweep(nothing.octree, {}, context).nearest({}, 4, context).cell_count(), 0u);
  const Scene s(solid_with_skin(32, ball(15, 16, 17, 13)), {});
  const GeodesicSweep sweep(s.octree, {}, context);
  const auto components = sweep.unreached(sweep.nearest({}, 2, context));
  ASSERT_EQ(components.size(), 1u);
  EXPECT_EQ(components[0].size(), s.octree.size());
}

// Broken seeds and options are refused with a sentence.
TEST(Geodesic, BadInput) {
  Context context;
  const Scene s(solid_with_skin(32, ball(15, 16, 17, 13)), {});
  const GeodesicSweep sweep(s.octree, {}, context);
  const auto refuse = [&](const GeodesicSeed& seed) { EXPECT_THROW(sweep.nearest({&seed, 1}, 4, context), Error); };
  refuse({.source = -1, .cell = 0});
  refuse({.source = 0, .cell = static_cast<Index>(s.octree.size())});
  refuse({.source = 0, .cell = 0, .distance = -1});
  refuse({.source = 0, .cell = 0, .distance = std::nan("")});
  EXPECT_THROW(sweep.nearest({}, 0, context), Error);
  EXPECT_THROW(GeodesicSweep(s.octree, {.penalty = 0.5}, context), Error);
}

// A sweep that is cancelled says so.
TEST(Geodesic, Cancelled) {
  for (const int threads : {1, 2}) {
    Context context(threads);
    const Scene s(solid_with_skin(32, ball(15, 16, 17, 13)), scattered(32, 4));
    const GeodesicSweep sweep(s.octree, {}, context);
    context.set_stop([] { return true; });
    EXPECT_THROW(sweep.nearest(s.seeds, 4, context), Error);
  }
}

}  // namespace
}  // namespace isochor
