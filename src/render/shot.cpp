#include "render/shot.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace isochor::detail {
namespace {

constexpr std::size_t kScaleColors = 1024;

Box framed_box(const PreparedScene::Impl& scene, const RenderOptions& options) {
  const Box box = options.view_box && !options.view_box->isEmpty() ? *options.view_box : scene.box;
  return box.isEmpty() ? Box(Vec3::Zero(), Vec3::Zero()) : box;
}

Camera to_unit(const Camera& world, const UnitSpace& space) {
  Camera camera = world;
  camera.eye = (world.eye - space.center) / space.scale;
  if (camera.projection == Projection::orthographic) camera.focal *= space.scale;
  return camera;
}

/// The lamps turn with the camera around the subject, so that every view is lit from its upper left; they stay above
/// ground.
Lights place_lights(const CameraOptions& options) {
  const auto towards = [&](double azimuth, double elevation) {
    const Vec3 sky = sky_direction(options.up);
    const Vec3 front = front_direction(options.up);
    const double a = (view_angles(options).azimuth + azimuth) * std::numbers::pi / 180;
    const double e = elevation * std::numbers::pi / 180;
    const Vec3 level = std::cos(a) * front + std::sin(a) * sky.cross(front);
    return Vec3(std::cos(e) * level + std::sin(e) * sky);
  };
  Lights lights;
  const Vec3 key = towards(-38, 50);
  lights.key = key.cast<float>();
  lights.key_across = key.unitOrthogonal().cast<float>();
  lights.key_other = key.cross(key.unitOrthogonal()).cast<float>();
  lights.fill = towards(62, 12).cast<float>();
  lights.sky = sky_direction(options.up).cast<float>();
  return lights;
}

std::optional<SectionPlane> section_plane(const Box& box, const RenderOptions& options, const Shot& shot) {
  if (options.section == Section::none) return std::nullopt;
  const int axis = static_cast<int>(options.section) - 1;
  const double world = box.min()[axis] + options.section_position * (box.max()[axis] - box.min()[axis]);
  const UnitSpace& space = shot.scene.space;
  const auto position = static_cast<float>((world - space.center[axis]) / space.scale);
  const float side = shot.camera.forward[axis] > 0 ? -1.0f : 1.0f;
  return SectionPlane{side * Vec3f::Unit(axis), side * position};
}

/// In pixels: a face's area over its longest edge. Where that is no more than a line's width, lines would merge into
/// black.
float wire_strength(std::span<const Eigen::Vector2f> corners, double wire_width) {
  float area = 0;
  float longest = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2f& a = corners[i];
    const Eigen::Vector2f& b = corners[(i + 1) % corners.size()];
    area += (a.x() * b.y() - a.y() * b.x()) / 2;
    longest = std::max(longest, (b - a).norm());
  }
  const float width = longest > 0 ? std::abs(area) / longest : 0;
  const auto line = static_cast<float>(wire_width);
  return std::clamp((width - 0.5f * line) / (4.5f * line), 0.0f, 1.0f);
}

ScreenEdges screen_edges(const PreparedMesh& mesh, const Camera& camera, double wire_width) {
  ScreenEdges edges;
  edges.corners.reserve(mesh.corners.size());
  for (const Index v : mesh.corners) {
    const Vec3 p = camera.project(mesh.positions[v].cast<double>());
    const bool behind = camera.projection == Projection::perspective && p.z() <= 1e-6;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    edges.corners.push_back(behind ? Eigen::Vector2f(nan, nan) : Eigen::Vector2f(p.head<2>().cast<float>()));
  }
  for (std::size_t f = 0; f + 1 < mesh.face_begin.size(); ++f) {
    const std::span<const Eigen::Vector2f> corners(edges.corners.data() + mesh.face_begin[f],
                                                   edges.corners.data() + mesh.face_begin[f + 1]);
    edges.strength.push_back(wire_strength(corners, wire_width));
  }
  return edges;
}

}  // namespace

Shot make_shot(const PreparedScene::Impl& scene, const RenderOptions& options, const Camera& camera) {
  Shot shot{.scene = scene, .options = options, .camera = to_unit(camera, scene.space)};
  shot.lights = place_lights(options.camera);
  const Box box = framed_box(scene, options);
  if (options.ground && options.shading == Shading::studio) {
    // A hair below the soles, so that they do not shade themselves.
    shot.ground = scene.space.to_unit(box.min()).dot(shot.lights.sky) - 1e-4f;
  }
  shot.section = section_plane(box, options, shot);
  if (options.wireframe) {
    for (const PreparedMesh& mesh : scene.meshes) {
      shot.edges.push_back(screen_edges(mesh, shot.camera, options.wire_width));
    }
  }
  for (std::size_t i = 0; i < kScaleColors && scene.has_scalar; ++i) {
    shot.scale_colors.push_back(map_color(scene.scale.map, static_cast<double>(i) / (kScaleColors - 1)));
  }
  return shot;
}

}  // namespace isochor::detail
