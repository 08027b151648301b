#pragma once

/// The voxel side of geodesic voxel binding: from a surface and handles to the nearest handles of every cell.

#include <string>

#include "isochor/bind/gvb.h"
#include "isochor/voxel/geodesic.h"
#include "isochor/voxel/octree.h"
#include "isochor/voxel/voxelize.h"

namespace isochor {

struct GvbCells {
  Octree octree;
  NearestSources nearest;
  std::vector<Index> across_gap;  ///< cells that no bone reached before distances crossed a gap; increasing
};

struct GvbTask {
  const Surface& surface;
  VoxelGrid grid;
  const GvbOptions& options;
  Index k = 4;                  ///< how many handles each cell keeps
  VoxelSolid* solid = nullptr;  ///< takes the voxels, for those who need them
};

/// A sentence where all joints are so far from the mesh that they are another mesh's, or in other units; else nothing.
/// Control bones that lie apart do no harm.
std::string far_joints(const Surface& surface, std::span<const Handle> handles);
/// Throws Error(bad_input) with a sentence: no vertex, no handle, a number that is not finite, joints far from the
/// mesh.
void check_gvb_input(const Surface& surface, std::span<const Handle> handles, const GvbOptions& options);

/// The resolution that is asked for, or one that is found, with its reason, in `evidence`.
void find_resolution(const Surface& surface, std::span<const Handle> handles, const GvbOptions& options,
                     GvbEvidence& evidence, Context& context);

/// Voxelizes the surface, grows the leaves of `handles` inside it, and measures. Writes what was done to `evidence`.
GvbCells measure_cells(const GvbTask& task, std::vector<Handle>& handles, GvbEvidence& evidence, Context& context);

}  // namespace isochor
