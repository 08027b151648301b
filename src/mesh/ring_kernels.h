#pragma once

/// The inner loops of the volume functional (isochor/mesh/volume.h), compiled twice from one source
/// (ring_kernels_body.h): for any machine and for AVX2 (base/processor.h). Points are three doubles, one after the
/// other.

#include <cstddef>
#include <cstdint>

namespace isochor::ring_kernels {

/// Some of a functional's rings. The corners of ring r are corners[begin[r]] … corners[begin[r + 1] - 1].
struct Rings {
  const std::int32_t *begin, *corners;
  const std::int32_t* which;
  std::size_t count;
};

/// A shape: where vertices are, and what they are seen from.
struct Shape {
  const double *positions, *origin;
};

/// What is written for each ring; either may be null.
struct OfRings {
  double* volumes;
  double* areas;  ///< area vectors
};

/// Σ s · N / 6n of the rings.
using Volume = double (*)(const Rings& rings, const Shape& shape);
using Measure = void (*)(const Rings& rings, const Shape& shape, const OfRings& out);
/// Adds the rings' part of ∂V/∂p_v to gradient[v].
using Gradient = void (*)(const Rings& rings, const Shape& shape, double* gradient, const OfRings& out);
/// Writes the three coefficients of the volume along `direction`.
using Along = void (*)(const Rings& rings, const Shape& shape, const double* direction, double* volumes, double* cubic);

struct Kernels {
  Volume volume;
  Measure measure;
  Gradient gradient;
  Along along;
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

}  // namespace isochor::ring_kernels
