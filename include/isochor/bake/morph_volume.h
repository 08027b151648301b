#pragma once

/// Morph targets that are few leave every vertex a little off, and vertices that are off together change the volume.
/// Weights have room to make up for it.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "isochor/mesh/topology.h"
#include "isochor/mesh/volume.h"

namespace isochor {

/// One morph target on the welded surface.
struct WeldedTarget {
  std::vector<Index> vertices;  // #O, increasing
  std::vector<Vec3> offsets;    // #O, rest space
};

/// A moment of a clip as morph targets and skinning show it.
struct MorphedFrame {
  std::vector<Vec3> positions;  // #V of the surface
  std::vector<Mat3> linear;     // #V: how an offset in the rest pose moves the vertex
  std::vector<double> volumes;  // by component, signed: what it should enclose; 0: not looked at
};

class MorphVolume {
 public:
  /// By frame and target.
  using Weights = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using SingleWeights = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// `reach`, #V, > 0: how far a vertex may go, in the rest pose, on average over its component (root mean square).
  MorphVolume(const Surface& surface, const Topology& topology, std::span<const WeldedTarget> targets,
              std::span<const double> reach);

  /// What to add to the weights of each frame so that every component encloses its volume: of all ways the one that
  /// moves the vertices least, by Newton's method. Components that no target moves stay as they are; those that would
  /// have to move beyond `reach` are brought nearer. `positions` follow. Frames do not know of each other; many at once
  /// take less time than one by one.
  Weights correct(std::span<MorphedFrame> frames) const;

  /// Adds the targets, with these weights, to the positions.
  void move(const Weights& weights, std::span<MorphedFrame> frames) const;

  /// What the targets add to a vertex of the surface in the rest pose, with one row of weights.
  Vec3 offset(const Weights& weights, Eigen::Index row, Index vertex) const;

 private:
  /// Where a vertex is among the blocks.
  struct Place {
    Index block = kNone, slot = kNone;
  };
  /// Some vertices of one component, and the targets from the first to the last that moves any of them.
  struct Block {
    Index component = kNone;
    std::vector<Index> vertices;  // #O
    Eigen::Index first_target = 0;
    Weights offsets;        // #targets × 3 #O
    SingleWeights rounded;  // the same: steps are small, and six digits of them enough
  };
  /// A frame that is not there yet.
  struct Open {
    std::size_t frame = 0;
    Eigen::VectorXd errors;  // by component, relative; 0 if no target moves it
  };

  void make_blocks(std::span<const WeldedTarget> targets);
  void find_inertia(std::span<const double> reach);
  Eigen::VectorXd errors(const MorphedFrame& frame, std::span<const Vec3> positions) const;
  std::vector<Weights> slopes(std::span<const MorphedFrame> frames, std::span<const Open> open) const;
  Weights steps(std::span<const MorphedFrame> frames, std::span<const Open> open) const;
  /// Adds the targets to positions[i], which are those of some frame with maps linear[i]. `block_offsets` says with how
  /// many digits.
  template <class Offsets>
  void displace(const Offsets& weights, Offsets Block::*block_offsets, std::span<const std::vector<Mat3>* const> linear,
                std::span<std::vector<Vec3>* const> positions) const;

  Eigen::Index target_count_ = 0;
  std::vector<Block> blocks_;
  std::vector<Place> places_;  // by vertex of the surface
  std::vector<VolumeFunctional> components_;
  std::vector<Index> component_of_vertex_;
  std::vector<char> moved_;  // by component: some target moves it
  Weights ease_;             // #T²: the inverse of how far a change of weights moves vertices, squared
};

}  // namespace isochor
