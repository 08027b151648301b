#pragma once

/// How faces turn when a surface is displaced: a face that turns by more than 90° shows its back, or folds under its
/// neighbours.

#include <cmath>
#include <span>

#include "isochor/mesh/volume.h"

namespace isochor {

/// Faces smaller than this share of the median are too small to have a side.
inline constexpr double kCrushedFace = 1e-3;

/// The median area of the faces (caps left out); 0 without any.
double median_face_area(const VolumeFunctional& faces, std::span<const Vec3> positions);

/// Calls visit(ring, before, after) for every face with a corner that moves, with its area vectors. Caps are left out.
template <class Visit>
void for_each_moved_face(const VolumeFunctional& faces, std::span<const Vec3> before, std::span<const Vec3> after,
                         const Visit& visit) {
  for (std::size_t r = 0; r < faces.ring_count() - faces.cap_count(); ++r) {
    const auto ring = faces.ring(r);
    bool moves = false;
    for (const Index v : ring) moves = moves || before[v] != after[v];
    if (moves) visit(r, area_vector(before, ring), area_vector(after, ring));
  }
}

struct FaceTurns {
  std::size_t turned = 0;   ///< faces whose normals in the two shapes are more than 90° apart
  double least_cosine = 1;  ///< of the two normals of a face

  double largest() const { return std::acos(least_cosine); }  ///< radians

  /// Takes note of a face, given by its area vectors. One that is smaller than `crushed` in either shape is left out.
  void add(const Vec3& before, const Vec3& after, double crushed);
};

/// All faces that move.
FaceTurns face_turns(const VolumeFunctional& faces, std::span<const Vec3> before, std::span<const Vec3> after,
                     double crushed);

}  // namespace isochor
