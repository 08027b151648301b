#include "voxel/voxel_winding.h"

#include <cmath>

namespace isochor::voxel {
namespace {

/// With more caps than this share of the triangles, the triangles themselves are asked.
constexpr std::size_t kTrianglesPerCap = 3;

/// In units of voxels.
WindingTree make_tree(const LatticeSurface& surface, std::span<const LatticeTriangle> triangles) {
  std::vector<TriangleCorners> all;
  all.reserve(triangles.size());
  const double scale = std::ldexp(1.0, -surface.voxel_bits);
  for (const LatticeTriangle& t : triangles) {
    if (t.sign == 0) continue;
    TriangleCorners corners;
    for (int c = 0; c < 3; ++c) {
      const LatticePoint& p = surface.point(t, t.sign > 0 ? c : 2 - c);
      corners[c] = scale * Vec3(p[0], p[1], p[2]);
    }
    all.push_back(corners);
  }
  return WindingTree(all);
}

Vec3 middle(const Voxel& v) { return Vec3(v[0] + 0.5, v[1] + 0.5, v[2] + 0.5); }

}  // namespace

VoxelWinding::VoxelWinding(const LatticeSurface& surface, const Context& context) {
  std::vector<RimEdge> edges = find_rim(surface);
  if (edges.size() * kTrianglesPerCap > surface.triangles.size()) {
    closed_.grid = surface.grid;
    closed_.voxel_bits = surface.voxel_bits;
    tree_ = make_tree(surface, surface.triangles);
  } else {
    closed_ = surface;
    const std::vector<LatticeTriangle> caps = close_rim(closed_, edges);
    closed_.triangles.insert(closed_.triangles.end(), caps.begin(), caps.end());
    tree_ = make_tree(closed_, caps);
    tree_sign_ = -1;
  }
  hits_ = find_hits(closed_, std::array{0}, context);
  rim_.emplace(surface, std::move(edges));
}

WindingTree::Estimate VoxelWinding::estimate(const Voxel& voxel) const {
  WindingTree::Estimate result = tree_->estimate(middle(voxel));
  result.value = count_along_x(hits_, closed_, voxel) + tree_sign_ * result.value;
  return result;
}

bool VoxelWinding::inside(const Voxel& voxel) const {
  const int count = count_along_x(hits_, closed_, voxel);
  // count ± w > 1/2
  return tree_sign_ > 0 ? tree_->above(middle(voxel), 0.5 - count) : !tree_->above(middle(voxel), count - 0.5);
}

}  // namespace isochor::voxel
