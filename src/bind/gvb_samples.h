#pragma once

/// Distances and affinities at vertices.

#include "bind/gvb_cells.h"

namespace isochor {

/// For each vertex the few handles that are near, `stride` slots per vertex, unused ones at the end with handle kNone.
struct VertexSlots {
  std::size_t stride = 0;
  std::vector<Index> handle;
  std::vector<float> distance;  ///< in voxels
  /// log(far / distance), where `far` is the largest distance among the vertex's slots: it falls to 0 where a handle
  /// leaves the slots. Weights of eq. 9 are exp(λ · affinity), normalised.
  std::vector<float> affinity;

  std::size_t vertex_count() const { return stride > 0 ? handle.size() / stride : 0; }
};

struct SampleTask {
  const GvbCells& cells;
  std::span<const Handle> handles;
  GvbSampling sampling = GvbSampling::smooth;
  std::size_t slots = 4;
  double facing = 0;  ///< how much farther bones are that the skin faces away from: the power of Sampler::stretch()
  std::span<const Vec3> normals = {};  ///< of the positions, with `facing`
};

/// Reads the distances of all positions. Slots are sorted by distance, then handle. Positions outside all cells read
/// the nearest one; how many did is added to `strays`.
VertexSlots sample_slots(const SampleTask& task, std::span<const Vec3> positions, std::size_t& strays,
                         const Context& context);

}  // namespace isochor
