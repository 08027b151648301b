#include "isochor/bind/weight_metrics.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "support/shapes.h"

namespace isochor {
namespace {

SkinWeights rows(const std::vector<std::vector<Influence>>& all) {
  SkinWeights weights;
  for (const auto& row : all) weights.add_row(row);
  return weights;
}

// Equal weights differ by nothing, in whatever order their influences are.
TEST(WeightMetrics, EqualWeightsDifferByNothing) {
  const SkinWeights a = rows({{{0, 0.25}, {2, 0.75}}, {{1, 1}}});
  const SkinWeights b = rows({{{2, 0.75}, {0, 0.25}}, {{1, 1}}});
  const WeightDifference d = weight_difference(a, b);
  EXPECT_EQ(d.vertices, 2u);
  EXPECT_EQ(d.l1_mean, 0);
  EXPECT_EQ(d.l1_max_vertex, kNone);
  EXPECT_EQ(d.precision, 1);
  EXPECT_EQ(d.recall, 1);
}

// L1 by hand: 0.5 at the first vertex, 2 (no joint in common) at the second; precision and recall count influences.
TEST(WeightMetrics, L1PrecisionRecallByHand) {
  const SkinWeights a = rows({{{0, 0.75}, {1, 0.25}}, {{0, 1}}});
  const SkinWeights b = rows({{{0, 1}}, {{1, 0.5}, {2, 0.5}}});
  const WeightDifference d = weight_difference(a, b);
  EXPECT_DOUBLE_EQ(d.l1_mean, 1.25);
  EXPECT_DOUBLE_EQ(d.l1_max, 2);
  EXPECT_EQ(d.l1_max_vertex, 1);
  EXPECT_DOUBLE_EQ(d.precision, 1.0 / 3) << "of three influences of a, b has one";
  EXPECT_DOUBLE_EQ(d.recall, 1.0 / 3);
}

// An influence of 1e-5 is none; a joint listed twice counts once, with its sum.
TEST(WeightMetrics, SmallInfluencesDoNotCount) {
  const SkinWeights a = rows({{{0, 1 - 1e-5}, {1, 1e-5}}});
  const SkinWeights b = rows({{{0, 0.5}, {0, 0.5}}});
  const WeightDifference d = weight_difference(a, b);
  EXPECT_EQ(d.precision, 1);
  EXPECT_EQ(d.recall, 1);
  EXPECT_NEAR(d.l1_mean, 2e-5, 1e-12);
}

// Vertices that one side does not bind are left out; different numbers of rows are refused.
TEST(WeightMetrics, UnboundVerticesAreLeftOut) {
  const WeightDifference d = weight_difference(rows({{}, {{0, 1}}}), rows({{{0, 1}}, {{1, 1}}}));
  EXPECT_EQ(d.vertices, 1u);
  EXPECT_DOUBLE_EQ(d.l1_mean, 2);
  EXPECT_EQ(weight_difference(rows({}), rows({})).vertices, 0u);
  EXPECT_THROW(weight_difference(rows({{}}), rows({})), Error);
}

// Pruning drops what is below the threshold, then what is beyond the strongest, and the rest sums to 1.
TEST(WeightMetrics, Pruned) {
  const SkinWeights w =
      pruned(rows({{{3, 0.005}, {0, 0.1}, {1, 0.595}, {2, 0.3}}}), {.influences = 2, .threshold = 0.01});
  ASSERT_EQ(w.row(0).size(), 2u);
  EXPECT_EQ(w.row(0)[0].joint, 1);
  EXPECT_NEAR(w.row(0)[0].weight, 0.595 / 0.895, 1e-12);
  EXPECT_TRUE(validate(w, 4).empty());
}

// A step from one joint to the next on a path of four vertices: both vertices at the step see half a step.
TEST(WeightMetrics, SmoothnessOfAStep) {
  const std::vector<Edge> path = {{0, 1}, {1, 2}, {2, 3}};
  EXPECT_DOUBLE_EQ(smoothness(rows({{{0, 1}}, {{0, 1}}, {{1, 1}}, {{1, 1}}}), path), (0 + 1 + 1 + 0) / 4.0);
  EXPECT_EQ(smoothness(rows({{{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 1}}}), path), 0);
  EXPECT_EQ(smoothness(rows({{{0, 1}}, {{1, 1}}}), {}), 0) << "no neighbour, nothing to differ from";
}

// A linear ramp inside a path is perfectly smooth.
TEST(WeightMetrics, SmoothnessOfARamp) {
  const std::vector<Edge> path = {{0, 1}, {1, 2}};
  const SkinWeights ramp = rows({{{0, 1}}, {{0, 0.5}, {1, 0.5}}, {{1, 1}}});
  EXPECT_DOUBLE_EQ(smoothness(ramp, path), (1 + 0 + 1) / 3.0);
}

// Vertices without weights, such as those of a part without a skin, are no part of the mean, and no neighbours either.
TEST(WeightMetrics, SmoothnessLeavesOutWhatHasNoWeights) {
  const std::vector<Edge> path = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  EXPECT_DOUBLE_EQ(smoothness(rows({{{0, 1}}, {{0, 1}}, {{1, 1}}, {{1, 1}}, {}, {}, {}}), path), (0 + 1 + 1 + 0) / 4.0);
  EXPECT_EQ(smoothness(rows({{}, {}}), std::vector<Edge>{{0, 1}}), 0);
}

TEST(WeightMetrics, Histogram) {
  EXPECT_EQ(influence_histogram(rows({{}, {{0, 1}}, {{0, 0.5}, {1, 0.5}}, {{0, 1}, {1, 1e-5}}})),
            (std::vector<std::size_t>{1, 2, 1}));
  EXPECT_TRUE(influence_histogram(rows({})).empty());
}

// Siblings and grandparents are near, cousins and other trees are not.
TEST(WeightMetrics, BleedCountsHops) {
  //  0 - 1 - 2 - 3        0 also has 4; 5 is a tree of its own
  const std::vector<Index> parents = {kNone, 0, 1, 2, 0, kNone};
  EXPECT_EQ(bleed(rows({{{1, 0.6}, {3, 0.2}, {4, 0.2}}}), parents).mean, 0);
  EXPECT_DOUBLE_EQ(bleed(rows({{{2, 0.7}, {4, 0.3}}}), parents).mean, 0.3) << "2 to 4: three hops";
  EXPECT_DOUBLE_EQ(bleed(rows({{{2, 0.7}, {4, 0.3}}}), parents, 3).mean, 0);
  const Bleed other = bleed(rows({{{0, 1}}, {{0, 0.9}, {5, 0.1}}, {}}), parents);
  EXPECT_DOUBLE_EQ(other.mean, 0.05) << "rows without weight do not count";
  EXPECT_DOUBLE_EQ(other.max, 0.1);
  EXPECT_EQ(other.max_vertex, 1);
  EXPECT_EQ(other.vertices, 1u);
}

struct Mirror : testing::Test {
  // A cube off the origin, one joint on each side of x = 3 and two on the plane, at one place.
  Surface surface = test::cube();
  std::vector<Vec3> joints = {Vec3(3, 0.5, 0.5), Vec3(3, 0.5, 0.5), Vec3(2.6, 0.5, 0.4), Vec3(3.4, 0.5, 0.4)};

  void SetUp() override {
    for (Vec3& p : surface.positions) p.x() += 2.5;
    // Unequal sides, so that x is the only mirror: a corner pulled out in y and z, on both sides of x.
    surface.positions[6] += Vec3(0, 0.2, 0.3);
    surface.positions[7] += Vec3(0, 0.2, 0.3);
  }
};

// The plane, the vertices and the joints on both sides find each other.
TEST_F(Mirror, PairsAcrossX) {
  const auto pairs = find_mirror_pairs(surface.positions, joints);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->axis, 0);
  EXPECT_DOUBLE_EQ(pairs->position, 3);
  EXPECT_EQ(pairs->paired, 8u);
  EXPECT_EQ(pairs->vertices, (std::vector<Index>{1, 0, 3, 2, 5, 4, 7, 6}));
  EXPECT_EQ(pairs->joints, (std::vector<Index>{0, 1, 3, 2}));
}

// A shape without a mirror plane has none.
TEST_F(Mirror, NoneWhereThereIsNone) {
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    surface.positions[v] += 0.1 * static_cast<double>(v) * Vec3(1, 0.37, static_cast<double>(v % 3));
  }
  EXPECT_FALSE(find_mirror_pairs(surface.positions, joints));
  EXPECT_FALSE(find_mirror_pairs({}, joints));
}

// Mirrored weights have no error; a swap of left and right is seen, and so is a joint without an image.
TEST_F(Mirror, SymmetryError) {
  auto pairs = find_mirror_pairs(surface.positions, joints);
  ASSERT_TRUE(pairs);
  std::vector<std::vector<Influence>> all(8);
  for (std::size_t v = 0; v < 8; ++v) all[v] = {{v % 2 == 0 ? 2 : 3, 0.75}, {0, 0.25}};
  EXPECT_EQ(symmetry_error(rows(all), *pairs).mean, 0);
  all[0] = {{3, 0.75}, {0, 0.25}};
  const SymmetryError swapped = symmetry_error(rows(all), *pairs);
  EXPECT_DOUBLE_EQ(swapped.max, 1.5);
  EXPECT_DOUBLE_EQ(swapped.mean, 2 * 1.5 / 8) << "seen from both vertices of the pair";
  pairs->joints[0] = kNone;
  all[0] = all[2];
  EXPECT_DOUBLE_EQ(symmetry_error(rows(all), *pairs).mean, 0.5) << "0.25 on each side";
}

// Half the weight on a joint that moved by 2 moves the vertex by 1.
TEST(WeightMetrics, PositionError) {
  const std::vector<Vec3> positions = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
  const std::vector<Affine> matrices = {Affine::Identity(), Affine(Eigen::Translation3d(0, 2, 0))};
  const SkinWeights a = rows({{{0, 1}}, {{0, 1}}});
  const SkinWeights b = rows({{{0, 1}}, {{0, 0.5}, {1, 0.5}}});
  const PositionError error = position_error(positions, a, b, matrices);
  EXPECT_DOUBLE_EQ(error.max, 1);
  EXPECT_DOUBLE_EQ(error.mean, 0.5);
  EXPECT_EQ(error.max_vertex, 1);
  EXPECT_EQ(position_error(positions, b, b, matrices).max, 0);
}

}  // namespace
}  // namespace isochor
