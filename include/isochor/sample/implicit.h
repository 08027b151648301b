#pragma once

/// Shapes as smooth unions of simple solids: what the procedural characters are modelled from.
///
/// A shape is a list of blobs. Each melts into the union of those before it over its own `blend` width, so that a leg
/// flows into a body while two legs stay apart. Lengths in metres, y up, the character looks along +z, its left is +x.

#include <optional>
#include <variant>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

/// The hull of two spheres. One sphere inside the other is allowed: the larger one remains.
struct RoundCone {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  double radius_a = 1;
  double radius_b = 1;
};

struct Ellipsoid {
  Vec3 center = Vec3::Zero();
  Vec3 radii = Vec3::Ones();
  Quat orientation = Quat::Identity();
};

/// All points within `thickness` of a flat ellipse: an ear, a fin. The ellipse lies in the local xy plane.
struct RoundPlate {
  Vec3 center = Vec3::Zero();
  double radius_x = 1;
  double radius_y = 1;
  double thickness = 0.1;  ///< m, to either side
  Quat orientation = Quat::Identity();
};

struct Blob {
  std::variant<RoundCone, Ellipsoid, RoundPlate> shape;
  double blend = 0;       ///< m; the width over which it melts into the blobs before it, 0 for a sharp crease
  bool mirrored = false;  ///< stands for two solids: this one and its reflection in x = 0
};

struct ImplicitShape {
  std::vector<Blob> blobs;
  /// m; what lies below this height is cut away, so that soles are flat.
  std::optional<double> floor;
  double floor_blend = 0.03;  ///< m; how much the edge of the cut is rounded
};

/// Negative inside, positive outside, about the distance to the surface near it. `gradient` is its first-order
/// approximation (exact for round cones, the direction of the true gradient for ellipsoids, near it for plates).
struct FieldSample {
  double value = 0;
  Vec3 gradient = Vec3::Zero();
};

FieldSample evaluate(const Blob& blob, const Vec3& point);
FieldSample evaluate(const ImplicitShape& shape, const Vec3& point);
/// The value alone, cheaper.
double distance(const ImplicitShape& shape, const Vec3& point);

/// The cubic smooth minimum: min(a, b) if they differ by more than `width`, twice differentiable everywhere.
double smooth_min(double a, double b, double width);

/// True if the shape equals its reflection in x = 0 by construction: every blob is mirrored or centred.
bool is_symmetric(const ImplicitShape& shape);

/// A box that holds the shape, its blends included.
Box bounding_box(const ImplicitShape& shape);

}  // namespace isochor
