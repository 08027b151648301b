#pragma once

/// Where the picture is taken from. Characters stand on the ground and look along +z (glTF); `up` names the axis that
/// points to the sky, for files that use another (up = z: they look along -y).

#include <array>
#include <span>

#include "isochor/base/options.h"
#include "isochor/base/types.h"

namespace isochor {

enum class View { front, back, left, right, top, bottom, three_quarter, custom };
template <>
struct EnumNames<View> {
  static constexpr std::array names{"front", "back", "left", "right", "top", "bottom", "three-quarter", "custom"};
};

enum class Projection { perspective, orthographic };
template <>
struct EnumNames<Projection> {
  static constexpr std::array names{"perspective", "orthographic"};
};

enum class UpAxis { y, z };
template <>
struct EnumNames<UpAxis> {
  static constexpr std::array names{"y", "z"};
};

struct CameraOptions {
  View view = View::three_quarter;
  double azimuth = 30;
  double elevation = 15;
  Projection projection = Projection::perspective;
  double field_of_view = 22;
  double margin = 0.06;
  UpAxis up = UpAxis::y;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, CameraOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.view, FieldInfo{.name = "view", .help = "the side that is seen; left is the character's own left"});
  visit(options.azimuth, FieldInfo{.name = "azimuth",
                                   .help = "with the view custom: 0 is the front, 90 the character's left",
                                   .unit = "degrees",
                                   .min = -360,
                                   .max = 360});
  visit(options.elevation, FieldInfo{.name = "elevation",
                                     .help = "with the view custom: height of the camera above the horizon",
                                     .unit = "degrees",
                                     .min = -90,
                                     .max = 90});
  visit(options.projection,
        FieldInfo{.name = "projection", .help = "lines converge, or stay parallel", .expert = true});
  visit(options.field_of_view, FieldInfo{.name = "field-of-view",
                                         .help = "opening of the perspective camera, along the picture's shorter side",
                                         .unit = "degrees",
                                         .min = 1,
                                         .max = 120,
                                         .expert = true});
  visit(options.margin, FieldInfo{.name = "margin",
                                  .help = "free space left on each side of what is framed",
                                  .unit = "of the picture",
                                  .min = 0,
                                  .max = 0.45,
                                  .expert = true});
  visit(options.up, FieldInfo{.name = "up", .help = "the axis that points to the sky", .expert = true});
}

/// Degrees; those of `options` for View::custom.
struct ViewAngles {
  double azimuth = 0;
  double elevation = 0;
};
ViewAngles view_angles(const CameraOptions& options);

/// A pinhole or parallel camera in pixels. All members in the space of the points it was fitted to.
struct Camera {
  Vec3 eye = Vec3::Zero();  ///< for orthographic: a point of the image plane, in front of what is framed
  Vec3 right = Vec3::UnitX();
  Vec3 up = Vec3::UnitY();
  Vec3 forward = -Vec3::UnitZ();
  Projection projection = Projection::perspective;
  double focal = 1;                 ///< perspective: px per unit of x/depth; orthographic: px per unit of length
  Eigen::Vector2d center = {0, 0};  ///< px: where the point straight ahead of `eye` appears

  /// x and y in pixels (y down), and the depth along `forward`. A perspective point at depth <= 0 is behind the camera.
  Vec3 project(const Vec3& point) const;
  /// Through a position in the picture: a point, and the unit direction away from the viewer.
  Eigen::ParametrizedLine<double, 3> ray(const Eigen::Vector2d& pixel) const;
};

/// The part of a picture that a subject is to fill.
struct Viewport {
  double x = 0;
  double y = 0;
  double width = 1;
  double height = 1;
};

/// The nearest camera that sees all points within the viewport less its margin, centred. Points that are not finite are
/// passed over; a single point, or none (then the origin), is framed as a unit sphere would be.
Camera fit_camera(std::span<const Vec3> points, const Viewport& viewport, const CameraOptions& options);
Camera fit_camera(const Box& box, const Viewport& viewport, const CameraOptions& options);

/// Unit vectors of the world as `up` has it: the sky, and where the character looks.
Vec3 sky_direction(UpAxis up);
Vec3 front_direction(UpAxis up);

}  // namespace isochor
