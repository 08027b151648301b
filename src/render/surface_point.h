#pragma once

/// What the eye meets at the end of a ray.

#include "render/shot.h"

namespace isochor::detail {

struct SurfacePoint {
  Vec3f position;
  Vec3f normal;         ///< shading normal, unit, on the viewer's side
  Vec3f shadow_origin;  ///< where rays to the lights start
  Color color;
};

/// `pixel` is where the ray went through the picture, for the width of edges.
SurfacePoint surface_point(const Shot& shot, const Ray& ray, const Hit& hit, const Eigen::Vector2f& pixel);

}  // namespace isochor::detail
