// Compiled with -mavx2.

#include "deform/skin_kernels_body.h"

namespace isochor::skin_kernels {

const Kernels kAvx2 = kKernels;

}  // namespace isochor::skin_kernels
