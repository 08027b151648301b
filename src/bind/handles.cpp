#include "isochor/bind/handles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "bind/bone_finder.h"
#include "isochor/base/error.h"
#include "isochor/base/math.h"
#include "isochor/mesh/weld.h"
#include "isochor/voxel/bone_voxels.h"

namespace isochor {
namespace {

/// Coordinates of p along the half axes, in units of their lengths; a missing axis counts as flat.
Vec3 in_half_axes(const HandleShape& shape, const Vec3& p) {
  Vec3 q;
  for (int a = 0; a < 3; ++a) {
    const double length2 = shape.half_axes.col(a).squaredNorm();
    q[a] = length2 > 0 ? (p - shape.a).dot(shape.half_axes.col(a)) / length2 : 0.0;
  }
  return q;
}

Vec3 nearest_in_box(const HandleShape& shape, const Vec3& p) {
  const Vec3 q = in_half_axes(shape, p).cwiseMax(-1.0).cwiseMin(1.0);
  return shape.a + shape.half_axes * q;
}

Vec3 nearest_in_ellipsoid(const HandleShape& shape, const Vec3& p) {
  const double r = in_half_axes(shape, p).norm();
  if (r <= 1 && shape.half_axes.fullPivLu().isInvertible()) return p;
  // The point of the surface (or of the flat disc) on the ray from the centre.
  const Vec3 q = in_half_axes(shape, p) / std::max(r, 1.0);
  return shape.a + shape.half_axes * q;
}

Vec3 nearest_in_segment(const HandleShape& shape, const Vec3& p) {
  const Vec3 d = shape.b - shape.a;
  const double length2 = d.squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - shape.a).dot(d) / length2, 0.0, 1.0) : 0.0;
  return shape.a + t * d;
}

Vec3 nearest_in(const HandleShape& shape, const Vec3& p) {
  switch (shape.kind) {
    case HandleShape::Kind::point:
      return shape.a;
    case HandleShape::Kind::segment:
      return nearest_in_segment(shape, p);
    case HandleShape::Kind::ellipsoid:
      return nearest_in_ellipsoid(shape, p);
    case HandleShape::Kind::box:
      return nearest_in_box(shape, p);
  }
  return shape.a;
}

void extend_by(const HandleShape& shape, Box& box) {
  box.extend(shape.a);
  if (shape.kind == HandleShape::Kind::segment) box.extend(shape.b);
  if (shape.kind == HandleShape::Kind::ellipsoid || shape.kind == HandleShape::Kind::box) {
    const Vec3 reach = shape.half_axes.cwiseAbs().rowwise().sum();
    box.extend(Vec3(shape.a - reach));
    box.extend(Vec3(shape.a + reach));
  }
}

}  // namespace

double distance(const HandleShape& shape, const Vec3& p) {
  switch (shape.kind) {
    case HandleShape::Kind::point:
      return (p - shape.a).norm();
    case HandleShape::Kind::segment:
      return distance_to_segment(p, shape.a, shape.b);
    case HandleShape::Kind::ellipsoid:
    case HandleShape::Kind::box:
      return (nearest_in(shape, p) - p).norm();
  }
  return 0;
}

double distance(const Handle& handle, const Vec3& p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const HandleShape& shape : handle.shapes) nearest = std::min(nearest, distance(shape, p));
  return nearest;
}

Vec3 nearest_point(const HandleShape& shape, const Vec3& p) { return nearest_in(shape, p); }

Vec3 nearest_point(const Handle& handle, const Vec3& p) {
  Vec3 best = Vec3::Constant(std::numeric_limits<double>::infinity());
  double least = std::numeric_limits<double>::infinity();
  for (const HandleShape& shape : handle.shapes) {
    const Vec3 q = nearest_in(shape, p);
    const double apart = (q - p).squaredNorm();
    if (apart < least) {
      least = apart;
      best = q;
    }
  }
  return best;
}

std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const HandleShape& shape) {
  switch (shape.kind) {
    case HandleShape::Kind::point:
      return voxels_of(grid, shape.a);
    case HandleShape::Kind::segment:
      return voxels_of(grid, Segment{shape.a, shape.b});
    case HandleShape::Kind::ellipsoid:
      return voxels_of(grid, OrientedEllipsoid{shape.a, shape.half_axes});
    case HandleShape::Kind::box:
      return voxels_of(grid, OrientedBox{shape.a, shape.half_axes});
  }
  return {};
}

Box bounding_box(std::span<const Handle> handles) {
  Box box;
  for (const Handle& handle : handles) {
    for (const HandleShape& shape : handle.shapes) extend_by(shape, box);
  }
  return box;
}

namespace {

/// A joint's handle; nothing if distances to it cannot be computed: their squares overflow beyond 1e150.
std::optional<Handle> measurable_handle(const BoneFinder& finder, Index joint, const Affine& bind, LeafShape leaves) {
  const auto near = [](const Vec3& p) { return p.allFinite() && p.cwiseAbs().maxCoeff() <= kLargestPosition; };
  if (!bind.matrix().allFinite() || !near(bind.translation())) return std::nullopt;
  Handle handle = finder.handle(joint, leaves);
  const Box box = bounding_box(std::span(&handle, 1));
  if (!near(box.min()) || !near(box.max()) || !std::isfinite(distance(handle, bind.translation()))) return std::nullopt;
  return handle;
}

}  // namespace

Handles joint_handles(const Skeleton& skeleton, std::span<const Affine> bind, const HandleOptions& options) {
  if (bind.size() != skeleton.size()) throw_bad_input("the number of bind matrices differs from the number of joints");
  const BoneFinder finder(skeleton, bind, options);
  Handles result;
  result.rules = finder.applied();
  ProblemCollector excluded, not_finite;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const auto joint = static_cast<Index>(j);
    if (!skeleton.joints[j].deforms) continue;
    if (!finder.takes_weight(j)) {
      const bool skipped = std::find(options.skip.begin(), options.skip.end(), joint) != options.skip.end();
      if (!skipped && !finder.ruled_out(joint)) excluded.add(joint);
    } else if (auto handle = measurable_handle(finder, joint, bind[j], options.leaves)) {
      result.handles.push_back(std::move(*handle));
    } else {
      not_finite.add(joint);
    }
  }
  excluded.report(result.problems, Severity::note, "joints-excluded", "{} joint{|s} take{s|} no weight, as asked");
  if (finder.inferred()) {
    result.problems.push_back(
        {Severity::note,
         "bones-inferred",
         "the joints have no hierarchy, so each bone was taken to reach the next joint along its axis",
         {},
         0});
  }
  not_finite.report(
      result.problems, Severity::warning, "joint-not-finite",
      "{} joint{|s} {has|have} a bind matrix that is not a number, or lie{s|} too far away, and take{s|} no weight");
  if (result.handles.empty()) {
    throw_bad_input(excluded.count() > 0 ? "every joint is excluded, so nothing can be bound"
                                         : "there is no joint to bind to");
  }
  return result;
}

}  // namespace isochor
