#include "bind/grow_bones.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "isochor/voxel/winding.h"
#include "mesh/outward.h"

namespace isochor {
namespace {

/// A leaf that found no room to grow is still this part of the bone before it: eyes on stalks, toes, wing tips.
constexpr double kLeastLeaf = 0.3;
/// A leaf that is not known to be one, with less room than this part of the bone before it, marks that bone's end.
constexpr double kEndRoom = 0.3;
/// The longest way to skin that is looked for, in steps.
constexpr int kMostSteps = 4096;

struct Grown {
  double length = 0;
  bool entered = false;        ///< it met the mesh
  bool through_empty = false;  ///< it started outside, or found nothing but skin
};

/// How far a leaf goes in a direction: to the last place that was inside. Surfaces within the solid (a shell in a
/// shell, teeth in a head) do not stop it.
Grown grow(const BoneSpace& space, const Handle& leaf, const Vec3& direction, double limit) {
  const Vec3 start = leaf.shapes[0].a;
  const bool may_look = leaf.growth.parent_bone > 0;
  Grown grown;
  double inside = 0, touched = 0;
  for (int n = 0; n < kMostSteps; ++n) {
    const double at = n * space.step;
    if (at > limit) break;
    const BoneSpace::Kind kind = space.at(start + at * direction);
    if (kind == BoneSpace::Kind::outside) {
      if (n == 0) continue;
      if (grown.entered || !may_look || at > leaf.growth.parent_bone) break;
      continue;
    }
    if (!grown.entered && n > 0 && may_look) grown.through_empty = true;
    grown.entered = true;
    touched = at;
    if (kind == BoneSpace::Kind::inside) inside = at;
  }
  if (inside == 0 && may_look && touched > 0) grown.through_empty = true;
  grown.length = inside == 0 && may_look ? touched : inside;
  return grown;
}

class BoneGrower {
 public:
  BoneGrower(const BoneSpace& space, AppliedBoneRules& applied) : space_(space), applied_(applied) {}

  /// False where the leaf is no bone.
  bool grow_leaf(Handle& leaf) const {
    const Handle::Growth growth = leaf.growth;
    Vec3 direction = growth.direction;
    Grown grown = grow(space_, leaf, direction, growth.limit);
    double limit = growth.limit;
    if (grown.length < 4 * space_.step && !growth.other.isZero()) {
      const Grown other = grow(space_, leaf, growth.other, growth.other_limit);
      if (other.length > grown.length) {
        grown = other;
        direction = growth.other;
        limit = growth.other_limit;
      }
    }
    const bool stopped = grown.length + space_.step > limit;
    if (!leaf.proven && growth.parent_bone > 0) {
      if (!grown.entered) {
        applied_.add(BoneRule::control, leaf.joint);
        return false;
      }
      if (leaf.end_by_name && !stopped && grown.length < kEndRoom * growth.parent_bone) {
        applied_.add(BoneRule::end, leaf.joint);
        return false;
      }
    }
    const double least = std::min(kLeastLeaf * growth.parent_bone, limit);
    if (stopped) applied_.add(BoneRule::stop, leaf.joint);
    if (grown.through_empty || grown.length < least) applied_.add(BoneRule::outside, leaf.joint);
    const double length = std::max(grown.length, least);
    leaf.growth = {};
    if (length > 0) leaf.shapes[0] = HandleShape::segment(leaf.shapes[0].a, leaf.shapes[0].a + length * direction);
    return true;
  }

  /// A joint above all others that lies outside passes motion on.
  bool is_root_control(const Handle& handle) const {
    if (!handle.top || handle.proven || handle.shapes.empty()) return false;
    const Vec3 p = handle.shapes[0].a;
    const bool has_bones = handle.shapes[0].kind == HandleShape::Kind::segment;
    return has_bones && space_.at(p) == BoneSpace::Kind::outside;
  }

 private:
  const BoneSpace& space_;
  AppliedBoneRules& applied_;
};

}  // namespace

BoneSpace voxel_space(const VoxelSolid& solid) {
  const auto at = [&solid](const Vec3& p) {
    const Vec3 g = solid.grid.to_grid(p);
    if (g.minCoeff() < 0 || g.maxCoeff() >= solid.grid.resolution) return BoneSpace::Kind::outside;
    switch (solid.at(solid.grid.at(p))) {
      case VoxelSolid::Kind::exterior:
        return BoneSpace::Kind::outside;
      case VoxelSolid::Kind::boundary:
        return BoneSpace::Kind::skin;
      case VoxelSolid::Kind::interior:
        return BoneSpace::Kind::inside;
    }
    return BoneSpace::Kind::outside;
  };
  return {at, 0.5 * solid.grid.voxel};
}

BoneSpace winding_space(const Surface& surface) {
  std::vector<TriangleCorners> corners;
  for (const auto& t : outward_triangles(surface)) {
    corners.push_back({surface.positions[t[0]], surface.positions[t[1]], surface.positions[t[2]]});
  }
  const auto tree = std::make_shared<const WindingTree>(corners);
  const double size = 2 * ball_around(surface.positions).radius;
  const auto at = [tree](const Vec3& p) {
    // Beside a single sheet the number is a half, and falls to a quarter at about half the sheet's own radius from it.
    constexpr double kSkin = 0.25;
    const double winding = std::abs(tree->estimate(p, 1e-2).value);
    if (winding > 0.5) return BoneSpace::Kind::inside;
    return winding > kSkin ? BoneSpace::Kind::skin : BoneSpace::Kind::outside;
  };
  return {at, size / 512};
}

void grow_bones(const BoneSpace& space, std::vector<Handle>& handles, AppliedBoneRules& applied) {
  const std::vector<Handle> before = handles;
  AppliedBoneRules added = applied;
  const BoneGrower grower(space, added);
  std::vector<Handle> kept;
  for (Handle& handle : handles) {
    if (!handle.growth.direction.isZero() && handle.shapes.size() == 1) {
      if (!grower.grow_leaf(handle)) continue;
    } else if (grower.is_root_control(handle)) {
      added.add(BoneRule::control, handle.joint);
      continue;
    }
    kept.push_back(handle);
  }
  if (kept.empty()) {
    handles = before;
    for (Handle& handle : handles) handle.growth = {};
    return;
  }
  handles = std::move(kept);
  applied = added;
}

}  // namespace isochor
