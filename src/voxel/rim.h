#pragma once

/// Where the surface ends. The winding number jumps across the surface; elsewhere it changes only because of the rim:
/// its gradient is the field of a current along the rim's edges (Biot and Savart), 1/4π ∮ r × dl / |r|³.

#include <vector>

#include "voxel/lattice.h"

namespace isochor::voxel {

/// An edge through which the triangles, with their signs, do not run as often one way as the other.
struct RimEdge {
  Index a, b;  ///< points, the lesser one first
  int sum;     ///< how many more times from a to b
};

std::vector<RimEdge> find_rim(const LatticeSurface& surface);

/// Triangles that close the surface: for each connected part of the rim a fan about its middle. Their corners may be
/// points that this adds to the surface.
std::vector<LatticeTriangle> close_rim(LatticeSurface& surface, const std::vector<RimEdge>& rim);

class Rim {
 public:
  Rim(const LatticeSurface& surface, std::vector<RimEdge> edges);

  /// A bound on how much the winding number changes per voxel within a ball; infinity where it would be above `limit`.
  /// Lengths are in voxels.
  double slope_within(const Vec3& center, double radius, double limit) const;

 private:
  struct Segment {
    Vec3 a, b;
    double weight;
  };
  /// Some edges near each other.
  struct Group {
    Vec3 center = Vec3::Zero();
    double radius = 0;
    double length = 0;  ///< of all, by weight
    std::size_t begin = 0, end = 0;
  };

  std::vector<Segment> edges_;
  std::vector<Group> groups_;
};

}  // namespace isochor::voxel
