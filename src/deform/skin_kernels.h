#pragma once

/// The inner loops of Skinner, compiled twice from one source (skin_kernels_body.h): for any machine and for AVX2
/// (base/processor.h).

#include <cstddef>
#include <cstdint>

namespace isochor::skin_kernels {

/// Vertices are processed in blocks of this many, one SIMD lane each.
inline constexpr int kBlock = 8;

// Palette entries, in floats. Columns are padded to four floats.
//   lbs      c0 c1 c2 c3                    the four columns of the skin matrix
//   dqs      r d                            real and dual quaternion (w, x, y, z)
//   stretch  r k3 | k0 k1 | k2 s | s'       the dual quaternion of a vertex p is k0 px + k1 py + k2 pz + k3;
//                                           s = (sxx, syy, szz), s' = (sxy, sxz, syz) the stretch
inline constexpr int kLbsEntry = 16;
inline constexpr int kDqsEntry = 8;
inline constexpr int kStretchEntry = 32;

/// A stored index is the entry's number times this, so that an address needs no shift: eight bytes times the stored
/// index for lbs and dqs.
inline constexpr int kLbsIndexUnit = kLbsEntry / 2;
inline constexpr int kDqsIndexUnit = kDqsEntry / 2;

enum class Normals { none, unit, as_they_come };

/// How the influences of a block are stored.
///   shared    `count` joints for the whole block: count stored indices, count × 8 weights (w[8] of the first joint, …)
///   separate  `count` joints for each vertex: 8 × count stored indices, 8 × count weights, vertex by vertex
/// Neighbours mostly follow the same few joints; separate rows are for blocks where they do not.
enum class Rows : std::uint16_t { shared, separate };
struct BlockHeader {
  std::uint16_t count;  ///< at least 1; for separate rows 2, 4 or more
  Rows rows;
};

/// Consecutive blocks.
struct Blocks {
  std::size_t count;
  const BlockHeader* headers;
  const float* points;            // #blocks × (x[8] y[8] z[8]), with normals also (nx[8] ny[8] nz[8])
  const float* weights;           // see Rows
  const std::uint16_t* joints16;  // see Rows; null where the indices need 32 bits
  const std::uint32_t* joints32;
};

/// What is the same for all blocks of a frame.
struct Frame {
  const float* palette;
  float offset[3];  ///< added to every position
  float scale;      ///< for dqs: common to all joints, negative for a mirrored character
  Normals normals;
};

/// Interleaved xyz, 8 × 3 floats per block; `normals` is unused for Normals::none.
struct Output {
  float* positions;
  float* normals;
};

struct Kernels {
  using Skin = void (*)(const Blocks&, const Frame&, const Output&);
  Skin lbs;
  Skin dqs;      ///< joints are rotations and translations, times one common scale
  Skin stretch;  ///< dqs of joints with any stretch
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

}  // namespace isochor::skin_kernels
