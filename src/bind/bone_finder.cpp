#include "bind/bone_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "isochor/rig/joint_names.h"

namespace isochor {
namespace {

/// Cosine of the angle within which a bone counts as lying along its joint's axis.
constexpr double kAligned = 0.985;
constexpr double kRoughlyAligned = 0.94;
/// The axis of bones as Blender draws them: one bone for each joint, along its own +y.
constexpr int kBlenderAxis = 1;
/// Where a joint has several children, the one that its bone leads to begins at the bone's end, on its axis but for
/// rounding: within two degrees. At ten degrees some finger lies on the axis of every hand.
constexpr double kConnected = 0.9994;
/// The share of bones that lie along it where a rig comes from there: 0.90 and more in those at hand, 0.71 at most in
/// others.
constexpr double kBlenderShare = 0.85;
/// The share of the joints that are ends of one joint, and that are leaves, in a star.
constexpr double kStarShare = 0.6;

Vec3 signed_axis(int axis) { return (axis < 3 ? 1.0 : -1.0) * Vec3::Unit(axis % 3); }

double mean_distance(std::span<const Vec3> points) {
  double sum = 0;
  for (const Vec3& p : points) {
    for (const Vec3& q : points) sum += (p - q).norm();
  }
  return points.size() > 1 ? sum / static_cast<double>(points.size() * (points.size() - 1)) : 0.0;
}

}  // namespace

BoneFinder::BoneFinder(const Skeleton& skeleton, std::span<const Affine> bind, const HandleOptions& options)
    : skeleton_(skeleton),
      bind_(bind),
      rules_(options.rules == BoneRules::on),
      children_(skeleton.size()),
      takes_(skeleton.size()),
      ruled_out_(skeleton.size(), 0),
      certain_(skeleton.size(), options.proven || options.rules == BoneRules::off ? 1 : 0),
      ends_(skeleton.size()),
      segments_(skeleton.size()),
      growth_(skeleton.size()) {
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.parent != kNone) children_[joint.parent].push_back(static_cast<Index>(j));
    takes_[j] = joint.deforms && std::none_of(options.exclude.begin(), options.exclude.end(),
                                              [&](const auto& glob) { return matches_glob(joint.name, glob); });
  }
  for (const Index j : options.skip) takes_[j] = 0;
  for (const Index j : options.certain) certain_[j] = 1;
  rule_out();
  find_ends();
  axis_ = bone_axis();
  const bool flat = std::all_of(ends_.begin(), ends_.end(), [](const auto& e) { return e.empty(); });
  if (flat || is_star()) infer_bones();
  find_segments();
  if (options.leaves == LeafShape::point) return;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const bool has_tail = skeleton.joints[j].tail && *skeleton.joints[j].tail != Vec3::Zero();
    if (takes_weight(j) && ends_[j].empty() && !has_tail) find_growth(static_cast<Index>(j));
  }
}

Handle BoneFinder::handle(Index j, LeafShape leaves) const {
  Handle result;
  result.joint = j;
  result.proven = certain_[j] != 0;
  result.end_by_name = names_end(skeleton_.joints[j].name);
  result.top = true;
  for (Index up = skeleton_.joints[j].parent; up != kNone && result.top; up = skeleton_.joints[up].parent) {
    result.top = !takes_weight(static_cast<std::size_t>(up));
  }
  for (const Vec3& end : segments_[j]) result.shapes.push_back(HandleShape::segment(place(j), end));
  for (const Index end : ends_[j]) {
    if (std::find(segments_[j].begin(), segments_[j].end(), place(end)) == segments_[j].end()) {
      result.joined.push_back(place(end));
    }
  }
  const auto& tail = skeleton_.joints[j].tail;
  if (ends_[j].empty() && tail && *tail != Vec3::Zero()) {
    result.shapes.push_back(HandleShape::segment(place(j), bind_[j] * *tail));
  }
  if (result.shapes.empty()) {
    result.shapes.push_back(HandleShape::point(place(j)));
    if (leaves == LeafShape::grow) result.growth = growth_[j];
  }
  return result;
}

Vec3 BoneFinder::along_axis(Index j, int axis) const {
  const Vec3 d = bind_[j].linear() * signed_axis(axis);
  const double length = d.norm();
  return length > 0 ? Vec3(d / length) : Vec3::Zero();
}

bool BoneFinder::points_at(Index j, int axis, Index end, double cosine) const {
  const Vec3 d = place(end) - place(j);
  return d.dot(along_axis(j, axis)) > cosine * d.norm();
}

bool BoneFinder::is_above(Index other, Index j) const {
  Index up = skeleton_.joints[j].parent;
  while (up != kNone && up != other) up = skeleton_.joints[up].parent;
  return up == other;
}

/// The distance to the nearest joint above that is not at the same place; 0 if there is none.
double BoneFinder::parent_bone(Index j) const {
  for (Index up = skeleton_.joints[j].parent; up != kNone; up = skeleton_.joints[up].parent) {
    const double length = (place(j) - place(up)).norm();
    if (skeleton_.joints[up].deforms && length > 0) return length;
  }
  return 0;
}

/// The direction of the bone that ends in j; zero for a root, or where all ancestors are at the same place.
Vec3 BoneFinder::incoming(Index j) const {
  for (Index up = skeleton_.joints[j].parent; up != kNone; up = skeleton_.joints[up].parent) {
    const Vec3 d = place(j) - place(up);
    const double length = d.norm();
    if (skeleton_.joints[up].deforms && length > 0) return d / length;
  }
  return Vec3::Zero();
}

/// Controls by their names, where nothing proves that they move any skin.
void BoneFinder::rule_out() {
  std::vector<Index> controls;
  std::size_t left = 0;
  for (std::size_t j = 0; j < takes_.size(); ++j) {
    if (!takes_weight(j)) continue;
    if (certain_[j] == 0 && names_control(skeleton_.joints[j].name)) {
      controls.push_back(static_cast<Index>(j));
    } else {
      ++left;
    }
  }
  if (left == 0) return;  // names that say so of every joint say nothing
  for (const Index joint : controls) {
    takes_[joint] = 0;
    ruled_out_[joint] = 1;
    applied_.add(BoneRule::control, joint);
  }
}

void BoneFinder::find_ends() {
  for (std::size_t j = 0; j < ends_.size(); ++j) {
    if (!skeleton_.joints[j].deforms) continue;
    std::vector<Index> taking, silent;
    for (const Index child : children_[j]) walk_down(child, taking, silent);
    ends_[j] = taking.empty() && !skeleton_.joints[j].tail ? silent : taking;
    std::erase_if(ends_[j], [&](Index end) { return place(end) == place(static_cast<Index>(j)); });
  }
}

void BoneFinder::walk_down(Index j, std::vector<Index>& taking, std::vector<Index>& silent) const {
  if (takes_weight(static_cast<std::size_t>(j))) {
    taking.push_back(j);
    return;
  }
  if (skeleton_.joints[j].deforms) silent.push_back(j);
  for (const Index child : children_[j]) walk_down(child, taking, silent);
}

/// The axis of their own that the bones of this rig lie along (+y in what Blender writes), where most agree.
int BoneFinder::bone_axis() {
  std::array<int, 6> votes = {};
  int bones = 0;
  for (std::size_t j = 0; j < ends_.size(); ++j) {
    if (ends_[j].empty()) continue;
    ++bones;
    for (int axis = 0; axis < 6; ++axis) {
      votes[axis] += std::any_of(ends_[j].begin(), ends_[j].end(),
                                 [&](Index end) { return points_at(static_cast<Index>(j), axis, end, kAligned); });
    }
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  drawn_by_blender_ = bones >= 3 && votes[kBlenderAxis] >= kBlenderShare * bones;
  if (drawn_by_blender_) return kBlenderAxis;
  return bones >= 3 && *best * 3 >= bones * 2 ? static_cast<int>(best - votes.begin()) : kNone;
}

bool BoneFinder::is_star() const {
  if (!rules_) return false;
  double joints = 0, leaves = 0, most = 0;
  for (std::size_t j = 0; j < ends_.size(); ++j) {
    if (!skeleton_.joints[j].deforms) continue;
    ++joints;
    leaves += ends_[j].empty() ? 1 : 0;
    most = std::max(most, static_cast<double>(ends_[j].size()));
  }
  return joints >= 5 && most >= kStarShare * joints && leaves >= kStarShare * joints;
}

/// A flat list of joints (hands in WebXR): joint follows joint along the axis on which most find a successor. An axis
/// and its opposite find about as many; limbs part on their way out, so the chains' starts lie closer than their
/// ends.
void BoneFinder::infer_bones() {
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
    ends_[joints[i]].clear();
    if (next[axis_][i] == kNone) continue;
    ends_[joints[i]] = {next[axis_][i]};
    if (rules_) applied_.add(BoneRule::star, joints[i]);
  }
}

/// For each joint the nearest one that its axis points at.
std::vector<Index> BoneFinder::successors(std::span<const Index> joints, int axis) const {
  std::vector<Index> next(joints.size(), kNone);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index other : joints) {
      const Vec3 d = place(other) - place(joints[i]);
      const double length = d.norm();
      if (!(length > 0) || length >= nearest || d.dot(along_axis(joints[i], axis)) < kRoughlyAligned * length) continue;
      nearest = length;
      next[i] = other;
    }
  }
  return next;
}

/// The mean distance between the first joints of chains over that between the last ones.
double BoneFinder::spread_of_starts(std::span<const Index> joints, std::span<const Index> next) const {
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

/// To every end; in rigs as Blender draws them a joint has one bone, along its axis, and what lies beside that is where
/// other bones begin. Without a joint on its axis the bone's end is not known: it reaches as far as the nearest of
/// them.
void BoneFinder::find_segments() {
  for (std::size_t j = 0; j < ends_.size(); ++j) {
    const auto joint = static_cast<Index>(j);
    if (!rules_ || !drawn_by_blender_ || inferred_ || ends_[j].size() < 2) {
      for (const Index end : ends_[j]) segments_[j].push_back(place(end));
      continue;
    }
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index end : ends_[j]) {
      nearest = std::min(nearest, (place(end) - place(joint)).norm());
      if (points_at(joint, axis_, end, kConnected)) segments_[j].push_back(place(end));
    }
    if (takes_weight(j) && segments_[j].size() < ends_[j].size()) applied_.add(BoneRule::off_axis, joint);
    if (segments_[j].empty()) segments_[j].push_back(place(joint) + nearest * along_axis(joint, axis_));
  }
}

/// Whether an axis points back along the bone that comes in, or the bone before runs against its own axis, as in rigs
/// of which one side was mirrored.
bool BoneFinder::runs_backwards(Index j, const Vec3& direction) const {
  const bool back = incoming(j).dot(direction) < -0.5;
  if (back && !std::isfinite(way_to_joint(j, direction))) return true;
  const Index up = skeleton_.joints[j].parent;
  if (up == kNone || ends_[up].empty()) return false;
  const Vec3 axis = along_axis(up, axis_);
  return std::all_of(ends_[up].begin(), ends_[up].end(), [&](Index end) {
    const Vec3 bone = place(end) - place(up);
    return bone.dot(axis) < -kAligned * bone.norm();
  });
}

/// How far the first joint on the way is. Ancestors do not count, nor siblings where the way goes back.
double BoneFinder::way_to_joint(Index j, const Vec3& direction) const {
  double nearest = std::numeric_limits<double>::infinity();
  const bool back = incoming(j).dot(direction) < -0.5;
  const double near = 0.02 * parent_bone(j);
  for (std::size_t o = 0; o < skeleton_.size(); ++o) {
    const auto other = static_cast<Index>(o);
    if (other == j || !skeleton_.joints[o].deforms || is_above(other, j)) continue;
    if (back && skeleton_.joints[o].parent == skeleton_.joints[j].parent) continue;
    const Vec3 d = place(other) - place(j);
    const double length = d.norm();
    if (length > near && d.dot(direction) >= kAligned * length) nearest = std::min(nearest, length);
  }
  return nearest;
}

void BoneFinder::find_growth(Index j) {
  Handle::Growth& growth = growth_[j];
  growth.direction = axis_ == kNone ? incoming(j) : along_axis(j, axis_);
  if (!rules_) return;
  if (axis_ != kNone && !drawn_by_blender_ && !inferred_ && runs_backwards(j, growth.direction)) {
    growth.direction = -growth.direction;
    applied_.add(BoneRule::mirror, j);
  }
  growth.limit = way_to_joint(j, growth.direction);
  growth.parent_bone = parent_bone(j);
  // What Blender draws lies along the axis and nowhere else.
  if (axis_ == kNone || drawn_by_blender_) return;
  growth.other = incoming(j);
  growth.other_limit = way_to_joint(j, growth.other);
}

}  // namespace isochor
