#include "render/prepared.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <tuple>

#include "isochor/base/math.h"

namespace isochor {
namespace {

using detail::PreparedBones;
using detail::PreparedMesh;
using detail::UnitSpace;

void check_lengths(const RenderMesh& mesh) {
  const std::size_t vertices = mesh.surface.vertex_count();
  const auto check = [](std::size_t length, std::size_t wanted, const std::string& what) {
    if (length != 0 && length != wanted) {
      throw_bad_input("a mesh to be drawn has " + std::to_string(length) + " " + what + " where " +
                      std::to_string(wanted) + " are needed");
    }
  };
  const auto& begin = mesh.surface.face_begin;
  if (begin.empty() || begin.front() != 0 || static_cast<std::size_t>(begin.back()) != mesh.surface.corners.size() ||
      !std::is_sorted(begin.begin(), begin.end())) {
    throw_bad_input("the faces of a mesh to be drawn do not add up to its corners");
  }
  check(mesh.normals.size(), vertices, "normals");
  check(mesh.vertex_colors.size(), vertices, "vertex colours");
  check(mesh.scalar.size(), vertices, "scalars");
  check(mesh.face_colors.size(), mesh.surface.face_count(), "face colours");
}

bool is_drawable(const Surface& surface, std::size_t f) {
  const auto face = surface.face(f);
  return face.size() >= 3 && std::all_of(face.begin(), face.end(), [&](Index v) {
           return v >= 0 && static_cast<std::size_t>(v) < surface.vertex_count() &&
                  detail::is_usable(surface.positions[v]);
         });
}

/// The faces that can be drawn, over the same vertices (those that are not finite moved to the origin: no face has
/// them).
Surface drawable_part(const RenderMesh& mesh, std::vector<Index>& source_face, ProblemCollector& bad) {
  Surface result;
  result.positions = mesh.surface.positions;
  for (Vec3& p : result.positions) {
    if (!detail::is_usable(p)) p.setZero();
  }
  for (std::size_t f = 0; f < mesh.surface.face_count(); ++f) {
    if (!is_drawable(mesh.surface, f)) {
      bad.add(static_cast<Index>(f));
      continue;
    }
    result.add_face(mesh.surface.face(f));
    source_face.push_back(static_cast<Index>(f));
  }
  return result;
}

/// Files split vertices at seams; those at the same place share their normal all the same.
std::vector<Index> first_at_same_place(const std::vector<Vec3>& positions) {
  std::vector<Index> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](Index a, Index b) {
    const Vec3& p = positions[a];
    const Vec3& q = positions[b];
    return std::make_tuple(p.x(), p.y(), p.z(), a) < std::make_tuple(q.x(), q.y(), q.z(), b);
  };
  std::sort(order.begin(), order.end(), before);
  std::vector<Index> first(positions.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && positions[order[i]] == positions[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  return first;
}

struct FaceNormals {
  std::vector<Vec3> area;  // #F
  std::vector<Vec3> unit;  // #F, some unit vector for faces without area
};

FaceNormals face_normals(const Surface& surface, double scale) {
  FaceNormals normals;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    normals.area.push_back(area_vector(surface.positions, surface.face(f)) / (scale * scale));
    normals.unit.push_back(unit_or(normals.area.back(), Vec3::UnitY()));
  }
  return normals;
}

/// For each corner: the area-weighted mean over the faces around its vertex that meet its own face smoothly.
std::vector<Vec3> computed_corner_normals(const Surface& surface, const FaceNormals& normals, double crease_angle) {
  const std::vector<Index> vertex = first_at_same_place(surface.positions);
  std::vector<Index> begin(surface.vertex_count() + 1, 0);
  for (const Index v : surface.corners) ++begin[vertex[v] + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> faces_around(surface.corners.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (const Index v : surface.face(f)) faces_around[next[vertex[v]]++] = static_cast<Index>(f);
  }
  const double least_cosine = crease_angle >= 180 ? -2 : std::cos(crease_angle * std::numbers::pi / 180) - 1e-9;
  std::vector<Vec3> result;
  result.reserve(surface.corners.size());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (const Index corner : surface.face(f)) {
      const Index v = vertex[corner];
      Vec3 sum = Vec3::Zero();
      for (Index i = begin[v]; i < begin[v + 1]; ++i) {
        const Index g = faces_around[i];
        if (normals.unit[g].dot(normals.unit[f]) >= least_cosine) sum += normals.area[g];
      }
      result.push_back(unit_or(sum, normals.unit[f]));
    }
  }
  return result;
}

std::vector<Vec3> corner_normals(const RenderMesh& mesh, const Surface& surface, double scale) {
  const FaceNormals normals = face_normals(surface, scale);
  const bool given = !mesh.normals.empty() && mesh.crease_angle > 0;
  if (!given) return computed_corner_normals(surface, normals, mesh.crease_angle);
  std::vector<Vec3> result;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (const Index v : surface.face(f)) result.push_back(unit_or(mesh.normals[v], normals.unit[f]));
  }
  return result;
}

PreparedMesh prepare_mesh(const RenderMesh& mesh, const UnitSpace& space, const ColorScale& scale,
                          ProblemCollector& bad) {
  std::vector<Index> source_face;
  const Surface surface = drawable_part(mesh, source_face, bad);
  const Triangulation cut = triangulate(surface);
  PreparedMesh result;
  for (const Vec3& p : surface.positions) result.positions.push_back(space.to_unit(p));
  for (const Vec3& n : corner_normals(mesh, surface, space.scale)) result.corner_normals.push_back(n.cast<float>());
  result.corners = surface.corners;
  result.face_begin = surface.face_begin;
  result.triangles = cut.triangles;
  result.triangle_corners = cut.corner;
  result.triangle_face = cut.face;
  result.color = mesh.color;
  result.vertex_colors = mesh.vertex_colors;
  for (std::size_t f = 0; f < source_face.size() && !mesh.face_colors.empty(); ++f) {
    result.face_colors.push_back(mesh.face_colors[source_face[f]]);
  }
  for (const double s : mesh.scalar) {
    const double t = std::clamp((s - scale.min) / (scale.max - scale.min), 0.0, 1.0);
    result.scalar.push_back(std::isnan(s) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(t));
  }
  return result;
}

/// An octahedron: a waist of four points, and two tips.
struct Octahedron {
  Vec3 head, tail;
  double waist = 0.5;  ///< where along head and tail
  double radius = 0.1;
};

void add_octahedron(PreparedBones& bones, const Octahedron& shape, const UnitSpace& space, const Color& color) {
  const Vec3 axis = (shape.tail - shape.head).normalized();
  const Vec3 across = axis.unitOrthogonal();
  const Vec3 other = axis.cross(across);
  const Vec3 middle = shape.head + shape.waist * (shape.tail - shape.head);
  const auto first = static_cast<Index>(bones.positions.size());
  for (const Vec3& p :
       {shape.head, shape.tail, Vec3(middle + shape.radius * across), Vec3(middle + shape.radius * other),
        Vec3(middle - shape.radius * across), Vec3(middle - shape.radius * other)}) {
    bones.positions.push_back(space.to_unit(p));
  }
  for (Index i = 0; i < 4; ++i) {
    const Index a = first + 2 + i;
    const Index b = first + 2 + (i + 1) % 4;
    bones.triangles.push_back({first, b, a});
    bones.triangles.push_back({first + 1, a, b});
  }
  bones.triangle_colors.resize(bones.triangles.size(), color);
}

PreparedBones prepare_bones(const Scene& scene, const UnitSpace& space) {
  PreparedBones bones;
  const double thickest = 0.018 * space.scale;
  for (const Bone& bone : scene.bones) {
    if (!detail::is_usable(bone.head) || !detail::is_usable(bone.tail)) continue;
    const double length = (bone.tail - bone.head).norm();
    if (length > 0) {
      const double radius = std::min(0.1 * length, thickest);
      add_octahedron(bones, {bone.head, bone.tail, std::min(0.15, 1.5 * radius / length), radius}, space, bone.color);
    } else {
      const Vec3 half = 0.5 * thickest * sky_direction(UpAxis::y);
      add_octahedron(bones, {bone.head - half, bone.head + half, 0.5, 0.5 * thickest}, space, bone.color);
    }
  }
  return bones;
}

UnitSpace unit_space(const Box& box) {
  if (box.isEmpty()) return {};
  const double diagonal = box.diagonal().norm();
  return {box.center(), diagonal > 0 ? diagonal : 1};
}

ColorScale resolved_scale(const Scene& scene) {
  std::vector<double> values;
  for (const RenderMesh& mesh : scene.meshes) values.insert(values.end(), mesh.scalar.begin(), mesh.scalar.end());
  return resolve(scene.scale, values);
}

}  // namespace

PreparedScene::PreparedScene(const Scene& scene, Context& context) : impl_(std::make_unique<Impl>()) {
  const StageTimer timer(context, "prepare");
  for (const RenderMesh& mesh : scene.meshes) check_lengths(mesh);
  impl_->framed_points = detail::visible_points(scene);
  impl_->box = bounding_box(impl_->framed_points);
  impl_->space = unit_space(impl_->box);
  impl_->scale = resolved_scale(scene);
  impl_->lines = scene.lines;
  impl_->points = scene.points;
  ProblemCollector bad;
  for (const RenderMesh& mesh : scene.meshes) {
    context.check_cancelled();
    impl_->has_scalar = impl_->has_scalar || !mesh.scalar.empty();
    impl_->meshes.push_back(prepare_mesh(mesh, impl_->space, impl_->scale, bad));
    impl_->mesh_rays.add_mesh(impl_->meshes.back().positions, impl_->meshes.back().triangles);
  }
  impl_->mesh_rays.commit();
  impl_->bones = prepare_bones(scene, impl_->space);
  if (!impl_->bones.triangles.empty()) impl_->bone_rays.add_mesh(impl_->bones.positions, impl_->bones.triangles);
  impl_->bone_rays.commit();
  bad.report(impl_->problems, Severity::warning, "faces-not-drawn",
             "{} face{|s} {is|are} left out of the picture: fewer than three corners, corners that do not exist, or "
             "positions that "
             "are not finite");
}

PreparedScene::~PreparedScene() = default;
PreparedScene::PreparedScene(PreparedScene&&) noexcept = default;
PreparedScene& PreparedScene::operator=(PreparedScene&&) noexcept = default;

const Box& PreparedScene::box() const { return impl_->box; }
const ColorScale& PreparedScene::scale() const { return impl_->scale; }
bool PreparedScene::has_scalar() const { return impl_->has_scalar; }
const Problems& PreparedScene::problems() const { return impl_->problems; }

}  // namespace isochor
