// Compiled with -mavx2.

#include "base/product_kernels_body.h"

namespace isochor::product_kernels {

const Kernels kAvx2 = kKernels;

}  // namespace isochor::product_kernels
