#pragma once

/// A surface turned into a solid of voxels by votes (Dionne and de Lasa 2014, section 5.1). It works on any surface:
/// open, self-intersecting, torn into loose triangles, with faces that are turned over, doubled or without area.

#include <array>
#include <cstdint>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/base/problem.h"
#include "isochor/mesh/surface.h"
#include "isochor/voxel/solid.h"

namespace isochor {

/// Which voxels are decided by the generalised winding number instead of by votes.
enum class WindingUse : std::uint8_t {
  off,       ///< none: two of three axes make a voxel interior (eq. 5 and 6)
  single,    ///< those with the vote of a single axis, as in the paper
  disputed,  ///< those on which the six directions disagree by more than one
  all,       ///< every voxel near the surface or within its box: slow, for comparison
};
template <>
struct EnumNames<WindingUse> {
  static constexpr std::array names{"off", "single", "disputed", "all"};
};

struct VoxelizeOptions {
  WindingUse winding = WindingUse::disputed;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, VoxelizeOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.winding, FieldInfo{.name = "winding",
                                   .help = "which voxels the winding number decides instead of votes: none, those with "
                                           "a single vote, those in dispute, or all"});
}

/// How a voxelization came about.
struct VoxelizeEvidence {
  std::int64_t triangles = 0;
  std::int64_t hits = 0;  ///< of all columns of all three axes with the surface
  /// Voxels off the surface by the number of votes: of axes (0 … 3) for `off` and `single`, of directions (0 … 6)
  /// otherwise. Those with none are left out.
  std::array<std::int64_t, 7> by_votes = {};
  std::int64_t doubtful = 0;            ///< voxels that the votes left open
  std::int64_t winding_queries = 0;     ///< how often the winding number was asked; a query may settle many voxels
  std::int64_t flipped_triangles = 0;   ///< turned over before the votes
  std::int64_t flipped_components = 0;  ///< turned inside out as a whole
  std::int64_t cavities = 0;            ///< closed components that face inward inside another: kept as hollows
  std::size_t peak_bytes = 0;           ///< about the most that was held at one time, the result included
};

struct Voxelization {
  VoxelSolid solid;
  VoxelizeEvidence evidence;
  /// Codes: faces-turned-over, component-inside-out, component-cavity, faces-not-finite.
  Problems problems;
};

/// Boundary are the voxels that touch a face or an edge, a closed voxel and a closed triangle: also those that touch in
/// a point only. They hold the voxel grid.at(p) of every finite vertex, in a face or not. Interior are those off the
/// surface that votes or the winding number put inside. The order of faces and vertices makes no difference, nor does
/// the number of threads. Faces with a vertex that is not finite are left out and reported.
/// Throws Error(bad_input) if the grid does not hold all finite vertices, or its resolution is not a power of two
/// between 8 and 1024.
Voxelization voxelize(const Surface& surface, const VoxelGrid& grid, const VoxelizeOptions& options, Context& context);

}  // namespace isochor
