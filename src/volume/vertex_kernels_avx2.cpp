// Compiled with -mavx2.

#include "volume/vertex_kernels_body.h"

namespace isochor::vertex_kernels {

const Kernels kAvx2 = kKernels;

}  // namespace isochor::vertex_kernels
