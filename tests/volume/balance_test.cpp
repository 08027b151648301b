#include "volume/balance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isochor::volume {
namespace {

BalanceProblem problem(Eigen::Index n) {
  BalanceProblem p;
  p.resize(n, n);
  p.effect.setIdentity();
  p.wanted.setZero();
  p.bearable.setConstant(10);
  p.stiffness.setConstant(1e-6);
  p.total_effect.setOnes();
  return p;
}

// Regions that can be served are served, and the total is met.
TEST(Balance, ServesEveryRegion) {
  BalanceProblem p = problem(3);
  p.wanted << 0.1, -0.2, 0.4;
  p.total = p.wanted.sum();
  Balance balance;
  ASSERT_TRUE(balance.solve(p));
  EXPECT_LT((balance.amounts() - p.wanted).norm(), 1e-5);
}

// The total is a hard constraint: what nobody asked for is shared out evenly.
TEST(Balance, TotalIsHard) {
  BalanceProblem p = problem(4);
  p.total = 1;
  Balance balance;
  ASSERT_TRUE(balance.solve(p));
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(balance.amounts()[j], 0.25, 1e-12);
}

// A region that would end worse than is bearable gives up less: others take over.
TEST(Balance, BearableErrors) {
  BalanceProblem p = problem(4);
  p.total = 1;
  Balance balance;
  p.bearable[0] = 0.05;
  ASSERT_TRUE(balance.solve(p));
  EXPECT_LT(balance.amounts()[0], 0.1);
  EXPECT_NEAR(balance.amounts().sum(), 1, 1e-12);
}

// A step between two neighbours costs more the more smoothness counts: the one that lost nothing helps the other.
TEST(Balance, NeighboursShare) {
  Balance balance;
  double last = 1;
  for (const double smoothness : {0.0, 0.1, 1.0, 100.0}) {
    BalanceProblem p = problem(2);
    p.wanted << 0.4, 0.0;
    p.total = 0.4;
    p.steepness << smoothness, -smoothness, -smoothness, smoothness;
    ASSERT_TRUE(balance.solve(p));
    const double step = balance.amounts()[0] - balance.amounts()[1];
    EXPECT_NEAR(balance.amounts().sum(), 0.4, 1e-12);
    EXPECT_LT(step, last);
    last = step;
  }
  EXPECT_NEAR(last, 0, 0.01);
}

// The answer moves continuously with the problem: no jump as regions pass what is bearable.
TEST(Balance, Continuous) {
  Balance balance;
  Eigen::VectorXd last;
  for (int i = 0; i <= 4000; ++i) {
    const double t = i / 4000.0;
    BalanceProblem p = problem(5);
    for (int a = 0; a < 5; ++a) {
      for (int b = 0; b < 5; ++b) p.effect(a, b) += 0.4 * std::cos(3.0 * a + 5.0 * b);
      p.wanted[a] = 0.5 * std::sin(6 * t + 2.0 * a);
      p.bearable[a] = 0.1 + 0.1 * std::cos(9 * t + a);
    }
    p.stiffness.setConstant(0.05);
    p.total = 0.3 * std::cos(4 * t);
    ASSERT_TRUE(balance.solve(p));
    if (last.size() > 0) {
      EXPECT_LT((balance.amounts() - last).norm(), 0.02) << i;
    }
    last = balance.amounts();
  }
}

// Nothing that changes the total: said, and nothing is NaN.
TEST(Balance, NoHold) {
  BalanceProblem p = problem(2);
  p.total = 1;
  p.total_effect.setZero();
  Balance balance;
  EXPECT_FALSE(balance.solve(p));
  EXPECT_TRUE(balance.amounts().allFinite());
}

}  // namespace
}  // namespace isochor::volume
