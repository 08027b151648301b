#pragma once

/// How good skin weights are, by themselves and against others. Rows are those of one set of welded vertices, and all
/// sets share one list of joints: bringing files to that is the caller's part.

#include <optional>
#include <span>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/base/types.h"
#include "isochor/mesh/topology.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// An influence counts (for precision, recall and the histogram) above this weight.
inline constexpr double kCountedWeight = 1e-4;

/// Weights A against weights B. Vertices without any weight on either side are left out.
struct WeightDifference {
  std::size_t vertices = 0;
  double l1_mean = 0;  ///< mean over vertices of Σ_joints |a − b|, between 0 (equal) and 2 (no joint in common)
  double l1_max = 0;
  Index l1_max_vertex = kNone;  ///< the lowest that has it
  double precision = 0;         ///< of the influences of A, the share that B has too
  double recall = 0;            ///< of the influences of B, the share that A has too
};
/// Both have the same number of rows; throws Error(bad_input) otherwise.
WeightDifference weight_difference(const SkinWeights& a, const SkinWeights& b);

/// What an engine keeps of weights.
struct PruneOptions {
  Index influences = 4;
  double threshold = 0.01;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, PruneOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.influences, FieldInfo{.name = "prune-influences",
                                      .help = "most joints that a vertex keeps, the strongest first",
                                      .min = 1,
                                      .max = 64});
  visit(options.threshold,
        FieldInfo{.name = "prune-below", .help = "weights below this are dropped first", .min = 0, .max = 1});
}

/// The weights after that: small ones dropped, the strongest kept, normalised, sorted.
SkinWeights pruned(const SkinWeights& weights, const PruneOptions& options = {});

/// The mean over vertices with weights of Σ_joints |w − mean of the neighbours' w|; lower is smoother. Vertices and
/// neighbours without weights are left out; a vertex without a neighbour counts as 0. It grows with the length of the
/// edges, so compare it on one mesh only.
double smoothness(const SkinWeights& weights, std::span<const Edge> edges);

/// How many vertices have 0, 1, 2 … influences that count. The last entry is not 0, except if there is no vertex.
std::vector<std::size_t> influence_histogram(const SkinWeights& weights);

/// Weight that leaks to joints which are not near: those more than `hops` bones away, along the skeleton, from the
/// joint that is strongest at the vertex. Two hops reach parent, child, grandparent, grandchild and siblings: what a
/// good blend at a joint or a hub needs. Joints of another tree are infinitely far.
struct Bleed {
  double mean = 0;  ///< mean over vertices with weights of the weight that leaks
  double max = 0;
  Index max_vertex = kNone;
  std::size_t vertices = 0;  ///< where it counts
};
/// `parents`, #J: the nearest joint above in the list, or kNone.
Bleed bleed(const SkinWeights& weights, std::span<const Index> parents, Index hops = 2);

/// Vertices and joints that are each other's images in a plane across one axis.
struct MirrorPairs {
  int axis = 0;                 ///< 0, 1, 2 for x, y, z
  double position = 0;          ///< of the plane along it
  std::vector<Index> vertices;  // #V: the image, itself on the plane, kNone if there is none
  std::vector<Index> joints;    // #J, likewise
  std::size_t paired = 0;       ///< vertices with an image
};

struct MirrorOptions {
  double tolerance = 1e-3;  ///< of the diagonal of the vertices' box: how far an image may lie from its place
  double share = 0.9;       ///< of the vertices that must have an image
};
/// Tries x, y and z, each at the middle of the vertices' box and at 0, and takes the plane that pairs most vertices;
/// nothing if no plane pairs enough. Joints may lie off by ten times the tolerance.
std::optional<MirrorPairs> find_mirror_pairs(std::span<const Vec3> vertices, std::span<const Vec3> joints,
                                             const MirrorOptions& options = {});

struct SymmetryError {
  double mean = 0;  ///< over paired vertices of Σ_joints |w − mirrored w of the image|; 0 to 2
  double max = 0;
  Index max_vertex = kNone;
};
/// A joint without an image is compared with nothing: its whole weight is error.
SymmetryError symmetry_error(const SkinWeights& weights, const MirrorPairs& pairs);

/// How far vertices are apart when two weight sets are played by linear blend skinning; in the units of the positions.
struct PositionError {
  double max = 0;
  double mean = 0;
  Index max_vertex = kNone;
};
/// `skin_matrices`, #J: those of one moment, mesh space to world.
PositionError position_error(std::span<const Vec3> positions, const SkinWeights& a, const SkinWeights& b,
                             std::span<const Affine> skin_matrices);

}  // namespace isochor
