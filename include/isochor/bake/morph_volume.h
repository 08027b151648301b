#pragma once

/// Morph targets that are few leave every vertex a little off, and vertices that are off together change the volume.
/// Weights have room to make up for it.

#include <Eigen/Cholesky>
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
  /// Keeps a reference to `targets`. `reach`, #V, > 0: how far a vertex may go, in the rest pose, on average over its
  /// component (root mean square).
  MorphVolume(const Surface& surface, const Topology& topology, std::span<const WeldedTarget> targets,
              std::span<const double> reach);

  /// What to add to the weights, #T, so that every component encloses its volume: of all ways the one that moves the
  /// vertices least, by Newton's method. Components that no target moves stay as they are; those that would have to
  /// move beyond `reach` are brought nearer. `frame.positions` follow.
  Eigen::VectorXd correct(MorphedFrame& frame) const;

  /// Adds the targets, with these weights (#T), to the positions.
  void move(const Eigen::VectorXd& weights, MorphedFrame& frame) const;

 private:
  /// Relative errors by component; 0 if no target moves it.
  Eigen::VectorXd errors(const MorphedFrame& frame) const;
  Eigen::VectorXd step(const MorphedFrame& frame, const Eigen::VectorXd& errors) const;

  std::span<const WeldedTarget> targets_;
  std::vector<VolumeFunctional> components_;
  std::vector<Index> component_of_vertex_;
  std::vector<char> moved_;               // by component: some target moves it
  Eigen::LDLT<Eigen::MatrixXd> inertia_;  // of the targets: how far a change of weights moves vertices, squared
};

}  // namespace isochor
