#include "isochor/render/medial_scene.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "isochor/base/error.h"
#include "isochor/deform/medial_skin.h"
#include "isochor/voxel/voxelize.h"

namespace isochor {
namespace {

/// Of rods, relative to the diagonal of the skin.
constexpr double kRodWidth = 0.003;
constexpr double kRimWidth = 0.001;

/// A mesh whose vertices each show a vertex of the complex.
struct ShownComplex {
  RenderMesh mesh;
  std::vector<Index> shows;  // #V of the mesh

  void add_solid(std::span<const Vec3> corners, std::span<const Index> vertices,
                 std::initializer_list<std::initializer_list<Index>> faces) {
    const auto first = static_cast<Index>(mesh.surface.vertex_count());
    mesh.surface.positions.insert(mesh.surface.positions.end(), corners.begin(), corners.end());
    shows.insert(shows.end(), vertices.begin(), vertices.end());
    for (const auto& face : faces) {
      std::vector<Index> moved(face);
      for (Index& v : moved) v += first;
      mesh.surface.add_face(moved);
    }
  }

  /// A square prism along a segment.
  void add_rod(const MedialComplex& complex, const std::array<Index, 2>& s, double width) {
    const Vec3 &a = complex.positions[s[0]], &b = complex.positions[s[1]];
    const Vec3 along = (b - a).normalized();
    const Vec3 u = width * along.unitOrthogonal(), v = along.cross(u);
    const std::array<Vec3, 8> corners = {a + u, a + v, a - u, a - v, b + u, b + v, b - u, b - v};
    const std::array<Index, 8> vertices = {s[0], s[0], s[0], s[0], s[1], s[1], s[1], s[1]};
    add_solid(corners, vertices, {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {3, 2, 1, 0}, {4, 5, 6, 7}});
  }

  /// An octahedron about a point.
  void add_dot(const MedialComplex& complex, Index v, double width) {
    const Vec3& p = complex.positions[v];
    std::array<Vec3, 6> corners;
    for (int a = 0; a < 3; ++a) {
      corners[2 * a] = p + width * Vec3::Unit(a);
      corners[2 * a + 1] = p - width * Vec3::Unit(a);
    }
    std::array<Index, 6> vertices;
    vertices.fill(v);
    add_solid(corners, vertices,
              {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
  }
};

/// Edges of one triangle alone: drawn as well, so that a sheet is seen from the side, too.
std::vector<std::array<Index, 2>> rims(const MedialComplex& complex) {
  std::map<std::array<Index, 2>, int> uses;
  for (const auto& t : complex.triangles) {
    for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) ++uses[{t[a], t[b]}];
  }
  std::vector<std::array<Index, 2>> out;
  for (const auto& [edge, count] : uses) {
    if (count == 1) out.push_back(edge);
  }
  return out;
}

ShownComplex shown(const MedialComplex& complex, double size) {
  ShownComplex out;
  out.mesh.crease_angle = 0;
  out.mesh.surface.positions = complex.positions;
  for (std::size_t v = 0; v < complex.vertex_count(); ++v) out.shows.push_back(static_cast<Index>(v));
  for (const auto& t : complex.triangles) out.mesh.surface.add_face(t);
  for (const auto& s : complex.segments) out.add_rod(complex, s, kRodWidth * size);
  for (const auto& s : rims(complex)) out.add_rod(complex, s, kRimWidth * size);
  for (const Index v : complex.points) out.add_dot(complex, v, 3 * kRodWidth * size);
  return out;
}

Scene scene_by_radius(const MedialComplex& complex, double size) {
  ShownComplex made = shown(complex, size);
  for (const Index v : made.shows) made.mesh.scalar.push_back(complex.radii[v]);
  Scene scene;
  scene.meshes.push_back(std::move(made.mesh));
  scene.scale = {.map = ColorMap::sequential, .min = 0, .title = "radius"};
  return scene;
}

/// Joints have the colours that --weights '*' gives them.
std::vector<Color> colors_of_joints(const Skeleton& skeleton) {
  std::vector<Color> colors(skeleton.size(), srgb(0xc9c5bd));
  std::size_t number = 0;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (skeleton.joints[j].deforms) colors[j] = category_color(number++);
  }
  return colors;
}

Scene scene_by_joint(const MedialComplex& complex, const MedialRig& rig, const Skeleton& skeleton, double size) {
  const auto colors = colors_of_joints(skeleton);
  ShownComplex made = shown(complex, size);
  for (const Index v : made.shows) {
    Color sum = Color::Zero();
    for (const Influence& i : rig.skin.guides.row(static_cast<std::size_t>(v))) {
      sum += static_cast<float>(i.weight) * colors[rig.drivers[i.joint].joint];
    }
    made.mesh.vertex_colors.push_back(sum);
  }
  Scene scene;
  scene.meshes.push_back(std::move(made.mesh));
  return scene;
}

/// Where the guides of a pose carry the vertices of the complex.
void move_complex(const WeldedCharacter& welded, const MedialRig& rig, const Pose& pose, MedialComplex& complex) {
  std::vector<Affine> drivers(rig.drivers.size()), motions(rig.skin.centres.size());
  driver_matrices(rig, global_transforms(welded.skeleton(), pose), drivers);
  guide_motions(rig.skin, drivers, motions, Context(1));
  for (std::size_t v = 0; v < complex.vertex_count(); ++v) complex.positions[v] = motions[v] * complex.positions[v];
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
  picture.view_box = box;
  picture.back_faces = BackFaces::same;
  made.scene = scene_by_radius(made.medial.complex, size);
  return made;
}

Scene moved_medial_scene(const WeldedCharacter& welded, const PreparedMedial& medial, const Pose* pose,
                         MedialColor color) {
  if (medial.complex.vertex_count() == 0) throw_bad_input("the skin follows single joints alone: it has no medial");
  MedialComplex complex = medial.complex;
  if (pose != nullptr) move_complex(welded, medial.rig, *pose, complex);
  const double size = bounding_box(complex.positions).diagonal().norm();
  return color == MedialColor::radius ? scene_by_radius(complex, size)
                                      : scene_by_joint(complex, medial.rig, welded.skeleton(), size);
}

}  // namespace isochor
