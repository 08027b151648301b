// Compiled with -mavx2.

#include "volume/contact_kernels_body.h"

namespace isochor::contact_kernels {

const Kernels kAvx2 = kKernels;

}  // namespace isochor::contact_kernels
