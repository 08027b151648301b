#include "isochor/render/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace isochor {
namespace {

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// Axes of the picture: `back` points from the subject to the viewer.
struct Axes {
  Vec3 right, up, back;
};

Axes picture_axes(const CameraOptions& options) {
  const ViewAngles angles = view_angles(options);
  const double azimuth = radians(angles.azimuth);
  const double elevation = radians(angles.elevation);
  const Vec3 sky = sky_direction(options.up);
  const Vec3 front = front_direction(options.up);
  const Vec3 left = sky.cross(front);
  Axes axes;
  axes.back = std::cos(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * left) + std::sin(elevation) * sky;
  // From azimuth alone, so that it is defined straight from above too.
  axes.right = std::cos(azimuth) * left - std::sin(azimuth) * front;
  axes.up = axes.back.cross(axes.right);
  return axes;
}

/// How far the points reach along one picture axis, seen from infinity.
struct Extent {
  double low = 0;
  double high = 0;
};

Extent extent_along(const std::vector<Vec3>& points, int axis) {
  Extent e{points[0][axis], points[0][axis]};
  for (const Vec3& p : points) {
    e.low = std::min(e.low, p[axis]);
    e.high = std::max(e.high, p[axis]);
  }
  return e;
}

/// The condition |x - c| <= t (d - z) for all points, solved for the centre c and the smallest distance d.
struct AxisFit {
  double center = 0;
  double distance = 0;
};

AxisFit fit_axis(const std::vector<Vec3>& points, int axis, double t) {
  double high = points[0][axis] + t * points[0].z();
  double low = -points[0][axis] + t * points[0].z();
  for (const Vec3& p : points) {
    high = std::max(high, p[axis] + t * p.z());
    low = std::max(low, -p[axis] + t * p.z());
  }
  return {(high - low) / 2, (high + low) / (2 * t)};
}

/// The points in picture axes, or the corners of a cube around the only one.
std::vector<Vec3> framed_points(std::span<const Vec3> points, const Axes& axes) {
  Mat3 rotation;
  rotation << axes.right.transpose(), axes.up.transpose(), axes.back.transpose();
  std::vector<Vec3> result;
  Box box;
  for (const Vec3& p : points) {
    if (!p.allFinite()) continue;
    result.push_back(rotation * p);
    box.extend(result.back());
  }
  const double scale = box.isEmpty() ? 0 : box.min().cwiseAbs().cwiseMax(box.max().cwiseAbs()).maxCoeff();
  if (!box.isEmpty() && box.diagonal().norm() > 1e-12 * scale) return result;
  const Vec3 center = box.isEmpty() ? Vec3(Vec3::Zero()) : Vec3(box.center());
  const Box unit(center - Vec3::Ones(), center + Vec3::Ones());
  result.clear();
  for (int c = 0; c < 8; ++c) result.push_back(unit.corner(static_cast<Box::CornerType>(c)));
  return result;
}

}  // namespace

Vec3 sky_direction(UpAxis up) { return up == UpAxis::y ? Vec3::UnitY() : Vec3::UnitZ(); }
Vec3 front_direction(UpAxis up) { return up == UpAxis::y ? Vec3(Vec3::UnitZ()) : Vec3(-Vec3::UnitY()); }

ViewAngles view_angles(const CameraOptions& options) {
  switch (options.view) {
    case View::front:
      return {0, 0};
    case View::back:
      return {180, 0};
    case View::left:
      return {90, 0};
    case View::right:
      return {-90, 0};
    case View::top:
      return {0, 90};
    case View::bottom:
      return {0, -90};
    case View::three_quarter:
      return {35, 14};
    case View::custom:
      break;
  }
  return {options.azimuth, options.elevation};
}

Vec3 Camera::project(const Vec3& point) const {
  const Vec3 offset = point - eye;
  const double depth = offset.dot(forward);
  const double scale = projection == Projection::perspective ? focal / depth : focal;
  return {center.x() + scale * offset.dot(right), center.y() - scale * offset.dot(up), depth};
}

Eigen::ParametrizedLine<double, 3> Camera::ray(const Eigen::Vector2d& pixel) const {
  const Vec3 across = (pixel.x() - center.x()) / focal * right - (pixel.y() - center.y()) / focal * up;
  if (projection == Projection::orthographic) return {eye + across, forward};
  return {eye, (forward + across).normalized()};
}

Camera fit_camera(std::span<const Vec3> points, const Viewport& viewport, const CameraOptions& options) {
  check_ranges(options);
  const Axes axes = picture_axes(options);
  const std::vector<Vec3> framed = framed_points(points, axes);
  const Extent x = extent_along(framed, 0);
  const Extent y = extent_along(framed, 1);
  const Extent z = extent_along(framed, 2);
  const double size = Vec3(x.high - x.low, y.high - y.low, z.high - z.low).norm();
  const double half_width = std::max(viewport.width, 1.0) * (0.5 - options.margin);
  const double half_height = std::max(viewport.height, 1.0) * (0.5 - options.margin);

  Camera camera;
  camera.right = axes.right;
  camera.up = axes.up;
  camera.forward = -axes.back;
  camera.projection = options.projection;
  camera.center = {viewport.x + viewport.width / 2, viewport.y + viewport.height / 2};
  Vec3 eye;
  if (options.projection == Projection::perspective) {
    const double shorter = std::max(std::min(viewport.width, viewport.height), 1.0);
    camera.focal = shorter / 2 / std::tan(radians(options.field_of_view) / 2);
    const AxisFit fit_x = fit_axis(framed, 0, half_width / camera.focal);
    const AxisFit fit_y = fit_axis(framed, 1, half_height / camera.focal);
    // A subject that is seen end on asks for no distance at all.
    eye = {fit_x.center, fit_y.center, std::max({fit_x.distance, fit_y.distance, z.high + 0.05 * size})};
  } else {
    const double least = 1e-3 * size;
    camera.focal =
        std::min(2 * half_width / std::max(x.high - x.low, least), 2 * half_height / std::max(y.high - y.low, least));
    eye = {(x.low + x.high) / 2, (y.low + y.high) / 2, z.high + size};
  }
  camera.eye = eye.x() * axes.right + eye.y() * axes.up + eye.z() * axes.back;
  return camera;
}

Camera fit_camera(const Box& box, const Viewport& viewport, const CameraOptions& options) {
  std::vector<Vec3> corners;
  for (int c = 0; c < 8 && !box.isEmpty(); ++c) corners.push_back(box.corner(static_cast<Box::CornerType>(c)));
  return fit_camera(corners, viewport, options);
}

}  // namespace isochor
