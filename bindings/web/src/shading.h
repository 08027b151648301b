#pragma once

/// Normals of a moving surface for the eye: quick, for every frame.

#include <span>
#include <vector>

#include "isochor/rig/welded_character.h"

namespace isochor::web {

/// Vertices of the file that lie on each other and have the same normal at rest share the faces around them, so that
/// seams do not show and hard edges stay hard.
class Shading {
 public:
  explicit Shading(const WeldedCharacter& welded);

  /// `positions` and `normals` are those of all parts' vertices, one part after another: x0 y0 z0 x1 …
  void normals(std::span<const float> positions, std::span<float> normals);

 private:
  std::vector<Index> triangles_;  // vertices over all parts
  std::vector<Index> group_;      // by vertex
  std::vector<Eigen::Vector3f> sums_;
};

}  // namespace isochor::web
