#include "isochor/render/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "isochor/base/error.h"

namespace isochor {
namespace {

const Viewport kViewport{.x = 10, .y = 20, .width = 400, .height = 300};

std::vector<Vec3> some_points() {
  return {Vec3(-1, 0, 0.2), Vec3(2, 0.5, -0.3), Vec3(0, 3, 0), Vec3(0.3, 1, 1.5), Vec3(0.1, -0.4, -2)};
}

// Each named view looks from its side: the front from +z, the character's left from +x, the top from +y.
TEST(Camera, NamedViews) {
  const auto forward = [](View view) { return fit_camera(some_points(), kViewport, {.view = view}).forward; };
  EXPECT_TRUE(forward(View::front).isApprox(-Vec3::UnitZ()));
  EXPECT_TRUE(forward(View::back).isApprox(Vec3::UnitZ()));
  EXPECT_TRUE(forward(View::left).isApprox(-Vec3::UnitX()));
  EXPECT_TRUE(forward(View::right).isApprox(Vec3::UnitX()));
  EXPECT_TRUE(forward(View::top).isApprox(-Vec3::UnitY()));
  EXPECT_TRUE(forward(View::bottom).isApprox(Vec3::UnitY()));
  const Vec3 custom =
      fit_camera(some_points(), kViewport, {.view = View::custom, .azimuth = 90, .elevation = 30}).forward;
  EXPECT_TRUE(custom.isApprox(Vec3(-std::sqrt(0.75), -0.5, 0)));
}

// Where z points to the sky, characters look along -y, and z is up in the picture.
TEST(Camera, UpAxisZ) {
  const Camera camera = fit_camera(some_points(), kViewport, {.view = View::front, .up = UpAxis::z});
  EXPECT_TRUE(camera.forward.isApprox(Vec3::UnitY()));
  EXPECT_TRUE(camera.up.isApprox(Vec3::UnitZ()));
  EXPECT_TRUE(camera.right.isApprox(Vec3::UnitX()));
}

// All points lie within the margins, and touch opposite ones: the fit is as near as it can be.
TEST(Camera, FitIsTight) {
  for (const Projection projection : {Projection::perspective, Projection::orthographic}) {
    for (const View view : {View::front, View::left, View::top, View::three_quarter}) {
      const CameraOptions options{.view = view, .projection = projection, .margin = 0.1};
      const Camera camera = fit_camera(some_points(), kViewport, options);
      Eigen::AlignedBox2d box;
      for (const Vec3& p : some_points()) {
        const Vec3 q = camera.project(p);
        EXPECT_GT(q.z(), 0);
        box.extend(q.head<2>());
      }
      EXPECT_GE(box.min().x(), 10 + 40 - 1e-6);
      EXPECT_LE(box.max().x(), 410 - 40 + 1e-6);
      EXPECT_GE(box.min().y(), 20 + 30 - 1e-6);
      EXPECT_LE(box.max().y(), 320 - 30 + 1e-6);
      EXPECT_TRUE(std::abs(box.sizes().x() - 320) < 1e-6 || std::abs(box.sizes().y() - 240) < 1e-6);
    }
  }
}

// A ray through a pixel meets the point that is projected to it.
TEST(Camera, RayIsTheInverseOfProject) {
  for (const Projection projection : {Projection::perspective, Projection::orthographic}) {
    const Camera camera = fit_camera(some_points(), kViewport, {.projection = projection});
    for (const Vec3& p : some_points()) {
      const auto ray = camera.ray(camera.project(p).head<2>());
      EXPECT_LT(ray.distance(p), 1e-9);
      EXPECT_GT((p - ray.origin()).dot(ray.direction()), 0);
    }
  }
}

// One point, no point, a line seen end on, a huge and a tiny subject: always a finite camera that sees the points.
TEST(Camera, DegenerateSubjects) {
  const std::vector<std::vector<Vec3>> subjects{
      {},
      {Vec3(5, 5, 5)},
      {Vec3(0, 0, -1), Vec3(0, 0, 1)},
      {Vec3(1e9, 0, 0), Vec3(1e9 + 1, 1, 0)},
      {Vec3(0, 0, 0), Vec3(1e-9, 0, 0)},
      {Vec3(0, 0, 0), Vec3::Constant(std::nan(""))},
  };
  for (const auto& points : subjects) {
    for (const Projection projection : {Projection::perspective, Projection::orthographic}) {
      const Camera camera = fit_camera(points, kViewport, {.view = View::front, .projection = projection});
      EXPECT_TRUE(camera.eye.allFinite());
      EXPECT_TRUE(std::isfinite(camera.focal) && camera.focal > 0);
      for (const Vec3& p : points) {
        if (!p.allFinite()) continue;
        const Vec3 q = camera.project(p);
        EXPECT_TRUE(q.x() >= 10 && q.x() <= 410 && q.y() >= 20 && q.y() <= 320 && q.z() > 0);
      }
    }
  }
}

// A box is framed by its corners.
TEST(Camera, FitsABox) {
  const Box box(Vec3(-1, -2, -3), Vec3(1, 2, 3));
  const CameraOptions options{.view = View::front, .projection = Projection::orthographic, .margin = 0};
  const Camera camera = fit_camera(box, kViewport, options);
  EXPECT_NEAR(camera.project(Vec3(0, 2, 0)).y(), 20, 1e-9);
  EXPECT_NEAR(camera.project(Vec3(0, -2, 0)).y(), 320, 1e-9);
  EXPECT_NEAR(camera.project(Vec3(0, 0, 0)).x(), 210, 1e-9);
}

// Options out of range are refused.
TEST(Camera, RefusesOptionsOutOfRange) {
  EXPECT_THROW(fit_camera(some_points(), kViewport, {.field_of_view = 0}), Error);
  EXPECT_THROW(fit_camera(some_points(), kViewport, {.margin = std::nan("")}), Error);
}

}  // namespace
}  // namespace isochor
