#pragma once

/// The morph targets of a part, played for many poses at once.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "isochor/rig/character.h"

namespace isochor {

class MorphPlayer {
 public:
  /// Copies what it needs.
  explicit MorphPlayer(const Part& part);

  /// By pose: the part before its skin, as morphed_positions() has it, within rounding. Each target is read once for
  /// all poses.
  std::vector<std::vector<Vec3>> positions(std::span<const Pose> poses) const;

  /// The weights that a pose gives to the part's targets: its own if the pose has none for it.
  std::span<const double> weights(const Pose& pose) const;

 private:
  /// Some vertices, and the targets from the first to the last that moves any of them.
  struct Block {
    std::vector<Index> vertices;  // #O
    Eigen::Index first_target = 0;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> offsets;  // #targets × 3 #O
  };

  Index node_;
  std::vector<Vec3> rest_;
  std::vector<double> own_weights_;
  Eigen::Index targets_;
  std::vector<Block> blocks_;
};

}  // namespace isochor
