#pragma once

/// For tests: which kernels a Skinner uses.

#include "deform/skin_kernels.h"
#include "isochor/deform/skinner.h"

namespace isochor {

struct SkinnerAccess {
  static void use_kernels(Skinner& skinner, const skin_kernels::Kernels& kernels);
};

}  // namespace isochor
