#pragma once

/// Embree behind a small door: triangle meshes in, rays through them. The rest of the module never sees its types.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor::detail {

struct Ray {
  Vec3f origin;
  Vec3f direction;  ///< unit
  float near = 0;
  float far = std::numeric_limits<float>::infinity();
};

struct Hit {
  float distance = 0;
  float u = 0;  ///< weight of the triangle's second corner
  float v = 0;  ///< weight of the third
  std::uint32_t mesh = 0;
  std::uint32_t triangle = 0;
};

enum class Facing { any, front_only };

class RayScene {
 public:
  RayScene();
  ~RayScene();
  RayScene(const RayScene&) = delete;
  RayScene& operator=(const RayScene&) = delete;

  /// Meshes are numbered 0, 1 … in the order they are added. Corners must be in range, positions finite.
  void add_mesh(std::span<const Vec3f> positions, std::span<const std::array<Index, 3>> triangles);
  /// Call once, after the last mesh and before the first ray.
  void commit();
  bool empty() const { return mesh_count_ == 0; }

  std::optional<Hit> first_hit(const Ray& ray, Facing facing) const;
  bool is_blocked(const Ray& ray) const;
  /// Whether the point lies inside any mesh: the signed number of times that a ray leaves a mesh is not nil. Several
  /// rays vote, so that holes and stray sheets in the way of one of them do not decide.
  bool is_inside(const Vec3f& point) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::size_t mesh_count_ = 0;
  Eigen::AlignedBox3f box_;
};

}  // namespace isochor::detail
