#include "render/surface_point.h"

#include <algorithm>
#include <cmath>

namespace isochor::detail {
namespace {

constexpr float kWireOpacity = 0.8f;
constexpr float kLift = 2e-4f;

struct Weights {
  float a, b, c;
};

template <class T>
T blend(const Weights& w, const T& a, const T& b, const T& c) {
  return w.a * a + w.b * b + w.c * c;
}

Color scale_color(const Shot& shot, float t) {
  if (std::isnan(t)) return map_color(shot.scene.scale.map, t);
  const float x = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(shot.scale_colors.size() - 1);
  return shot.scale_colors[static_cast<std::size_t>(std::lround(x))];
}

Color base_color(const Shot& shot, const PreparedMesh& mesh, std::uint32_t triangle, const Weights& w) {
  const auto& t = mesh.triangles[triangle];
  if (!mesh.scalar.empty()) {
    return scale_color(shot, blend(w, mesh.scalar[t[0]], mesh.scalar[t[1]], mesh.scalar[t[2]]));
  }
  if (!mesh.vertex_colors.empty()) {
    return blend<Color>(w, mesh.vertex_colors[t[0]], mesh.vertex_colors[t[1]], mesh.vertex_colors[t[2]]);
  }
  return mesh.face_colors.empty() ? mesh.color : mesh.face_colors[mesh.triangle_face[triangle]];
}

float distance_to_segment(const Eigen::Vector2f& p, const Eigen::Vector2f& a, const Eigen::Vector2f& b) {
  const Eigen::Vector2f along = b - a;
  const float length2 = along.squaredNorm();
  const float t = length2 > 0 ? std::clamp((p - a).dot(along) / length2, 0.0f, 1.0f) : 0.0f;
  return (p - a - t * along).norm();
}

/// How much of the sample an edge of its polygon covers. Diagonals of the triangulation are no edges.
float edge_coverage(const Shot& shot, const Hit& hit, const Eigen::Vector2f& pixel) {
  const PreparedMesh& mesh = shot.scene.meshes[hit.mesh];
  const ScreenEdges& edges = shot.edges[hit.mesh];
  const Index face = mesh.triangle_face[hit.triangle];
  const Index begin = mesh.face_begin[face];
  const Index end = mesh.face_begin[face + 1];
  float nearest = std::numeric_limits<float>::infinity();
  for (Index i = begin; i < end; ++i) {
    const float d = distance_to_segment(pixel, edges.corners[i], edges.corners[i + 1 < end ? i + 1 : begin]);
    nearest = std::min(nearest, d);  // keeps the old value where d is NaN
  }
  const auto width = static_cast<float>(shot.options.wire_width);
  // Samples are many: half a pixel of softness is enough, and keeps the line crisp.
  return edges.strength[face] * std::clamp(width - 2 * nearest + 0.5f, 0.0f, 1.0f);
}

/// On coarse meshes the facets cast shadows that the smooth normals deny. Shadow rays start from the smooth surface
/// that the normals suggest instead (Hanika, "Hacking the shadow terminator", Ray Tracing Gems II, 2021).
Vec3f smooth_origin(const Vec3f& p, const std::array<Vec3f, 3>& corners, const std::array<Vec3f, 3>& normals,
                    const Weights& w) {
  const auto lifted = [&](std::size_t i) -> Vec3f {
    const float below = std::min(0.0f, (p - corners[i]).dot(normals[i]));
    return p - below * normals[i];
  };
  return blend<Vec3f>(w, lifted(0), lifted(1), lifted(2));
}

}  // namespace

SurfacePoint surface_point(const Shot& shot, const Ray& ray, const Hit& hit, const Eigen::Vector2f& pixel) {
  const PreparedMesh& mesh = shot.scene.meshes[hit.mesh];
  const auto& vertices = mesh.triangles[hit.triangle];
  const auto& in_face = mesh.triangle_corners[hit.triangle];
  const Weights w{1 - hit.u - hit.v, hit.u, hit.v};
  const std::array<Vec3f, 3> corners{mesh.positions[vertices[0]], mesh.positions[vertices[1]],
                                     mesh.positions[vertices[2]]};
  const Vec3f geometric = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
  const bool back = geometric.dot(ray.direction) > 0;
  const float side = back ? -1.0f : 1.0f;
  std::array<Vec3f, 3> normals;
  for (std::size_t i = 0; i < 3; ++i) normals[i] = side * mesh.corner_normals[in_face[i]];

  SurfacePoint point;
  point.position = blend<Vec3f>(w, corners[0], corners[1], corners[2]);
  const Vec3f smooth = blend<Vec3f>(w, normals[0], normals[1], normals[2]);
  point.normal = smooth.squaredNorm() > 1e-12f ? Vec3f(smooth.normalized()) : Vec3f(side * geometric);
  point.shadow_origin = smooth_origin(point.position, corners, normals, w) + kLift * side * geometric;
  point.color = back && shot.options.back_faces == BackFaces::tinted ? shot.options.colors.back_face
                                                                     : base_color(shot, mesh, hit.triangle, w);
  if (!shot.edges.empty()) {
    const float wire = kWireOpacity * edge_coverage(shot, hit, pixel);
    point.color += wire * (shot.options.colors.wire - point.color);
  }
  return point;
}

}  // namespace isochor::detail
