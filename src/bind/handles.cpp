#include "isochor/bind/handles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

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

double distance_to_box(const HandleShape& shape, const Vec3& p) {
  const Vec3 q = in_half_axes(shape, p).cwiseMax(-1.0).cwiseMin(1.0);
  return (shape.a + shape.half_axes * q - p).norm();
}

double distance_to_ellipsoid(const HandleShape& shape, const Vec3& p) {
  const double r = in_half_axes(shape, p).norm();
  if (r <= 1 && shape.half_axes.fullPivLu().isInvertible()) return 0;
  // The point of the surface (or of the flat disc) on the ray from the centre.
  const Vec3 q = in_half_axes(shape, p) / std::max(r, 1.0);
  return (shape.a + shape.half_axes * q - p).norm();
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

/// Cosine of the angle within which a bone counts as lying along its joint's axis.
constexpr double kAligned = 0.985;
constexpr double kRoughlyAligned = 0.94;

Vec3 signed_axis(int axis) { return (axis < 3 ? 1.0 : -1.0) * Vec3::Unit(axis % 3); }

/// Finds where the bones of each joint end.
class BoneFinder {
 public:
  BoneFinder(const Skeleton& skeleton, std::span<const Affine> bind, const HandleOptions& options)
      : skeleton_(skeleton), bind_(bind), children_(skeleton.size()), takes_(skeleton.size()), ends_(skeleton.size()) {
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      const Joint& joint = skeleton.joints[j];
      if (joint.parent != kNone) children_[joint.parent].push_back(static_cast<Index>(j));
      takes_[j] = joint.deforms && std::none_of(options.exclude.begin(), options.exclude.end(),
                                                [&](const auto& glob) { return matches_glob(joint.name, glob); });
    }
    for (const Index j : options.skip) takes_[j] = 0;
    find_ends();
    axis_ = bone_axis();
    if (std::all_of(ends_.begin(), ends_.end(), [](const auto& e) { return e.empty(); })) infer_bones();
  }

  bool takes_weight(std::size_t j) const { return takes_[j] != 0; }
  bool inferred() const { return inferred_; }

  Handle handle(Index j, LeafShape leaves) const {
    Handle result;
    result.joint = j;
    for (const Index end : ends_[j]) result.shapes.push_back(HandleShape::segment(place(j), place(end)));
    const auto& tail = skeleton_.joints[j].tail;
    if (ends_[j].empty() && tail && *tail != Vec3::Zero()) {
      result.shapes.push_back(HandleShape::segment(place(j), bind_[j] * *tail));
    }
    if (result.shapes.empty()) {
      result.shapes.push_back(HandleShape::point(place(j)));
      if (leaves == LeafShape::grow) result.growth = axis_ == kNone ? incoming(j) : along_axis(j, axis_);
    }
    return result;
  }

 private:
  Vec3 place(Index j) const { return bind_[j].translation(); }

  Vec3 along_axis(Index j, int axis) const {
    const Vec3 d = bind_[j].linear() * signed_axis(axis);
    const double length = d.norm();
    return length > 0 ? Vec3(d / length) : Vec3::Zero();
  }

  void find_ends() {
    for (std::size_t j = 0; j < ends_.size(); ++j) {
      if (!skeleton_.joints[j].deforms) continue;
      std::vector<Index> taking, silent;
      for (const Index child : children_[j]) walk_down(child, taking, silent);
      ends_[j] = taking.empty() && !skeleton_.joints[j].tail ? silent : taking;
      std::erase_if(ends_[j], [&](Index end) { return place(end) == place(static_cast<Index>(j)); });
    }
  }

  void walk_down(Index j, std::vector<Index>& taking, std::vector<Index>& silent) const {
    if (takes_weight(static_cast<std::size_t>(j))) {
      taking.push_back(j);
      return;
    }
    if (skeleton_.joints[j].deforms) silent.push_back(j);
    for (const Index child : children_[j]) walk_down(child, taking, silent);
  }

  bool points_at(Index j, int axis, Index end) const {
    const Vec3 d = place(end) - place(j);
    return d.dot(along_axis(j, axis)) > kAligned * d.norm();
  }

  /// The axis of their own that the bones of this rig lie along (+y in what Blender writes), where most agree.
  int bone_axis() const {
    std::array<int, 6> votes = {};
    int bones = 0;
    for (std::size_t j = 0; j < ends_.size(); ++j) {
      if (ends_[j].empty()) continue;
      ++bones;
      for (int axis = 0; axis < 6; ++axis) {
        votes[axis] += std::any_of(ends_[j].begin(), ends_[j].end(),
                                   [&](Index end) { return points_at(static_cast<Index>(j), axis, end); });
      }
    }
    const auto best = std::max_element(votes.begin(), votes.end());
    return bones >= 3 && *best * 3 >= bones * 2 ? static_cast<int>(best - votes.begin()) : kNone;
  }

  /// A flat list of joints (hands in WebXR): joint follows joint along the axis on which most find a successor. An axis
  /// and its opposite find about as many; limbs part on their way out, so the chains' starts lie closer than their
  /// ends.
  void infer_bones() {
    std::vector<Index> joints;
    for (std::size_t j = 0; j < skeleton_.size(); ++j) {
      if (skeleton_.joints[j].deforms) joints.push_back(static_cast<Index>(j));
    }
    if (joints.size() < 3) return;
    std::array<std::vector<Index>, 6> next;
    std::array<std::size_t, 6> found = {};
    for (int axis = 0; axis < 6; ++axis) {
      next[axis] = successors(joints, axis);
      found[axis] = joints.size() - static_cast<std::size_t>(std::count(next[axis].begin(), next[axis].end(), kNone));
    }
    const std::size_t most = *std::max_element(found.begin(), found.end());
    if (most * 2 < joints.size()) return;
    double tightest = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 6; ++axis) {
      const double spread = found[axis] * 4 >= most * 3 ? spread_of_starts(joints, next[axis]) : tightest;
      if (spread >= tightest) continue;
      tightest = spread;
      axis_ = axis;
    }
    if (axis_ == kNone) return;
    inferred_ = true;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (next[axis_][i] != kNone) ends_[joints[i]] = {next[axis_][i]};
    }
  }

  /// For each joint the nearest one that its axis points at.
  std::vector<Index> successors(std::span<const Index> joints, int axis) const {
    std::vector<Index> next(joints.size(), kNone);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const Index other : joints) {
        const Vec3 d = place(other) - place(joints[i]);
        const double length = d.norm();
        if (!(length > 0) || length >= nearest || d.dot(along_axis(joints[i], axis)) < kRoughlyAligned * length)
          continue;
        nearest = length;
        next[i] = other;
      }
    }
    return next;
  }

  /// The mean distance between the first joints of chains over that between the last ones.
  double spread_of_starts(std::span<const Index> joints, std::span<const Index> next) const {
    std::vector<char> followed(skeleton_.size(), 0);
    for (const Index n : next) {
      if (n != kNone) followed[n] = 1;
    }
    std::vector<Vec3> starts, ends;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (next[i] != kNone && followed[joints[i]] == 0) starts.push_back(place(joints[i]));
      if (next[i] == kNone && followed[joints[i]] != 0) ends.push_back(place(joints[i]));
    }
    const double apart = mean_distance(ends);
    return apart > 0 ? mean_distance(starts) / apart : 1.0;
  }

  static double mean_distance(std::span<const Vec3> points) {
    double sum = 0;
    for (const Vec3& p : points) {
      for (const Vec3& q : points) sum += (p - q).norm();
    }
    return points.size() > 1 ? sum / static_cast<double>(points.size() * (points.size() - 1)) : 0.0;
  }

  /// The direction of the bone that ends in j; zero for a root, or where all ancestors are at the same place.
  Vec3 incoming(Index j) const {
    for (Index up = skeleton_.joints[j].parent; up != kNone; up = skeleton_.joints[up].parent) {
      if (!skeleton_.joints[up].deforms) continue;
      const Vec3 d = place(j) - place(up);
      const double length = d.norm();
      if (length > 0) return d / length;
    }
    return Vec3::Zero();
  }

  const Skeleton& skeleton_;
  std::span<const Affine> bind_;
  std::vector<std::vector<Index>> children_;
  std::vector<char> takes_;
  std::vector<std::vector<Index>> ends_;
  int axis_ = kNone;
  bool inferred_ = false;
};

}  // namespace

double distance(const HandleShape& shape, const Vec3& p) {
  switch (shape.kind) {
    case HandleShape::Kind::point:
      return (p - shape.a).norm();
    case HandleShape::Kind::segment:
      return distance_to_segment(p, shape.a, shape.b);
    case HandleShape::Kind::ellipsoid:
      return distance_to_ellipsoid(shape, p);
    case HandleShape::Kind::box:
      return distance_to_box(shape, p);
  }
  return 0;
}

double distance(const Handle& handle, const Vec3& p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const HandleShape& shape : handle.shapes) nearest = std::min(nearest, distance(shape, p));
  return nearest;
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
  ProblemCollector excluded, not_finite;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const auto joint = static_cast<Index>(j);
    if (!skeleton.joints[j].deforms) continue;
    if (!finder.takes_weight(j)) {
      if (std::find(options.skip.begin(), options.skip.end(), joint) == options.skip.end()) excluded.add(joint);
    } else if (auto handle = measurable_handle(finder, joint, bind[j], options.leaves)) {
      result.handles.push_back(std::move(*handle));
    } else {
      not_finite.add(joint);
    }
  }
  excluded.report(result.problems, Severity::note, "joints-excluded", "{} joints take no weight, as asked");
  if (finder.inferred()) {
    result.problems.push_back(
        {Severity::note,
         "bones-inferred",
         "the joints have no hierarchy, so each bone was taken to reach the next joint along its axis",
         {},
         0});
  }
  not_finite.report(result.problems, Severity::warning, "joint-not-finite",
                    "{} joints have a bind matrix that is not a number, or lie too far away, and take no weight");
  if (result.handles.empty()) {
    throw_bad_input(excluded.count() > 0 ? "every joint is excluded, so nothing can be bound"
                                         : "there is no joint to bind to");
  }
  return result;
}

}  // namespace isochor
