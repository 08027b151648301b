#include "isochor/base/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "isochor/base/error.h"

namespace isochor {
namespace {

// Every index is visited exactly once, for any number of threads and any chunk.
TEST(ParallelFor, VisitsEachIndexOnce) {
  for (const int threads : {0, 1, 2, 5}) {
    for (const std::size_t chunk : {0u, 1u, 7u, 1000u}) {
      const Context context(threads);
      std::vector<int> visits(345, 0);
      parallel_for(context, visits.size(), chunk, [&](Range r) {
        for (std::size_t i = r.begin; i < r.end; ++i) ++visits[i];
      });
      for (const int v : visits) ASSERT_EQ(v, 1);
    }
  }
}

// An empty range calls nothing.
TEST(ParallelFor, EmptyRange) {
  parallel_for(Context(), 0, 8, [](Range) { FAIL(); });
}

// Sums have the same bits for one and for more threads.
TEST(ParallelSum, SameBitsForAnyNumberOfThreads) {
  const auto sum = [](int threads) {
    return parallel_sum(Context(threads), 100000, 97, [](Range r) {
      double s = 0;
      for (std::size_t i = r.begin; i < r.end; ++i) s += std::sin(static_cast<double>(i)) * 1e3;
      return s;
    });
  };
  const double one = sum(1);
  for (const int threads : {2, 3, 8, 0}) {
    const double other = sum(threads);
    EXPECT_EQ(std::memcmp(&one, &other, sizeof one), 0) << threads;
  }
}

// An exception thrown in a chunk comes out of the loop.
TEST(ParallelFor, ExceptionsComeOut) {
  for (const int threads : {1, 2}) {
    EXPECT_THROW(parallel_for(Context(threads), 1000, 10,
                              [](Range r) {
                                if (r.begin == 500) throw_bad_input("no");
                              }),
                 Error);
  }
}

// A cancelled context stops the loop.
TEST(ParallelFor, CancelledContextStops) {
  Context context(2);
  context.set_stop([] { return true; });
  EXPECT_THROW(parallel_for(context, 100, 1, [](Range) {}), Error);
}

// One thread means one; any other number is used as far as the machine has that many.
TEST(Parallel, EffectiveThreads) {
  EXPECT_EQ(effective_threads(Context(1)), 1);
  EXPECT_GE(effective_threads(Context()), 1);
  EXPECT_LE(effective_threads(Context(1000)), effective_threads(Context()));
}

}  // namespace
}  // namespace isochor
