#pragma once

/// Affinities of vertices to handles, evened out along the surface over a length.

#include "bind/gvb_samples.h"

namespace isochor {

/// Fills slots.affinity from slots.distance.
void find_affinities(VertexSlots& slots);

struct DiffusionTask {
  const Surface& surface;
  const VoxelGrid& grid;
  double length = 1;  ///< of the diffusion, in distances to the nearest handle
};

/// One implicit step of heat flow, (M + L) y = M y₀, for every handle at once: M the vertices' areas, L a Laplacian
/// whose conductances are the square of the length, which follows the limb's thickness. It depends on lengths and
/// areas alone, not on how finely the surface is cut. All conductances are positive whatever the triangles' shape, so
/// that affinities stay between the least and the largest. A handle's affinity is 0 at vertices that have no slot for
/// it. The order of vertices and faces does not change a bit of the result.
void diffuse_affinities(const DiffusionTask& task, VertexSlots& slots, const Context& context);

/// Slots by decreasing affinity, then handle.
void sort_slots(VertexSlots& slots, const Context& context);

}  // namespace isochor
