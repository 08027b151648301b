#pragma once

/// The inner loops of contact_search.h, compiled twice from one source (contact_kernels_body.h): for any machine and
/// for AVX2 (base/processor.h). Eight faces are a block, one SIMD lane each; so are eight blocks, on each level above.
///
/// A word of 64 bits is for the pairs of two blocks' lanes: bit 8 i + j for lane i of the first and j of the second.

#include <cstddef>
#include <cstdint>

namespace isochor::contact_kernels {

inline constexpr int kBlock = 8;
/// Boxes of faces are grown by this share of their diagonals: no less than those of their triangles are.
inline constexpr float kGrown = 0.25F * 1.0001F;

/// By lane.
typedef float Eight[kBlock];

/// A vertex in both shapes, rounded outwards: the negated low corner of its box, how little it moves, which is 0; the
/// high corner, and how far it moves, or a little more. A box of several holds the largest of each.
struct Bounds {
  float outward[8];
};

/// Eight faces, or eight blocks of the level below. Where there is none, low is +∞ and high -∞.
struct alignas(32) Block {
  Eight low[3], high[3];  ///< of both shapes
  Eight around;           ///< by how much these are grown
  Eight way;              ///< the farthest that a corner goes between them, or a little more
  Eight normal[3];        ///< of faces, outward in the pose: those of their triangles
  Eight normal_spread;    ///< differ from this by no more than that
  std::uint64_t stirring, moving;
};

/// Of eight triangles: outward in the pose, and by how much each coordinate may be wrong.
struct alignas(32) Normals {
  Eight of[3];
  Eight around;
};

/// Where the corners of eight faces are in the pose: the first ones, the second ones …; a face that has fewer than
/// others has its last again.
struct alignas(32) Corners {
  Eight at[3];
};

/// Boxes of vertices. `around`: what rounding may take.
using BoundVertices = void (*)(const double* posed, const double* corrected, std::size_t count, float around,
                               Bounds* bounds, char* moves);

/// Boxes of a block's faces. `corners`: `count` times one of each face.
using FillBoxes = void (*)(const Bounds* bounds, const std::int32_t* corners, std::size_t count, Block& block);

/// Boxes of eight blocks, as the level above has them.
using BoundBlocks = void (*)(const Block* blocks, Block& above);

/// Normals of a block's triangles and faces. `triangles`: of `count` times eight, the corners. `side`: see SearchInput.
/// Edges are taken times `unit`.
using FillNormals = void (*)(const double* posed, const std::int32_t* triangles, std::size_t count, float unit,
                             const Eight& side, Normals* normals, Block& block);

using FillCorners = void (*)(const double* posed, const std::int32_t* corners, std::size_t count, Corners* out);

/// The pairs whose boxes overlap where one stirs, and those whose grown boxes overlap where one moves.
struct Near {
  std::uint64_t touching, around;
};
using FindNear = Near (*)(const Block& a, const Block& b);

/// Of pairs of faces, those that may look against each other.
using FindOpposed = std::uint64_t (*)(const Block& a, const Block& b, std::uint64_t pairs);

/// Of pairs of faces, those that may cross in one of the shapes. `rounding`: see BoundVertices.
struct Cornered {
  const Block& block;
  const Corners* corners;
  std::size_t count;
};
using FindCrossing = std::uint64_t (*)(const Cornered& a, const Cornered& b, std::uint64_t pairs, float rounding);

/// Of pairs of faces that look against each other, those that may be in each other's way, if a way is `reach` times as
/// long.
using FindInTheWay = std::uint64_t (*)(const Block& a, const Block& b, std::uint64_t pairs, float reach);

struct Kernels {
  BoundVertices bound_vertices;
  FillBoxes fill_boxes;
  BoundBlocks bound_blocks;
  FillNormals fill_normals;
  FillCorners fill_corners;
  FindNear find_near;
  FindOpposed find_opposed;
  FindCrossing find_crossing;
  FindInTheWay find_in_the_way;
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

}  // namespace isochor::contact_kernels
