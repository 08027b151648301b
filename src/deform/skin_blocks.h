#pragma once

/// Skin weights in the form that the kernels read (skin_kernels.h).

#include <cstdint>
#include <span>
#include <vector>

#include "deform/aligned_vector.h"
#include "deform/skin_kernels.h"
#include "isochor/base/types.h"
#include "isochor/deform/skinning.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// What an entry of the palette is made from. For lbs there is one for each joint. For dqs there is one for each pair
/// of a joint and the strongest joint of a vertex that follows both: the entry lies in the hemisphere of the latter, so
/// that the kernels need not look.
struct PaletteSource {
  Index joint = 0;
  Index strongest = 0;
  Index first_vertex = 0;  ///< the lowest vertex that uses it

  bool operator==(const PaletteSource& other) const { return joint == other.joint && strongest == other.strongest; }
};

/// Blocks that one call of a kernel handles. The last one is alone where it is not full.
struct SkinChunk {
  std::size_t first_block = 0;
  std::size_t blocks = 0;
  std::size_t weights_begin = 0;  ///< into SkinBlocks::weights
  std::size_t joints_begin = 0;   ///< into SkinBlocks::joints16 or joints32
};

struct SkinBlocks {
  std::size_t vertex_count = 0;
  std::vector<PaletteSource> palette;  ///< ordered by (strongest, joint)
  std::vector<skin_kernels::BlockHeader> headers;
  AlignedVector<float> weights;
  AlignedVector<std::uint16_t> joints16;  ///< empty where the palette is too large for 16 bits
  AlignedVector<std::uint32_t> joints32;  ///< empty otherwise
  std::vector<SkinChunk> chunks;
};

/// Rows are normalised. Throws Error(bad_input) for a row that cannot be.
SkinBlocks make_skin_blocks(const SkinWeights& weights, Deformer deformer);

}  // namespace isochor
