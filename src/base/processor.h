#pragma once

/// What the processor can do. Inner loops (deform/skin_kernels.h, base/product_kernels.h, mesh/ring_kernels.h,
/// volume/vertex_kernels.h, volume/contact_kernels.h) are compiled twice from one source, for any machine and for AVX2;
/// both do the same operations in the same order without fused multiply-adds, so that they give the same bytes.
///
/// The sources of such loops use neither Eigen nor the standard library's templates: an inline function compiled there
/// with special flags could be the copy that the linker keeps for everyone. For the same reason this is no inline
/// function.

namespace isochor {

/// AVX2 kernels are in this build and run on this machine.
bool has_avx2();

}  // namespace isochor
