// The kernel's one source, included by product_kernels_portable.cpp and product_kernels_avx2.cpp. GCC's vector
// extensions, which clang shares, on every processor.

#include "base/product_kernels.h"

namespace isochor::product_kernels {
namespace {

#if defined(__AVX2__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif

/// As many numbers as one register holds.
template <class Scalar>
struct Register;
template <>
struct Register<double> {
  typedef double Lanes __attribute__((vector_size(kBytes)));
  typedef double Unaligned __attribute__((vector_size(kBytes), aligned(8), may_alias));
};
template <>
struct Register<float> {
  typedef float Lanes __attribute__((vector_size(kBytes)));
  typedef float Unaligned __attribute__((vector_size(kBytes), aligned(4), may_alias));
};

template <class Scalar>
[[gnu::always_inline]] inline typename Register<Scalar>::Lanes load(const Scalar* from) {
  return *reinterpret_cast<const typename Register<Scalar>::Unaligned*>(from);
}
template <class Scalar>
[[gnu::always_inline]] inline void store(Scalar* to, typename Register<Scalar>::Lanes a) {
  *reinterpret_cast<typename Register<Scalar>::Unaligned*>(to) = a;
}

/// Two vectors of columns at a time: eight sums, enough to hide how long an addition takes, and few enough for
/// sixteen registers.
template <class Scalar>
void tile(const Scalar* a, const Scalar* b, std::size_t depth, Scalar* out) {
  using Lanes = typename Register<Scalar>::Lanes;
  constexpr std::size_t kLanes = kBytes / sizeof(Scalar), kColumns = kTileColumns<Scalar>;
  for (std::size_t first = 0; first < kColumns; first += 2 * kLanes) {
    Lanes c00{}, c01{}, c10{}, c11{}, c20{}, c21{}, c30{}, c31{};
    // Where there is nothing to add up, there may be nothing to point to.
    for (std::size_t k = 0; k < depth; ++k) {
      const Scalar* row = a + k * kTileRows;
      const Scalar* column = b + k * kColumns + first;
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
    Scalar* to = out + first;
    store(to, c00);
    store(to + kLanes, c01);
    store(to + kColumns, c10);
    store(to + kColumns + kLanes, c11);
    store(to + 2 * kColumns, c20);
    store(to + 2 * kColumns + kLanes, c21);
    store(to + 3 * kColumns, c30);
    store(to + 3 * kColumns + kLanes, c31);
  }
}

constexpr Kernels kKernels{tile<double>, tile<float>};

}  // namespace
}  // namespace isochor::product_kernels
