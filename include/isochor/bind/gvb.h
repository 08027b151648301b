#pragma once

/// Geodesic voxel binding (Dionne and de Lasa 2014): weights from distances through the inside of the character.
///
///   GvbBinding binding(surface, handles, {.resolution = 256}, context);   // voxels and distances, once
///   SkinWeights weights = binding.weights({.falloff = 0.1}, context);      // as often as wanted: a few milliseconds

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/base/problem.h"
#include "isochor/bind/handles.h"
#include "isochor/bind/limits.h"
#include "isochor/mesh/surface.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// How a vertex reads its distances off the cells.
enum class GvbSampling {
  /// Continuous in the vertex's position: the least way over the cells in sight, or the straight line where a path is
  /// about as long as a straight one is on the lattice; a joint's weight fades to 0 where it leaves the nearest ones.
  smooth,
  minimum,    ///< the least of d + |p - c| over the voxel and its 26 neighbours
  containing  ///< eq. 7: the voxel that contains it
};
template <>
struct EnumNames<GvbSampling> {
  static constexpr std::array names{"smooth", "minimum", "containing"};
};

struct GvbOptions {
  int resolution = 0;  ///< auto: see resolution.h
  double penalty = 4;
  GvbSampling sampling = GvbSampling::smooth;
  double smoothing = 0.75;
  int nearest = 0;
  double facing = 0.35;
  bool uniform = false;

  /// The paper's method to the letter: the containing voxel, no smoothing, r = 256.
  static GvbOptions paper() {
    GvbOptions options;
    options.resolution = 256;
    options.sampling = GvbSampling::containing;
    options.smoothing = 0;
    options.facing = 0;
    return options;
  }
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GvbOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.resolution,
        FieldInfo{.name = "resolution",
                  .help = "voxels along each side of the cube around the mesh, a power of two from 8; 0: as few as "
                          "keep separate limbs apart",
                  .min = 0,
                  .max = 1024});
  visit(options.penalty,
        FieldInfo{.name = "penalty",
                  .help = "higher: weights leak less between limbs that lie close together (1: no penalty)",
                  .min = 1,
                  .max = 100,
                  .expert = true});
  visit(options.sampling,
        FieldInfo{.name = "sampling",
                  .help = "how vertices read distances off the voxels: evened out between them, or the least around, "
                          "or, as in the paper, that of the voxel that contains them",
                  .expert = true});
  visit(options.smoothing, FieldInfo{.name = "smoothing",
                                     .help = "higher: softer weights; length over which they are evened out (0: none)",
                                     .unit = "of the distance to the nearest bone",
                                     .min = 0,
                                     .max = 10,
                                     .expert = true});
  visit(options.nearest, FieldInfo{.name = "nearest",
                                   .help = "bones whose distances each voxel keeps (0: as many as influences ask for)",
                                   .min = 0,
                                   .max = 64,
                                   .expert = true});
  visit(options.facing, FieldInfo{.name = "facing",
                                  .help = "higher: vertices keep more to bones that lie straight below them (0: off)",
                                  .min = 0,
                                  .max = 1,
                                  .expert = true});
  visit(options.uniform,
        FieldInfo{.name = "uniform-grid", .help = "a uniform grid in place of the octree", .expert = true});
}

/// Vertices that move rigidly: infinite distance to all handles but these (section 9 of the paper).
struct RigidRegion {
  std::vector<Index> vertices;
  std::vector<Index> handles;  ///< one or more, indices of handles
};

/// What can change without a new distance.
struct GvbWeighting {
  /// α of eq. 8: λ = (1 - α) 5 + α 30.
  double falloff = 0.1;
  WeightLimits limits;
  std::vector<double> joint_falloff;   // #handles or empty; NaN: `falloff`
  std::vector<double> vertex_falloff;  // #V or empty; NaN: that of the joint. Wins over it.
  std::vector<RigidRegion> rigid;      // a later region wins
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GvbWeighting>
void describe(Options& options, Visitor&& visit) {
  visit(options.falloff,
        FieldInfo{.name = "falloff", .help = "higher: more local; 0 smooth, 1 almost rigid", .min = 0, .max = 1});
  describe(options.limits, visit);
}

/// What was done, for the report.
struct GvbEvidence {
  Index resolution = 0;
  std::string resolution_reason;   ///< a sentence
  std::size_t uniform_voxels = 0;  ///< voxels that are not outside
  std::size_t sparse_voxels = 0;   ///< cells of the octree
  std::size_t memory = 0;          ///< bytes of solid, octree and distances at their largest
  std::size_t vertices = 0;
  std::size_t bound = 0;            ///< vertices with distances of their own or by a fallback: all of them
  std::size_t across_gap = 0;       ///< vertices whose distances came across a gap
  AppliedBoneRules rules;           ///< those that need the voxels
  std::size_t outside_handles = 0;  ///< handles that lie outside the mesh and entered through the nearest voxel
  Problems problems;
};

class GvbBinding {
 public:
  /// Voxelizes and measures. `surface` is welded (mesh/weld.h), any quality; `handles` as joint_handles() gives them or
  /// made by hand. `influences` is the number of distances that weights() will need at most.
  /// Stages of the context: "voxelize", "sparsify", "distance", "weights".
  /// Throws Error(bad_input) without a vertex, without a handle, or if a number is not finite.
  GvbBinding(const Surface& surface, std::vector<Handle> handles, const GvbOptions& options, Context& context,
             int influences = 4);
  ~GvbBinding();
  GvbBinding(GvbBinding&&) noexcept;
  GvbBinding& operator=(GvbBinding&&) noexcept;

  /// One valid row for every vertex of the surface; Influence::joint is the handle's index.
  SkinWeights weights(const GvbWeighting& weighting, const Context& context) const;

  /// The surface has moved or changed inside the same voxels: vertices read their distances anew. Vertices that now lie
  /// outside all voxels take those of the nearest one.
  void resample(const Surface& surface, Context& context);

  const std::vector<Handle>& handles() const;
  const GvbEvidence& evidence() const;

  /// (handle, distance) pairs of a vertex, nearest first, in units of the surface.
  struct Distance {
    Index handle;
    double distance;
  };
  std::vector<Distance> distances(std::size_t vertex) const;
  /// For pictures: the distance to a handle at any point of the inside; infinity elseif, or if the handle is not
  /// among the nearest.
  double distance_at(const Vec3& p, Index handle) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// α that follows the pose: from `straight` for a joint as it rests to `bent` at `angle` and beyond.
struct PoseFalloff {
  double straight = 0.1;
  double bent = 0.4;
  double angle = 1.5707963267948966;  ///< radians
};
/// joint_falloff for a pose: each handle by the angle between its joint's local rotation and that at rest.
std::vector<double> pose_falloff(const Skeleton& skeleton, const Pose& pose, std::span<const Handle> handles,
                                 const PoseFalloff& options = {});

}  // namespace isochor
