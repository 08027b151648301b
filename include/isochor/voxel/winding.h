#pragma once

/// The generalised winding number of a set of triangles (Jacobson, Kavan, Sorkine-Hornung 2013): about 1 inside, about
/// 0 outside, and still meaningful where the surface has holes, doubled faces or crossing shells.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

/// A triangle by its corners, counter-clockwise seen from outside.
using TriangleCorners = std::array<Vec3, 3>;

/// The signed solid angle of a triangle seen from a point, over 4π (van Oosterom and Strackee 1983). Positive where the
/// point lies behind the triangle; 0 for a triangle without area and for a point in its plane outside of it.
double solid_angle(const TriangleCorners& triangle, const Vec3& point);

/// Clusters of triangles, prepared once; then each question costs about the logarithm of their number, since far
/// clusters are replaced by the first two terms of their expansion (after Barill et al. 2018) wherever a bound on what
/// this leaves out permits it. Questions may be asked from many threads. The order of the triangles makes no
/// difference, not even in the last bit.
class WindingTree {
 public:
  struct Estimate {
    double value = 0;
    double error = 0;  ///< |value - exact| is at most this (and rounding)
  };

  explicit WindingTree(std::span<const TriangleCorners> triangles);

  /// The winding number; no cluster's bound on its own error is above `tolerance`. With 0 all triangles are summed.
  Estimate estimate(const Vec3& point, double tolerance = 1e-3) const;
  /// Whether the winding number is above the threshold; asked more closely until the bound settles it.
  bool above(const Vec3& point, double threshold = 0.5) const;

  std::size_t memory() const;

 private:
  struct Node {
    Vec3 center = Vec3::Zero();      ///< mean over the area
    Vec3 dipole = Vec3::Zero();      ///< Σ area vectors
    Mat3 quadrupole = Mat3::Zero();  ///< Σ area vector (centroid - center)ᵀ
    double area = 0;
    double radius = 0;                ///< of a ball about the center that holds the triangles
    double moment = 0;                ///< ∫ |x - center|² over the area, which bounds what the expansion leaves out
    std::int32_t begin = 0, end = 0;  ///< its triangles
    std::int32_t skip = 0;            ///< the node after its subtree; a leaf where that is the next one
  };

  std::int32_t build(std::span<const std::uint64_t> codes, std::int32_t begin, std::int32_t end);
  void summarise_triangles(Node& node) const;
  void summarise_children(Node& node, const Node& left, const Node& right) const;

  std::vector<TriangleCorners> triangles_;
  std::vector<Node> nodes_;  ///< each parent before its left, then its right subtree
};

}  // namespace isochor
