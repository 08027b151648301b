#include "base/processor.h"
#include "mesh/ring_kernels_body.h"

namespace isochor::ring_kernels {

const Kernels& portable() { return kKernels; }

const Kernels* avx2() {
#ifdef ISOCHOR_WITH_AVX2_KERNELS
  if (has_avx2()) return &kAvx2;
#endif
  return nullptr;
}

const Kernels& best() {
  const Kernels* fast = avx2();
  return fast != nullptr ? *fast : portable();
}

}  // namespace isochor::ring_kernels
