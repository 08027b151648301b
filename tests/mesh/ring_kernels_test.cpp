#include "mesh/ring_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {
namespace {

using ring_kernels::Kernels, ring_kernels::Rings;

/// Rings of three to five corners among eight vertices in no order.
struct Patch {
  std::vector<Index> begin{0, 3, 7, 12, 15}, corners{0, 3, 5, 1, 4, 7, 2, 6, 0, 2, 3, 7, 5, 1, 6}, which{3, 0, 1, 2};
  std::vector<double> positions, direction;
  std::array<double, 3> origin{0.3, -0.2, 0.9};

  Patch() {
    for (int i = 0; i < 24; ++i) {
      positions.push_back(std::sin(3.7 * i + 0.1));
      direction.push_back(std::cos(5.3 * i - 0.7));
    }
  }
  Rings rings() const { return {begin.data(), corners.data(), which.data(), which.size()}; }
};

/// All that the kernels write.
std::vector<double> written(const Kernels& kernels, const Patch& patch) {
  const ring_kernels::Shape shape{patch.positions.data(), patch.origin.data()};
  std::vector<double> volumes(4), areas(12), gradient(24), along(4), cubic(3), more(4), same(12);
  kernels.measure(patch.rings(), shape, {volumes.data(), areas.data()});
  kernels.gradient(patch.rings(), shape, gradient.data(), {more.data(), same.data()});
  kernels.along(patch.rings(), shape, patch.direction.data(), along.data(), cubic.data());
  std::vector<double> all{kernels.volume(patch.rings(), shape)};
  for (const auto* values : {&volumes, &areas, &gradient, &along, &cubic, &more, &same})
    all.insert(all.end(), values->begin(), values->end());
  return all;
}

// Every processor gives the same bytes.
TEST(RingKernels, Agree) {
  if (ring_kernels::avx2() == nullptr) GTEST_SKIP() << "no AVX2 here";
  const Patch patch;
  EXPECT_EQ(written(ring_kernels::portable(), patch), written(*ring_kernels::avx2(), patch));
}

// Nothing beyond the last vertex is read or written: what lies there is not a number, and stays so.
TEST(RingKernels, KeepToTheirVertices) {
  Patch patch;
  const auto wanted = written(ring_kernels::best(), patch);
  const double nan = std::nan("");
  patch.positions.push_back(nan);
  patch.direction.push_back(nan);
  EXPECT_EQ(written(ring_kernels::best(), patch), wanted);
  std::vector<double> gradient(25, nan);
  std::fill_n(gradient.begin(), 24, 0.0);
  const ring_kernels::Shape shape{patch.positions.data(), patch.origin.data()};
  ring_kernels::best().gradient(patch.rings(), shape, gradient.data(), {});
  EXPECT_TRUE(std::isnan(gradient[24]));
  for (int i = 0; i < 24; ++i) EXPECT_TRUE(std::isfinite(gradient[i])) << i;
}

}  // namespace
}  // namespace isochor
