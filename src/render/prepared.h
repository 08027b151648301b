#pragma once

/// A scene as the tracer wants it: single precision, in a space where the whole scene is about one unit large, so that
/// one set of tolerances fits every file.

#include <array>
#include <vector>

#include "isochor/render/render.h"
#include "render/ray_scene.h"

namespace isochor::detail {

struct PreparedMesh {
  std::vector<Vec3f> positions;                        // #V, unit space
  std::vector<Index> corners;                          // #C of the faces that are drawn
  std::vector<Index> face_begin;                       // #F+1
  std::vector<Vec3f> corner_normals;                   // #C, unit
  std::vector<std::array<Index, 3>> triangles;         // #T: vertices
  std::vector<std::array<Index, 3>> triangle_corners;  // #T: into corners
  std::vector<Index> triangle_face;                    // #T

  Color color;
  std::vector<Color> face_colors;    // #F or empty
  std::vector<Color> vertex_colors;  // #V or empty
  std::vector<float> scalar;         // #V or empty: position on the scale, NaN where unknown

  std::span<const Index> face(Index f) const {
    return {corners.data() + face_begin[f], corners.data() + face_begin[f + 1]};
  }
};

/// The bones as one mesh of flat coloured triangles.
struct PreparedBones {
  std::vector<Vec3f> positions;
  std::vector<std::array<Index, 3>> triangles;
  std::vector<Color> triangle_colors;
};

/// Finite, and small enough that squares and products of lengths stay finite too.
inline bool is_usable(const Vec3& p) { return (p.array().abs() < 1e30).all(); }

/// All usable vertices that a face refers to, ends of bones and lines, and points.
std::vector<Vec3> visible_points(const Scene& scene);

/// unit = (world - center) / scale
struct UnitSpace {
  Vec3 center = Vec3::Zero();
  double scale = 1;

  Vec3f to_unit(const Vec3& world) const { return ((world - center) / scale).cast<float>(); }
};

}  // namespace isochor::detail

namespace isochor {

struct PreparedScene::Impl {
  Box box;
  ColorScale scale;
  bool has_scalar = false;
  Problems problems;

  detail::UnitSpace space;
  std::vector<detail::PreparedMesh> meshes;
  detail::PreparedBones bones;
  detail::RayScene mesh_rays;
  detail::RayScene bone_rays;
  std::vector<Vec3> framed_points;  ///< world: what a camera without a given box shall see
  std::vector<Line> lines;
  std::vector<Point> points;
};

}  // namespace isochor
