#pragma once

/// Plates, tubes and balls of quads: the loose pieces that armour is made of.

#include <array>
#include <functional>
#include <vector>

#include "isochor/mesh/surface.h"

namespace isochor::model {

/// An ellipse across a tube.
struct Hoop {
  Vec3 center = Vec3::Zero();
  double radius_a = 0.1;  ///< m, along the tube's first cross axis
  double radius_b = 0.1;  ///< m, along its second
};

/// The cross axes of a tube; the tube runs along a × b.
struct CrossAxes {
  Vec3 a = Vec3::UnitZ();
  Vec3 b = Vec3::UnitX();
};

/// An open tube through hoops, given along a × b, faces outward.
Surface tube(const std::vector<Hoop>& hoops, const CrossAxes& axes, int segments);
/// A tube closed at both ends by strips of quads; segments must be even.
Surface capped_tube(const std::vector<Hoop>& hoops, const CrossAxes& axes, int segments);

/// A dome of n × n quads without a pole.
struct Dome {
  Vec3 center = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  double radius = 0.1;  ///< m
  double degrees = 70;  ///< from the axis to the rim
  int cells = 6;
};
Surface dome(const Dome& shape);

/// The point of a disc of radius 1 for a point of the square [-1, 1]²; grid lines stay smooth, corners come to the rim.
Eigen::Vector2d square_to_disc(double u, double v);

/// A closed ball of 6 n² quads, stretched to an ellipsoid.
Surface ball(const Vec3& center, const Vec3& radii, int cells);

/// A rectangular sheet of quads: position(i / columns, j / rows); it looks along ∂/∂i × ∂/∂j.
Surface sheet(const std::array<int, 2>& cells, const std::function<Vec3(double, double)>& position);

/// Drops faces, and vertices that no face uses any more.
Surface without_faces(const Surface& surface, const std::function<bool(const Vec3& center)>& drop);

/// A closed shell from an open sheet: the sheet, a copy `thickness` below it, and a rim between the two.
Surface thicken(const Surface& sheet, double thickness);

/// The reflection in x = 0, faces turned to look outward again.
Surface mirrored(const Surface& surface);

}  // namespace isochor::model
