#include "base/processor.h"

namespace isochor {

bool has_avx2() {
#ifdef ISOCHOR_WITH_AVX2_KERNELS
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace isochor
