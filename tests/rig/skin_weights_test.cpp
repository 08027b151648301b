#include "isochor/rig/skin_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

SkinWeights rows(const std::vector<std::vector<Influence>>& list) {
  SkinWeights w;
  for (const auto& row : list) w.add_row(row);
  return w;
}

bool has(const Problems& problems, const std::string& code) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.code == code; });
}

// The largest weights are kept; equal ones by the lower joint.
TEST(SkinWeights, LimitKeepsTheLargest) {
  SkinWeights w = rows({{{3, 0.25}, {1, 0.25}, {2, 0.4}, {0, 0.1}}, {{5, 1}}});
  limit(w, 2);
  EXPECT_EQ(w, rows({{{2, 0.4}, {1, 0.25}}, {{5, 1}}}));
  EXPECT_EQ(w.max_influences(), 2);
}

// Round weights sum to 1 without rounding, are floats, and stay as they are when they are made round again.
TEST(SkinWeights, RoundWeights) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 0.1}, {1, 0.7}, {2, 0.2}});
  weights.add_row(std::vector<Influence>{{3, 1.0 / 3}, {1, 1.0 / 3}, {2, 1.0 / 3}});
  weights.add_row(std::vector<Influence>{{0, 5}, {4, 1e-9}});
  weights.add_row(std::vector<Influence>{});
  round_weights(weights);
  for (std::size_t v = 0; v < 3; ++v) {
    double sum = 0;
    for (const Influence& i : weights.row(v)) {
      sum += i.weight;
      EXPECT_EQ(i.weight, static_cast<double>(static_cast<float>(i.weight)));
      EXPECT_EQ(std::fmod(i.weight, kWeightUnit), 0);
    }
    EXPECT_EQ(sum, 1);
  }
  EXPECT_EQ(weights.row(0)[0].joint, 1);
  EXPECT_NEAR(weights.row(0)[0].weight, 0.7, 1e-7);
  EXPECT_EQ(weights.row(2).size(), 1u);
  EXPECT_EQ(weights.row(3).size(), 0u);
  SkinWeights again = weights;
  round_weights(again);
  EXPECT_EQ(again, weights);
}

// Small weights go, but a vertex never loses its last one.
TEST(SkinWeights, PruneKeepsTheStrongest) {
  SkinWeights w = rows({{{0, 0.9}, {1, 0.001}}, {{4, 0.002}, {2, 0.003}}});
  prune(w, 0.01);
  EXPECT_EQ(w, rows({{{0, 0.9}}, {{2, 0.003}}}));
}

// Rows sum to one; a row of zeros stays.
TEST(SkinWeights, Normalise) {
  SkinWeights w = rows({{{0, 1}, {1, 3}}, {{0, 0}}});
  normalise(w);
  EXPECT_EQ(w, rows({{{0, 0.25}, {1, 0.75}}, {{0, 0}}}));
}

// Rows are sorted by falling weight, ties by joint.
TEST(SkinWeights, Sort) {
  SkinWeights w = rows({{{2, 0.3}, {1, 0.3}, {0, 0.4}}});
  sort_by_weight(w);
  EXPECT_EQ(w, rows({{{0, 0.4}, {1, 0.3}, {2, 0.3}}}));
}

// Every kind of broken weight is repaired and reported with its vertex.
TEST(SkinWeights, RepairReportsWhatItDid) {
  SkinWeights w = rows({{{0, 0.5}, {1, 0.5}},
                        {{0, std::nan("")}, {1, 0.5}},
                        {{0, -1}, {1, 1}},
                        {{9, 0.5}, {1, 0.5}},
                        {{1, 0.25}, {1, 0.25}, {0, 0.5}},
                        {},
                        {{0, 1e308}, {1, 1e308}}});
  const Problems problems = repair(w, 2, 1);
  EXPECT_EQ(
      w,
      rows({{{0, 0.5}, {1, 0.5}}, {{1, 1}}, {{1, 1}}, {{1, 1}}, {{0, 0.5}, {1, 0.5}}, {{1, 1}}, {{0, 0.5}, {1, 0.5}}}));
  for (const char* code : {"weights-not-finite", "weights-negative", "weights-joint", "weights-repeated",
                           "weights-not-normalised", "weights-missing"}) {
    EXPECT_TRUE(has(problems, code)) << code;
  }
  EXPECT_TRUE(validate(w, 2).empty());
}

// Without a fallback a vertex without weights stays empty, and is named.
TEST(SkinWeights, RepairWithoutFallback) {
  SkinWeights w = rows({{{0, 1}}, {}});
  const Problems problems = repair(w, 1);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].elements, std::vector<Index>{1});
  EXPECT_TRUE(w.row(1).empty());
}

// Sums that are off by rounding only are put right without a word.
TEST(SkinWeights, RoundingIsNoProblem) {
  SkinWeights w = rows({{{0, 0.3333f}, {1, 0.6666f}}});
  EXPECT_TRUE(repair(w, 2).empty());
  EXPECT_TRUE(validate(w, 2, 1e-12).empty());
}

// The validator names each defect.
TEST(SkinWeights, ValidateGivesReasons) {
  EXPECT_TRUE(validate(rows({{{0, 1}}}), 1).empty());
  EXPECT_TRUE(has(validate(rows({{{0, std::nan("")}}}), 1), "weights-not-finite"));
  EXPECT_TRUE(has(validate(rows({{{0, -1}, {1, 2}}}), 2), "weights-negative"));
  EXPECT_TRUE(has(validate(rows({{{2, 1}}}), 2), "weights-joint"));
  EXPECT_TRUE(has(validate(rows({{{0, 0.5}, {0, 0.5}}}), 2), "weights-repeated"));
  EXPECT_TRUE(has(validate(rows({{{0, 0.9}}}), 2), "weights-not-normalised"));
  EXPECT_TRUE(has(validate(rows({{}}), 2), "weights-missing"));
}

}  // namespace
}  // namespace isochor
