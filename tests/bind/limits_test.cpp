#include "isochor/bind/limits.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// The strongest stay, small ones go, the rest sums to one and is sorted.
TEST(Limits, LimitPruneNormaliseSort) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 0.004}, {1, 0.3}, {2, 0.5}, {3, 0.1}, {4, 0.2}});
  apply({.influences = 3, .prune = 0.25}, weights);
  ASSERT_EQ(weights.row(0).size(), 2u);
  EXPECT_EQ(weights.row(0)[0].joint, 2);
  EXPECT_DOUBLE_EQ(weights.row(0)[0].weight, 0.625);
  EXPECT_DOUBLE_EQ(weights.row(0)[1].weight, 0.375);
}

}  // namespace
}  // namespace isochor
