#pragma once

/// The medial axis and surface of a voxel solid (Bloomenthal 2002, section 4) as a complex of points, segments and
/// triangles with radii: the centres of the largest balls that fit inside.
///
///   VoxelSolid solid = voxelize(surface, grid, {}, context).solid;
///   MedialComplex medial = medial_complex(surface, solid, {}, context).complex;
///
/// Tolerance: a vertex lies within one voxel of the medial of the shape, and its radius within one voxel of the
/// distance to the surface there. The ends of branches lie within two voxels of those of the medial, as far as it was
/// not pruned. Where a part is thinner than three voxels, the complex follows its voxels.

#include <array>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/mesh/surface.h"
#include "isochor/voxel/solid.h"

namespace isochor {

struct MedialOptions {
  double angle = 75;
  double spacing = 0.6;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, MedialOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.angle, FieldInfo{.name = "medial-angle",
                                 .help = "higher: fewer branches towards edges and bumps; the angle at which the two "
                                         "nearest points of the surface must be seen",
                                 .unit = "degrees",
                                 .min = 30,
                                 .max = 150,
                                 .expert = true});
  visit(options.spacing, FieldInfo{.name = "medial-spacing",
                                   .help = "higher: a coarser complex; the length of its edges",
                                   .unit = "of the radius",
                                   .min = 0.2,
                                   .max = 2,
                                   .expert = true});
}

/// Positions and radii are in the units of the surface.
struct MedialComplex {
  std::vector<Vec3> positions;                  // #M
  std::vector<double> radii;                    // #M
  std::vector<Index> points;                    ///< vertices in no segment and no triangle
  std::vector<std::array<Index, 2>> segments;   ///< edges in no triangle
  std::vector<std::array<Index, 3>> triangles;  ///< increasing indices each

  std::size_t vertex_count() const { return positions.size(); }
  std::size_t primitive_count() const { return points.size() + segments.size() + triangles.size(); }
};

/// By vertex, a number of the connected piece of the complex that it belongs to, counted from 0 by first vertices.
std::vector<Index> pieces(const MedialComplex& complex);

struct Medial {
  MedialComplex complex;
  std::size_t voxels = 0;   ///< that the complex was made from
  std::size_t bridged = 0;  ///< those among them that only connect what pruning had cut
  std::size_t pruned = 0;   ///< vertices of branches that larger balls make up for
};

/// `solid` is what voxelize() makes of the surface, at a resolution of at most 256. All that is not exterior counts as
/// inside: shells that lie in others add nothing, and open meshes end where the solid does. The complex of each
/// connected piece of the solid is connected. Empty for a solid without voxels.
Medial medial_complex(const Surface& surface, const VoxelSolid& solid, const MedialOptions& options, Context& context);

/// How far points of the surface lie from the union of the balls about all points of the complex, radii taken linear
/// over each primitive: above 0 outside. In the units of the surface.
std::vector<double> distances_to_balls(const MedialComplex& complex, std::span<const Vec3> points,
                                       const Context& context);

}  // namespace isochor
