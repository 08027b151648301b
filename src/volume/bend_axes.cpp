#include "isochor/volume/bend_axes.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"

namespace isochor {
namespace {

/// Below the first the bones are straight, from the second on they tell the axes by themselves: sines of the bend.
constexpr double kStraight = 0.052336;  // 3 degrees
constexpr double kBent = 0.173648;      // 10 degrees
/// sin² of half a degree: rotations well below it count as rest when twist is weighed against swing.
constexpr double kStill = 7.6e-5;

Vec3 across(const Vec3& v, const Vec3& axis) { return v - axis * axis.dot(v); }

/// Some unit vector across `axis`, from the columns of `m` in their order: no three of them lie within 50 degrees of
/// it.
Vec3 stable_across(const Mat3& m, const Vec3& axis) {
  for (int c = 0; c < 3; ++c) {
    const Vec3 column = unit_or(m.col(c), Vec3::Zero());
    if (column.norm() > 0 && std::abs(column.dot(axis)) <= 0.6) return across(column, axis).normalized();
  }
  return axis.unitOrthogonal();
}

/// An orthonormal basis near the columns of `m` (Gram-Schmidt); exact for rotations and reflections with uniform scale.
Mat3 orthonormal(const Mat3& m) {
  Mat3 q;
  q.col(0) = unit_or(m.col(0), Vec3::UnitX());
  q.col(1) = unit_or(across(m.col(1), q.col(0)), q.col(0).unitOrthogonal());
  q.col(2) = q.col(0).cross(q.col(1));
  if (m.col(2).dot(q.col(2)) < 0) q.col(2) = -q.col(2);
  return q;
}

double length_scale(const Mat3& linear) {
  const double scale = std::cbrt(std::abs(linear.determinant()));
  return std::isfinite(scale) ? scale : 0;
}

/// Which joints bend against which, from the weights.
class Hierarchy {
 public:
  Hierarchy(const Skeleton& skeleton, const RestSpace& space) : skeleton_(skeleton), space_(space) {
    const std::size_t count = skeleton.size();
    own_.assign(count, 0.0);
    for (const Influence& i : space.weights.influences) own_[i.joint] += i.weight;
    subtree_ = own_;
    children_.resize(count);
    std::vector<int> branches(count, 0);
    for (std::size_t j = count; j-- > 0;) {
      const Index parent = skeleton.joints[j].parent;
      if (parent == kNone) continue;
      children_[parent].insert(children_[parent].begin(), static_cast<Index>(j));
      if (subtree_[j] <= 0) continue;
      subtree_[parent] += subtree_[j];
      ++branches[parent];
    }
    // A node that moves no skin and has skin on one branch only is its child once more.
    for (std::size_t j = 0; j < count; ++j) moves_.push_back(own_[j] > 0 || branches[j] > 1 ? 1 : 0);
    for (std::size_t j = 0; j < count; ++j) {
      if (moves_[j] && moving_ancestor(static_cast<Index>(j)) == kNone &&
          (base_ == kNone || subtree_[j] > subtree_[base_]))
        base_ = static_cast<Index>(j);
    }
  }

  bool bends(Index j) const { return moves_[j] && j != base_; }
  Index parent(Index j) const {
    const Index ancestor = moving_ancestor(j);
    return ancestor == kNone ? base_ : ancestor;
  }

  JointAxes axes(Index j) const {
    JointAxes axes{.joint = j, .parent = parent(j), .origin = place(j)};
    double own_length = 0;
    const Vec3 own = own_bone(j, own_length);
    const Vec3 incoming = parent_bone(j);
    const Mat3 parent_linear = space_.bind[axes.parent].linear();
    axes.bone = unit_or(own, unit_or(incoming, Vec3::Zero()));
    axes.along = unit_or(incoming, axes.bone.norm() > 0 ? axes.bone : unit_or(parent_linear.col(1), Vec3::UnitY()));
    if (axes.bone.norm() == 0) axes.bone = axes.along;
    const Vec3 bend = across(axes.bone, axes.along);
    axes.inside = bend.norm() > kRestBend ? bend.normalized() : stable_across(parent_linear, axes.along);
    const double parent_length = incoming.norm();
    axes.unit = mean_length(parent_length, own_length);
    axes.parent_length = parent_length > 0 ? parent_length : axes.unit;
    return axes;
  }

 private:
  /// A bend at rest of less than half a degree is taken for rounding.
  static constexpr double kRestBend = 0.009;

  Vec3 place(Index j) const { return space_.bind[j].translation(); }
  double nil() const { return 1e-6 * space_.size; }

  Index moving_ancestor(Index j) const {
    Index a = skeleton_.joints[j].parent;
    while (a != kNone && !moves_[a]) a = skeleton_.joints[a].parent;
    return a;
  }

  /// From the nearest ancestor at another place; zero where there is none.
  Vec3 parent_bone(Index j) const {
    for (Index a = moving_ancestor(j); a != kNone; a = moving_ancestor(a)) {
      Vec3 bone = place(j) - place(a);
      if (bone.norm() > nil()) return bone;
    }
    const Vec3 bone = place(j) - place(base_);
    return bone.norm() > nil() ? bone : Vec3::Zero();
  }

  /// The mean of the ways to the children that carry skin, else to the tail, else to any children.
  Vec3 own_bone(Index j, double& length) const {
    Sum sum;
    add_children(j, Children::with_skin, sum);
    const Joint& joint = skeleton_.joints[j];
    if (sum.count == 0 && joint.tail) add(space_.bind[j].linear() * *joint.tail, sum);
    if (sum.count == 0) add_children(j, Children::all, sum);
    length = sum.count > 0 ? sum.length / sum.count : 0;
    return sum.bone.norm() > nil() ? sum.bone : Vec3::Zero();
  }

  enum class Children { with_skin, all };
  struct Sum {
    Vec3 bone = Vec3::Zero();
    double length = 0;
    int count = 0;
  };
  void add(const Vec3& bone, Sum& sum) const {
    if (!(bone.norm() > nil())) return;
    sum.bone += bone;
    sum.length += bone.norm();
    ++sum.count;
  }
  /// Children at the joint's own place stand for their children.
  void add_children(Index j, Children which, Sum& sum) const {
    std::vector<Index> open = children_[j];
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Index child = open[i];
      if (which == Children::with_skin && subtree_[child] <= 0) continue;
      const Vec3 bone = place(child) - place(j);
      if (bone.norm() > nil()) {
        add(bone, sum);
      } else {
        open.insert(open.end(), children_[child].begin(), children_[child].end());
      }
    }
  }

  double mean_length(double a, double b) const {
    if (a > 0 && b > 0) return (a + b) / 2;
    const double length = std::max(a, b);
    return length > 0 ? length : 0.1 * space_.size;
  }

  const Skeleton& skeleton_;
  const RestSpace& space_;
  std::vector<double> own_, subtree_;
  std::vector<std::vector<Index>> children_;
  std::vector<char> moves_;
  Index base_ = kNone;
};

/// Squares of the sines of half the twist about `bone` and half the swing of it, as parts of the rotation's quaternion:
/// smooth in the rotation, also where either angle wraps.
struct SwingTwist {
  double swing = 0, twist = 0;                // angles
  double swing_square = 0, twist_square = 0;  // sin²(swing/2), sin²(twist/2) cos²(swing/2)

  /// LBS loses volume as the squared sine of half the angle, in a bend and in a twist: their shares of the loss.
  double twist_share() const { return twist_square / (twist_square + swing_square + kStill); }
};

SwingTwist swing_twist(const Mat3& parent, const Mat3& joint, const Vec3& bone) {
  Mat3 relative = orthonormal(parent).transpose() * orthonormal(joint);
  if (relative.determinant() < 0) relative = -relative;
  Quat q(relative);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double about = q.vec().dot(bone);
  SwingTwist result;
  result.twist_square = about * about;
  result.swing_square = std::clamp(1 - q.w() * q.w() - about * about, 0.0, 1.0);
  result.twist = 2 * std::atan2(about, q.w());
  result.swing = 2 * std::asin(std::sqrt(result.swing_square));
  return result;
}

}  // namespace

std::vector<JointAxes> joint_axes(const Skeleton& skeleton, const RestSpace& space) {
  const Hierarchy hierarchy(skeleton, space);
  std::vector<JointAxes> axes;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const auto joint = static_cast<Index>(j);
    if (hierarchy.bends(joint)) axes.push_back(hierarchy.axes(joint));
  }
  return axes;
}

void AxesTrack::reset(std::span<const JointAxes> axes) {
  inside_.resize(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) inside_[i] = axes[i].inside;
}

BendAxes bend_axes(const JointAxes& axes, const Affine& parent_map, const Affine& joint_map, Vec3& carried) {
  const Mat3 parent = parent_map.linear();
  const Vec3 e0 = unit_or(parent * axes.along, axes.along);
  const Vec3 d = unit_or(joint_map.linear() * axes.bone, e0);
  const Vec3 bend = across(d, e0);  // |bend| = sin of the bend angle
  const Vec3 lean = unit_or(across(parent * carried, e0), stable_across(parent, e0));

  // Straight bones lean on the carried direction. A bend that grows against it passes through a point where the two
  // cancel: no continuous axes can avoid one, so there the correction becomes round about e_0, which needs none.
  const double sine = bend.norm();
  const double support = kStraight * (1 - smooth_step(kStraight, kBent, sine));
  const Vec3 sum = bend + support * lean;
  const double sure = smooth_step(0, kStraight, sum.norm());
  const Vec3 e2 = sum.norm() > 1e-12 ? Vec3(sum.normalized()) : lean;
  if (sine >= kBent) {
    const Vec3 pulled = across(orthonormal(parent).transpose() * e2, axes.along);
    carried = unit_or(pulled, carried);
  }

  BendAxes out;
  out.origin = joint_map * axes.origin;
  const double hand = parent.determinant() < 0 ? -1 : 1;
  out.axes << e0, hand * e0.cross(e2), e2;
  const double scale = length_scale(parent);
  out.parent_length = scale * axes.parent_length;
  out.unit = scale * axes.unit;
  out.bend = std::atan2(sine, e0.dot(d));
  const SwingTwist turn = swing_twist(parent, joint_map.linear(), axes.bone);
  out.swing = turn.swing;
  out.twist = turn.twist;
  out.radial = 1 - sure * (1 - turn.twist_share());
  return out;
}

BendAxes bend_axes(const JointAxes& axes, const Affine& parent_map, const Affine& joint_map) {
  Vec3 carried = axes.inside;
  return bend_axes(axes, parent_map, joint_map, carried);
}

double twist_share(const JointAxes& axes, const Affine& parent_map, const Affine& joint_map) {
  return swing_twist(parent_map.linear(), joint_map.linear(), axes.bone).twist_share();
}

}  // namespace isochor
