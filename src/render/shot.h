#pragma once

/// All that one picture needs and that no pixel changes: camera, lights, ground, section, edges on the screen.

#include <array>
#include <optional>
#include <vector>

#include "isochor/render/render.h"
#include "render/prepared.h"

namespace isochor::detail {

/// Keeps the points with normal · x <= offset.
struct SectionPlane {
  Vec3f normal;
  float offset = 0;
};

struct Lights {
  Vec3f key;  ///< unit, towards the light
  Vec3f key_across, key_other;
  Vec3f fill;  ///< unit, towards the weak light that casts no shadow
  Vec3f sky;   ///< unit, up
};

/// The edges of the faces in pixels.
struct ScreenEdges {
  std::vector<Eigen::Vector2f> corners;  // #C; NaN behind the camera
  std::vector<float> strength;           // #F: less where a face is hardly wider than its edges
};

struct Shot {
  const PreparedScene::Impl& scene;
  const RenderOptions& options;
  Camera camera = {};  ///< unit space
  Lights lights = {};
  std::optional<float> ground = {};  ///< height along lights.sky
  std::optional<SectionPlane> section = {};
  std::vector<ScreenEdges> edges = {};   ///< a mesh each, where edges are drawn
  std::vector<Color> scale_colors = {};  ///< the colour scale, sampled densely
};

/// `camera` in world space.
Shot make_shot(const PreparedScene::Impl& scene, const RenderOptions& options, const Camera& camera);

}  // namespace isochor::detail
