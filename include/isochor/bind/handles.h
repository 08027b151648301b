#pragma once

/// What distances are measured from: each joint that takes weights has a geometry of points, segments and volumes.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/base/problem.h"
#include "isochor/bind/bone_rules.h"
#include "isochor/rig/skeleton.h"
#include "isochor/voxel/grid.h"

namespace isochor {

/// One piece of a handle's geometry, in the space of the surface that is bound.
struct HandleShape {
  enum class Kind { point, segment, ellipsoid, box };
  Kind kind = Kind::point;
  Vec3 a = Vec3::Zero();          ///< the point; the segment's start; the centre of a volume
  Vec3 b = Vec3::Zero();          ///< segment: its end
  Mat3 half_axes = Mat3::Zero();  ///< ellipsoid and box: columns are the half axes; orthogonal for a box

  static HandleShape point(const Vec3& p) { return {Kind::point, p, p, Mat3::Zero()}; }
  static HandleShape segment(const Vec3& from, const Vec3& to) { return {Kind::segment, from, to, Mat3::Zero()}; }
  static HandleShape ellipsoid(const Vec3& centre, const Mat3& axes) { return {Kind::ellipsoid, centre, centre, axes}; }
  static HandleShape box(const Vec3& centre, const Mat3& axes) { return {Kind::box, centre, centre, axes}; }
};

/// An influence: the joint that takes the weight, and where it is. Shapes may be of any kind and need not touch.
struct Handle {
  Index joint = kNone;  ///< in the skeleton, or any number of the caller's own
  std::vector<HandleShape> shapes;
  std::vector<Vec3> joined;  ///< where bones hang from its first point that none of its own leads to
  /// How a leaf goes on from its point; a bone whose end is known does not.
  struct Growth {
    Vec3 direction = Vec3::Zero();                           ///< unit; zero: it does not grow
    Vec3 other = Vec3::Zero();                               ///< tried if the first one leads nowhere; zero: none
    double limit = std::numeric_limits<double>::infinity();  ///< a joint lies there
    double other_limit = limit;                              ///< the same in the other direction
    double parent_bone = 0;  ///< the length of the bone before it, by which it may look for the mesh; 0: it may not
  };
  Growth growth;
  bool top = false;          ///< no joint above it takes weights
  bool proven = true;        ///< takes weight for certain: it is neither a control nor an end
  bool end_by_name = false;  ///< its name says that it marks the end of the bone before it
};

/// The Euclidean distance from a point to a shape or to a handle's nearest shape; 0 inside a volume. For an ellipsoid
/// an approximation that is exact on its surface and within it (0), and first order outside.
double distance(const HandleShape& shape, const Vec3& p);
double distance(const Handle& handle, const Vec3& p);
Vec3 nearest_point(const HandleShape& shape, const Vec3& p);
/// The point of a handle that is nearest to p, as distance() measures it; infinitely far for a handle without shapes.
Vec3 nearest_point(const Handle& handle, const Vec3& p);

/// The voxels that a shape touches, as increasing Morton codes.
std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const HandleShape& shape);

/// The box around all shapes.
Box bounding_box(std::span<const Handle> handles);

/// What a joint without child joints is, if the source gives no tail.
enum class LeafShape {
  point,  ///< the joint's place
  grow,   ///< a segment that goes on along the incoming bone while it stays inside the mesh
};
template <>
struct EnumNames<LeafShape> {
  static constexpr std::array names{"point", "grow"};
};

struct HandleOptions {
  LeafShape leaves = LeafShape::grow;
  std::vector<std::string> exclude;
  std::vector<Index> skip;  ///< joints that take no weight either, by index
  BoneRules rules = BoneRules::on;
  /// Every joint that is left moves something in the file: none of them is a control or an end.
  bool proven = false;
  std::vector<Index> certain;  ///< joints of which the same is known, by index, whatever their names say
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, HandleOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.leaves, FieldInfo{.name = "leaves",
                                  .help = "a joint without children is a point, or a bone that goes on inside",
                                  .expert = true});
  visit(options.rules,
        FieldInfo{.name = "bone-rules",
                  .help = "guess bones as rigs are meant (docs/weights.md), or take joints as they are"});
  visit(options.exclude, FieldInfo{.name = "exclude", .help = "joints that take no weight, by name pattern"});
}

struct Handles {
  std::vector<Handle> handles;  ///< by increasing joint
  AppliedBoneRules rules;
  Problems problems;
};

/// One handle for each joint that deforms and is not excluded: segments to its nearest deforming descendants (plain
/// nodes and excluded joints pass the segment on), or its tail, or a leaf. `bind` (#J) are the joints' matrices in the
/// space of the surface at bind time. Segments to descendants that coincide with the joint become points. Excluded
/// leaves still end their parent's segment: an end bone marks the end of the bone before it.
/// Throws Error(bad_input) if no joint is left.
Handles joint_handles(const Skeleton& skeleton, std::span<const Affine> bind, const HandleOptions& options = {});

}  // namespace isochor
