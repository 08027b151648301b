#include "isochor/render/voxel_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/bind/gvb.h"
#include "isochor/voxel/bone_voxels.h"
#include "isochor/voxel/octree.h"
#include "isochor/voxel/voxel_surface.h"
#include "isochor/voxel/voxelize.h"

namespace isochor {
namespace {

const Color kBoundary = srgb(0x4d7fb8);
const Color kInterior = srgb(0xd9705a);
const Color kBone = srgb(0xf2d06b);

/// The welded bind shape, its joints as handles, and the grid over both.
struct Inside {
  Surface surface;
  std::vector<Handle> handles;
  VoxelGrid grid;
};

Inside make_inside(const WeldedCharacter& welded, int resolution) {
  if (resolution < 8 || resolution > 1024 || (resolution & (resolution - 1)) != 0) {
    throw_bad_input("the resolution of a picture of voxels must be a power of two from 8 to 1024");
  }
  RestSpace space = welded.rest_space();
  Inside inside;
  inside.surface = welded.surface();
  inside.surface.positions = std::move(space.rest);
  if (welded.skeleton().deforming_count() > 0) {
    inside.handles = joint_handles(welded.skeleton(), space.bind).handles;
  }
  Box box = bounding_box(inside.surface.positions);
  if (!inside.handles.empty()) box.extend(bounding_box(inside.handles));
  inside.grid = fit_grid(box, resolution);
  return inside;
}

/// The half of the grid that the section keeps, cut along a layer of voxels.
class KeptHalf {
 public:
  KeptHalf(const Inside& inside, const RenderOptions& picture) {
    if (picture.section == Section::none) return;
    axis_ = static_cast<int>(picture.section) - 1;
    const Box box = bounding_box(inside.surface.positions);
    const double at = box.min()[axis_] + picture.section_position * box.diagonal()[axis_];
    Vec3 point = box.center();
    point[axis_] = at;
    layer_ = static_cast<std::uint32_t>(std::max(0.0, std::round(inside.grid.to_grid(point)[axis_])));
    keep_high_ = fit_camera(box, Viewport{}, picture.camera).forward[axis_] > 0;
  }

  bool cut() const { return axis_ >= 0; }
  int axis() const { return axis_; }
  std::uint32_t layer() const { return layer_; }
  bool keeps_high() const { return keep_high_; }

  /// Takes away what is not kept of a box; false where nothing is left.
  bool clip(VoxelBox& box) const {
    if (axis_ < 0) return true;
    std::uint32_t& low = box.low[axis_];
    std::uint32_t& high = box.high[axis_];
    (keep_high_ ? low : high) = keep_high_ ? std::max(low, layer_) : std::min(high, layer_);
    return low < high;
  }
  bool keeps(std::uint32_t code) const {
    const Voxel low = morton_decode(code);
    VoxelBox box{low, {low[0] + 1, low[1] + 1, low[2] + 1}};
    return clip(box);
  }

 private:
  int axis_ = -1;
  std::uint32_t layer_ = 0;
  bool keep_high_ = false;
};

std::vector<std::uint32_t> bone_voxels(const Inside& inside, const VoxelSolid& solid) {
  std::vector<std::uint32_t> codes;
  for (const Handle& handle : inside.handles) {
    for (const HandleShape& shape : handle.shapes) {
      const auto voxels = voxels_of(inside.grid, shape);
      codes.insert(codes.end(), voxels.begin(), voxels.end());
    }
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  std::erase_if(codes, [&](std::uint32_t c) { return solid.at(morton_decode(c)) == VoxelSolid::Kind::exterior; });
  return codes;
}

std::vector<std::uint32_t> chosen_voxels(const VoxelSolid& solid, const std::vector<std::uint32_t>& bones,
                                         VoxelsShown shown) {
  std::vector<std::uint32_t> codes;
  const auto add = [&](const std::vector<std::uint32_t>& more) {
    const auto middle = static_cast<std::ptrdiff_t>(codes.size());
    codes.insert(codes.end(), more.begin(), more.end());
    std::inplace_merge(codes.begin(), codes.begin() + middle, codes.end());
  };
  const bool all = shown == VoxelsShown::all;
  if (all || shown == VoxelsShown::boundary) add(voxels_of_kind(solid, VoxelSolid::Kind::boundary));
  if (all || shown == VoxelsShown::interior) add(voxels_of_kind(solid, VoxelSolid::Kind::interior));
  if (all || shown == VoxelsShown::bones) add(bones);
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

RenderMesh voxel_mesh(const VoxelSolid& solid, const std::vector<std::uint32_t>& bones, VoxelsShown shown,
                      const KeptHalf& half) {
  auto codes = chosen_voxels(solid, bones, shown);
  std::erase_if(codes, [&](std::uint32_t code) { return !half.keeps(code); });
  VoxelSurface voxels = voxel_surface(solid.grid, codes);
  const bool shows_bones = shown == VoxelsShown::all || shown == VoxelsShown::bones;
  RenderMesh mesh;
  mesh.crease_angle = 0;
  for (const std::uint32_t code : voxels.voxel) {
    const bool is_bone = shows_bones && std::binary_search(bones.begin(), bones.end(), code);
    const bool is_boundary = solid.at(morton_decode(code)) == VoxelSolid::Kind::boundary;
    mesh.face_colors.push_back(is_bone ? kBone : is_boundary ? kBoundary : kInterior);
  }
  mesh.surface = std::move(voxels.surface);
  return mesh;
}

RenderMesh cell_mesh(const VoxelSolid& solid, const std::vector<std::uint32_t>& bones, const KeptHalf& half,
                     Context& context) {
  const Octree octree = build_octree(solid, bones, CellSizes::sparse, context);
  RenderMesh mesh;
  mesh.crease_angle = 0;
  std::vector<VoxelBox> boxes;
  for (const OctreeCell& cell : octree.cells()) {
    const Voxel low = morton_decode(cell.code);
    const std::uint32_t edge = 1u << cell.level;
    VoxelBox box{low, {low[0] + edge, low[1] + edge, low[2] + edge}};
    if (!half.clip(box)) continue;
    boxes.push_back(box);
    const bool is_bone = std::binary_search(bones.begin(), bones.end(), cell.code);
    // Larger cells lighter, so that they stand out.
    const Color inner = kInterior + 0.09f * static_cast<float>(cell.level) * (Color::Ones() - kInterior);
    mesh.face_colors.insert(mesh.face_colors.end(), 6,
                            is_bone                           ? kBone
                            : cell.kind == CellKind::boundary ? kBoundary
                                                              : inner);
  }
  mesh.surface = box_surface(solid.grid, boxes);
  return mesh;
}

const Handle& handle_of(const WeldedCharacter& welded, const Inside& inside, const std::string& name) {
  for (const Handle& handle : inside.handles) {
    if (welded.skeleton().joints[handle.joint].name == name) return handle;
  }
  throw_bad_input("there is no joint " + name + " to measure distances from");
}

/// One square per voxel on the plane of the cut, coloured by the distance there, on the side that is kept.
RenderMesh distance_mesh(const Inside& inside, const GvbBinding& binding, const KeptHalf& half, double plane) {
  RenderMesh mesh;
  mesh.crease_angle = 0;
  const int u = (half.axis() + 1) % 3, v = (half.axis() + 2) % 3;
  const double inward = half.keeps_high() ? 1 : -1;
  for (Index i = 0; i < inside.grid.resolution; ++i) {
    for (Index j = 0; j < inside.grid.resolution; ++j) {
      const auto at = [&](double du, double dv, double depth) {
        Vec3 g;
        g[u] = i + du;
        g[v] = j + dv;
        g[half.axis()] = plane + inward * depth;
        return inside.grid.to_world(g);
      };
      const double distance = binding.distance_at(at(0.5, 0.5, 0.5), 0);
      if (!std::isfinite(distance)) continue;
      const auto first = static_cast<Index>(mesh.surface.positions.size());
      for (const auto& [du, dv] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
        mesh.surface.positions.push_back(at(du, dv, 0.02));
        mesh.scalar.push_back(distance);
      }
      // u × v is the axis: the square faces the half that is gone.
      if (half.keeps_high()) {
        mesh.surface.add_face({first, first + 3, first + 2, first + 1});
      } else {
        mesh.surface.add_face({first, first + 1, first + 2, first + 3});
      }
    }
  }
  return mesh;
}

Scene distance_scene(const WeldedCharacter& welded, const VoxelPicture& options, RenderOptions& picture,
                     Context& context) {
  if (picture.section == Section::none) picture.section = Section::x;
  const Inside inside = make_inside(welded, options.resolution);
  const Handle& handle = handle_of(welded, inside, options.distance);
  const KeptHalf half(inside, picture);
  const GvbBinding binding(inside.surface, {handle}, {.resolution = options.resolution, .penalty = options.penalty},
                           context, 1);
  picture.section_fill = SectionFill::hollow;
  picture.back_faces = BackFaces::same;
  const Box box = bounding_box(inside.surface.positions);
  picture.view_box = box;
  Vec3 point = box.center();
  point[half.axis()] = box.min()[half.axis()] + picture.section_position * box.diagonal()[half.axis()];
  Scene scene;
  RenderMesh skin;
  skin.surface = inside.surface;
  scene.meshes.push_back(std::move(skin));
  scene.meshes.push_back(distance_mesh(inside, binding, half, inside.grid.to_grid(point)[half.axis()]));
  scene.scale = {.map = ColorMap::sequential, .min = 0, .title = "distance to " + options.distance};
  return scene;
}

}  // namespace

Scene voxel_scene(const WeldedCharacter& welded, const VoxelPicture& options, RenderOptions& picture,
                  Context& context) {
  if (welded.surface().vertex_count() == 0) throw_bad_input("the file has no mesh to show the inside of");
  if (!options.distance.empty()) return distance_scene(welded, options, picture, context);
  const VoxelsShown shown = options.voxels.value_or(VoxelsShown::all);
  const Inside inside = make_inside(welded, options.resolution);
  const VoxelSolid solid = voxelize(inside.surface, inside.grid, {}, context).solid;
  const auto bones = bone_voxels(inside, solid);
  const KeptHalf half(inside, picture);
  picture.section = Section::none;
  picture.view_box = bounding_box(inside.surface.positions);
  Scene scene;
  scene.meshes.push_back(shown == VoxelsShown::cells ? cell_mesh(solid, bones, half, context)
                                                     : voxel_mesh(solid, bones, shown, half));
  if (scene.meshes[0].surface.face_count() == 0) throw_bad_input("there are no such voxels to show");
  return scene;
}

}  // namespace isochor
