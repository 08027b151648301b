// Compiled with -mavx2.

#include "mesh/ring_kernels_body.h"

namespace isochor::ring_kernels {

const Kernels kAvx2 = kKernels;

}  // namespace isochor::ring_kernels
