// The kernel's one source, included by product_kernels_portable.cpp and product_kernels_avx2.cpp. GCC's vector
// extensions, which clang shares, on every processor.

#include "base/product_kernels.h"

namespace isochor::product_kernels {
namespace {

#if defined(__AVX2__)
constexpr std::size_t kLanes = 4;
#else
constexpr std::size_t kLanes = 2;
#endif
typedef double Lanes __attribute__((vector_size(sizeof(double) * kLanes)));
typedef double UnalignedLanes __attribute__((vector_size(sizeof(double) * kLanes), aligned(8), may_alias));

[[gnu::always_inline]] inline Lanes load(const double* from) { return *reinterpret_cast<const UnalignedLanes*>(from); }
[[gnu::always_inline]] inline void store(double* to, Lanes a) { *reinterpret_cast<UnalignedLanes*>(to) = a; }

/// Two vectors of columns at a time: eight sums, enough to hide how long an addition takes, and few enough for
/// sixteen registers.
void tile(const double* a, const double* b, std::size_t depth, double* out) {
  for (std::size_t first = 0; first < kTileColumns; first += 2 * kLanes) {
    Lanes c00{}, c01{}, c10{}, c11{}, c20{}, c21{}, c30{}, c31{};
    // Where there is nothing to add up, there may be nothing to point to.
    for (std::size_t k = 0; k < depth; ++k) {
      const double* row = a + k * kTileRows;
      const double* column = b + k * kTileColumns + first;
      const Lanes b0 = load(column), b1 = load(column + kLanes);
      c00 += b0 * row[0];
      c01 += b1 * row[0];
      c10 += b0 * row[1];
      c11 += b1 * row[1];
      c20 += b0 * row[2];
      c21 += b1 * row[2];
      c30 += b0 * row[3];
      c31 += b1 * row[3];
    }
    double* to = out + first;
    store(to, c00);
    store(to + kLanes, c01);
    store(to + kTileColumns, c10);
    store(to + kTileColumns + kLanes, c11);
    store(to + 2 * kTileColumns, c20);
    store(to + 2 * kTileColumns + kLanes, c21);
    store(to + 3 * kTileColumns, c30);
    store(to + 3 * kTileColumns + kLanes, c31);
  }
}

constexpr Kernels kKernels{tile};

}  // namespace
}  // namespace isochor::product_kernels
