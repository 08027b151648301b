#include "isochor/render/medial_scene.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/voxel/voxelize.h"

namespace isochor {
namespace {

/// Of rods, relative to the diagonal of the skin.
constexpr double kRodWidth = 0.003;

void add_solid(RenderMesh& mesh, std::span<const Vec3> corners, std::span<const double> radii,
               std::initializer_list<std::initializer_list<Index>> faces) {
  const auto first = static_cast<Index>(mesh.surface.vertex_count());
  mesh.surface.positions.insert(mesh.surface.positions.end(), corners.begin(), corners.end());
  mesh.scalar.insert(mesh.scalar.end(), radii.begin(), radii.end());
  for (const auto& face : faces) {
    std::vector<Index> moved(face);
    for (Index& v : moved) v += first;
    mesh.surface.add_face(moved);
  }
}

/// A square prism along a segment.
void add_rod(RenderMesh& mesh, const MedialComplex& complex, const std::array<Index, 2>& s, double width) {
  const Vec3 &a = complex.positions[s[0]], &b = complex.positions[s[1]];
  const Vec3 along = (b - a).normalized();
  const Vec3 u = width * along.unitOrthogonal(), v = along.cross(u);
  const std::array<Vec3, 8> corners = {a + u, a + v, a - u, a - v, b + u, b + v, b - u, b - v};
  const double ra = complex.radii[s[0]], rb = complex.radii[s[1]];
  const std::array<double, 8> radii = {ra, ra, ra, ra, rb, rb, rb, rb};
  add_solid(mesh, corners, radii, {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {3, 2, 1, 0}, {4, 5, 6, 7}});
}

/// An octahedron about a point.
void add_dot(RenderMesh& mesh, const MedialComplex& complex, Index v, double width) {
  const Vec3& p = complex.positions[v];
  std::array<Vec3, 6> corners;
  for (int a = 0; a < 3; ++a) {
    corners[2 * a] = p + width * Vec3::Unit(a);
    corners[2 * a + 1] = p - width * Vec3::Unit(a);
  }
  std::array<double, 6> radii;
  radii.fill(complex.radii[v]);
  add_solid(mesh, corners, radii,
            {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
}

RenderMesh complex_mesh(const MedialComplex& complex, double size) {
  RenderMesh mesh;
  mesh.crease_angle = 0;
  mesh.surface.positions = complex.positions;
  mesh.scalar = complex.radii;
  for (const auto& t : complex.triangles) mesh.surface.add_face(t);
  for (const auto& s : complex.segments) add_rod(mesh, complex, s, kRodWidth * size);
  for (const Index v : complex.points) add_dot(mesh, complex, v, 3 * kRodWidth * size);
  return mesh;
}

}  // namespace

MedialScene medial_scene(const WeldedCharacter& welded, const MedialPicture& options, RenderOptions& picture,
                         Context& context) {
  if (welded.surface().vertex_count() == 0) throw_bad_input("the file has no mesh to show the medial of");
  if (options.resolution < 8 || options.resolution > 256 ||
      !std::has_single_bit(static_cast<unsigned>(options.resolution))) {
    throw_bad_input("the resolution of a picture of the medial must be a power of two from 8 to 256");
  }
  Surface surface = welded.surface();
  surface.positions = welded.rest_space().rest;
  const Box box = bounding_box(surface.positions);
  const double size = box.diagonal().norm();
  const VoxelSolid solid = voxelize(surface, fit_grid(box, options.resolution), {}, context).solid;
  MedialScene made;
  made.medial = medial_complex(surface, solid, options.medial, context);
  for (const double d : distances_to_balls(made.medial.complex, surface.positions, context)) {
    made.mean_error += std::abs(d) / (size * static_cast<double>(surface.vertex_count()));
    made.max_error = std::max(made.max_error, std::abs(d) / size);
  }
  picture.frame = box;
  picture.back_faces = BackFaces::same;
  made.scene.meshes.push_back(complex_mesh(made.medial.complex, size));
  made.scene.scale = {.map = ColorMap::sequential, .min = 0, .title = "radius"};
  return made;
}

}  // namespace isochor
