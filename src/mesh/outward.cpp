#include "mesh/outward.h"

namespace isochor {

std::vector<std::array<Index, 3>> outward_triangles(const Surface& surface, const Topology& topology) {
  std::vector<char> turned(surface.face_count(), 0);
  for (const Component& component : topology.components) {
    for (const Index f : component.flips) turned[f] = 1;
  }
  Triangulation triangulation = triangulate(surface);
  const auto& p = surface.positions;
  const Vec3 middle = ball_around(p).middle;
  double whole = 0;
  std::vector<double> volume(topology.components.size(), 0.0);
  for (std::size_t t = 0; t < triangulation.triangles.size(); ++t) {
    auto& triangle = triangulation.triangles[t];
    if (turned[triangulation.face[t]] != 0) std::swap(triangle[1], triangle[2]);
    const double tetrahedron = (p[triangle[0]] - middle).dot((p[triangle[1]] - middle).cross(p[triangle[2]] - middle));
    volume[topology.component_of_face[triangulation.face[t]]] += tetrahedron;
    whole += tetrahedron;
  }
  for (std::size_t t = 0; t < triangulation.triangles.size(); ++t) {
    auto& triangle = triangulation.triangles[t];
    const Index c = topology.component_of_face[triangulation.face[t]];
    if ((topology.components[c].closed ? volume[c] : whole) < 0) std::swap(triangle[1], triangle[2]);
  }
  return std::move(triangulation.triangles);
}

std::vector<Vec3> mean_normals(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles) {
  std::vector<Vec3> normals(positions.size(), Vec3::Zero());
  for (const std::array<Index, 3>& t : triangles) {
    const Vec3 n = (positions[t[1]] - positions[t[0]]).cross(positions[t[2]] - positions[t[0]]).stableNormalized();
    if (!n.allFinite()) continue;
    for (const Index v : t) normals[v] += n;
  }
  for (Vec3& n : normals) n = n.norm() > 0 ? Vec3(n.normalized()) : Vec3::Zero();
  return normals;
}

}  // namespace isochor
