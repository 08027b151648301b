#include "isochor/render/scene.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "render/prepared.h"

namespace isochor {

std::vector<Vec3> detail::visible_points(const Scene& scene) {
  std::vector<Vec3> points;
  for (const RenderMesh& mesh : scene.meshes) {
    std::vector<bool> used(mesh.surface.vertex_count(), false);
    for (const Index v : mesh.surface.corners) {
      if (v >= 0 && static_cast<std::size_t>(v) < used.size()) used[v] = true;
    }
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (used[v]) points.push_back(mesh.surface.positions[v]);
    }
  }
  for (const Bone& bone : scene.bones) points.insert(points.end(), {bone.head, bone.tail});
  for (const Line& line : scene.lines) points.insert(points.end(), {line.from, line.to});
  for (const Point& point : scene.points) points.push_back(point.at);
  points.erase(std::remove_if(points.begin(), points.end(), [](const Vec3& p) { return !is_usable(p); }), points.end());
  return points;
}

Box scene_box(const Scene& scene) { return bounding_box(detail::visible_points(scene)); }

std::vector<Bone> bones_of(std::span<const Vec3> joint_positions, std::span<const Index> parents) {
  if (joint_positions.size() != parents.size()) throw_bad_input("each joint needs one position and one parent");
  std::vector<bool> has_bone(parents.size(), false);
  std::vector<Bone> bones;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const Index parent = parents[j];
    if (parent < 0 || static_cast<std::size_t>(parent) >= parents.size()) continue;
    const Vec3& head = joint_positions[parent];
    const Vec3& tail = joint_positions[j];
    if (!head.allFinite() || !tail.allFinite() || head == tail) continue;
    has_bone[parent] = true;
    bones.push_back({.head = head, .tail = tail});
  }
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (has_bone[j] || !joint_positions[j].allFinite()) continue;
    bones.push_back({.head = joint_positions[j], .tail = joint_positions[j]});
  }
  return bones;
}

}  // namespace isochor
