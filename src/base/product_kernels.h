#pragma once

/// The inner loop of products of matrices (matrix_product.h), compiled twice from one source (product_kernels_body.h):
/// for any machine and for AVX2 (base/processor.h).

#include <cstddef>

namespace isochor::product_kernels {

/// A tile of a product: as many sums at once as registers hold, in double or in single precision.
inline constexpr std::size_t kTileRows = 4;
template <class Scalar>
inline constexpr std::size_t kTileColumns = 64 / sizeof(Scalar);

/// out, kTileRows × kTileColumns by rows: Σ over k < depth of a[k][row] · b[k][column], in the order of k.
template <class Scalar>
using Tile = void (*)(const Scalar* a, const Scalar* b, std::size_t depth, Scalar* out);

struct Kernels {
  Tile<double> in_double;
  Tile<float> in_single;
};

/// For any machine.
const Kernels& portable();
/// For AVX2; null where this build or this machine has none.
const Kernels* avx2();
/// The best of the above.
const Kernels& best();

#ifdef ISOCHOR_WITH_AVX2_KERNELS
/// Data, not a function: nothing of the AVX2 source may run before the machine is known.
extern const Kernels kAvx2;
#endif

}  // namespace isochor::product_kernels
