#pragma once

/// Two triangles in space: whether they pass through each other, how deep, and how far apart they are.

#include <array>
#include <optional>

#include "isochor/base/types.h"

namespace isochor {

using Triangle = std::array<Vec3, 3>;

struct TriangleCrossing {
  /// How far an edge has come through the other triangle: the shorter of its way behind the plane and its way from the
  /// triangle's border; the largest of all edges. Continuous in the corners, and 0 where the two begin to cross.
  double depth = 0;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  ///< ends of the line that both share
};

/// Whether an edge of one passes through the other, its ends on either side. Triangles that only touch, or lie in one
/// plane, do not cross; "touch" means within the rounding of the sums, so that the answer never depends on the order of
/// corners by more than that.
std::optional<TriangleCrossing> triangle_crossing(const Triangle& a, const Triangle& b);

/// From a point of the first to a point of the second that is nearest to it; zero if they cross.
Vec3 triangle_gap(const Triangle& a, const Triangle& b);
/// The length of that.
double triangle_distance(const Triangle& a, const Triangle& b);

/// The point of a triangle that is nearest to p; also as shares of its corners.
Vec3 nearest_point(const Triangle& triangle, const Vec3& p);
Vec3 nearest_shares(const Triangle& triangle, const Vec3& p);

}  // namespace isochor
