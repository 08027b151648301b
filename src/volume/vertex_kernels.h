#pragma once

/// What `together` does to every vertex by itself, four at a time; compiled twice from one source
/// (vertex_kernels_body.h): for any machine and for AVX2 (base/processor.h). Points are three doubles, one after the
/// other, maps twelve, by columns; all are #V, and written for the vertices named.

#include <cstddef>
#include <cstdint>

namespace isochor::vertex_kernels {

struct Vertices {
  const std::int32_t* which;
  std::size_t count;
};

struct FibreInput {
  const double *maps, *rest_normals;
  const double *gradient, *radius, *areas;  ///< ∇V of the pose; local radii and areas at rest
  double scale, sign;                       ///< of the component: of lengths; -1 where it is mirrored
};
struct FibreOutput {
  double* loss;     ///< of the fibre's squared length
  double* normals;  ///< along what a vertex is displaced, as long as the body is thick there
};
/// Where each vertex may go. See docs/design/volume.md, "Along what".
using ReadFibres = void (*)(const Vertices& vertices, const FibreInput& in, const FibreOutput& out);

struct HeightInput {
  const double *maps, *positions, *normals;
  const double *heights, *closing_heights;  ///< along the normals
};
struct HeightOutput {
  double *offsets, *closing_offsets;  ///< at rest
  double *positions, *closing;        ///< in the pose
};
/// Displacements along normals as offsets at rest: those of RestCarrier (volume/rest_carrier.h).
using CarryHeights = void (*)(const Vertices& vertices, const HeightInput& in, const HeightOutput& out);

struct NormalInput {
  const double *maps, *gradient, *areas;  ///< ∇V of the pose; areas at rest
  double scale;                           ///< of lengths, of the component
};
struct NormalOutput {
  double *displacements, *offsets;
};
/// The surface's normals as far as offsets at rest can have them: guarded_normal(), carried by RestCarrier.
using CarryNormals = void (*)(const Vertices& vertices, const NormalInput& in, const NormalOutput& out);

struct Kernels {
  ReadFibres read_fibres;
  CarryHeights carry_heights;
  CarryNormals carry_normals;
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

}  // namespace isochor::vertex_kernels
