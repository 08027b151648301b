#include "isochor/rig/retarget.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/words.h"
#include "rig/match_joints.h"

namespace isochor {
namespace {

/// Global rotations (scale and shear left out) and positions of all joints.
struct Places {
  std::vector<Quat> rotation;
  std::vector<Vec3> position;
};

Places places_of(const Skeleton& skeleton, const Pose& pose, std::vector<Affine>& scratch) {
  scratch.resize(skeleton.size());
  global_transforms(skeleton, pose, scratch);
  Places places;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    const Quat& local = pose.local[j].rotation;
    places.rotation.push_back(parent == kNone ? local : (places.rotation[parent] * local).normalized());
    places.position.emplace_back(scratch[j].translation());
  }
  return places;
}

Quat turn_of(SourceAxes axes) {
  const double quarter = std::acos(-1.0) / 2;
  switch (axes) {
    case SourceAxes::z_up_to_y_up:
      return Quat(Eigen::AngleAxisd(-quarter, Vec3::UnitX()));
    case SourceAxes::y_up_to_z_up:
      return Quat(Eigen::AngleAxisd(quarter, Vec3::UnitX()));
    case SourceAxes::as_target:
      break;
  }
  return Quat::Identity();
}

void turn(Places& places, const Quat& by) {
  for (Quat& q : places.rotation) q = by * q;
  for (Vec3& p : places.position) p = by * p;
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

class Retargeter {
 public:
  Retargeter(const Skeleton& source, const Clip& motion, const Skeleton& target, const RetargetOptions& options)
      : source_(source), motion_(motion), target_(target), options_(options), turn_(turn_of(options.source_axes)) {}

  Retargeted run() {
    match();
    refuse_too_few();
    rest_poses();
    find_matched_tree();
    result_.scale = options_.scale > 0 ? options_.scale : size_ratio();
    align();
    make_channels();
    for (const double time : times_) add_frame(time);
    finish();
    return std::move(result_);
  }

 private:
  void match() {
    JointMatches matches = find_matches(source_, target_, options_.names);
    moving_ = moving_joints(source_, motion_);
    result_.count = count_matches(matches, moving_, target_);
    std::vector<bool> drives(source_.size());
    partner_.assign(target_.size(), kNone);
    for (const JointPair& pair : matches.pairs) {
      partner_[pair.target] = pair.source;
      drives[pair.source] = true;
    }
    for (std::size_t j = 0; j < source_.size(); ++j) {
      if (moving_[j] && !drives[j]) result_.unmatched_source.push_back(static_cast<Index>(j));
    }
    for (std::size_t j = 0; j < target_.size(); ++j) {
      if (target_.joints[j].deforms && partner_[j] == kNone) result_.unmatched_target.push_back(static_cast<Index>(j));
    }
    result_.matched = std::move(matches.pairs);
    source_roles_ = std::move(matches.source_roles);
    target_roles_ = std::move(matches.target_roles);
  }

  /// Whoever pairs joints in a map has decided what is enough.
  void refuse_too_few() const {
    const auto is_pair = [](const auto& names) { return !names.second.empty(); };
    const bool decided = std::any_of(options_.names.begin(), options_.names.end(), is_pair);
    if (result_.matched.empty() || (!decided && !result_.count.enough())) {
      throw TooFewMatches(result_.count, source_.names(result_.unmatched_source),
                          target_.names(result_.unmatched_target));
    }
  }

  void rest_poses() {
    times_ = frame_times(motion_, options_.fps);
    target_rest_ = places_of(target_, rest_pose(target_), scratch_);
    rest_global_ = scratch_;
    const bool first = options_.source_rest == SourceRest::first_frame && !times_.empty();
    source_rest_ = places_of(source_, first ? sample(motion_, source_, times_.front()) : rest_pose(source_), scratch_);
    turn(source_rest_, turn_);
    source_start_ = source_rest_;
    if (options_.placement == RootPlacement::at_rest && !times_.empty()) {
      source_start_ = places_of(source_, sample(motion_, source_, times_.front()), scratch_);
      turn(source_start_, turn_);
    }
  }

  static bool is_above(const Skeleton& skeleton, Index ancestor, Index j) {
    while (j > ancestor) j = skeleton.joints[j].parent;
    return j == ancestor;
  }

  /// The joint of the same limb that comes before `j` from the body outwards and has a partner, or kNone.
  Index before_in_limb(Index j) const {
    const JointRole& role = target_roles_.of[j];
    const bool in_arm = role.part > BodyPart::upper_arm && role.part <= BodyPart::hand;
    const bool in_leg = role.part > BodyPart::thigh && role.part <= BodyPart::toes;
    if (!in_arm && !in_leg) return kNone;
    const BodyPart first = in_arm ? BodyPart::upper_arm : BodyPart::thigh;
    Index before = kNone;
    for (const JointPair& pair : result_.matched) {
      const JointRole& other = target_roles_.of[pair.target];
      if (other.side != role.side || other.part < first || other.part >= role.part) continue;
      if (before == kNone || other.part > target_roles_.of[before].part) before = pair.target;
    }
    return before;
  }

  /// A foot that hangs from the root instead of its leg (it was led by inverse kinematics) must go along with the leg:
  /// held at the end of it if the motion's foot hangs from the leg, else where the motion's foot goes.
  void find_detached() {
    held_by_.assign(target_.size(), kNone);
    is_detached_.assign(target_.size(), false);
    for (const JointPair& pair : result_.matched) {
      const Index j = pair.target;
      const Index before = before_in_limb(j);
      if (before == kNone || is_above(target_, before, j) || is_above(target_, j, before)) continue;
      is_detached_[j] = true;
      if (is_above(source_, partner_[before], pair.source)) held_by_[j] = before;
    }
  }

  void find_order() {
    std::vector<bool> done(target_.size());
    const auto is_ready = [&](Index other) { return other == kNone || done[other]; };
    while (order_.size() < target_.size()) {
      const std::size_t before = order_.size();
      for (std::size_t i = 0; i < target_.size(); ++i) {
        if (done[i] || !is_ready(target_.joints[i].parent) || !is_ready(held_by_[i])) continue;
        done[i] = true;
        order_.push_back(static_cast<Index>(i));
      }
      // Joints that wait for each other: nothing is held then.
      if (order_.size() == before) held_by_.assign(target_.size(), kNone);
    }
  }

  /// The target's matched joints as a tree of their own: joints between them are passed over.
  void find_matched_tree() {
    find_detached();
    find_order();
    parent_ = held_by_;
    children_.assign(target_.size(), {});
    for (const JointPair& pair : result_.matched) {
      if (held_by_[pair.target] != kNone) {
        children_[held_by_[pair.target]].push_back(pair.target);
        continue;
      }
      Index ancestor = target_.joints[pair.target].parent;
      while (ancestor != kNone && partner_[ancestor] == kNone) ancestor = target_.joints[ancestor].parent;
      parent_[pair.target] = ancestor;
      if (ancestor != kNone) children_[ancestor].push_back(pair.target);
    }
  }

  double target_length(Index a, Index b) const { return (target_rest_.position[a] - target_rest_.position[b]).norm(); }
  double source_length(Index a, Index b) const {
    return (source_rest_.position[partner_[a]] - source_rest_.position[partner_[b]]).norm();
  }

  /// How much larger the target is: the lengths of the chains from the topmost joints to the lowest ones (the legs, by
  /// which feet stay on the ground), or of all bones where there is no such chain. Lengths along the bones do not
  /// depend on the two rest poses.
  double size_ratio() const {
    const int up = options_.source_axes == SourceAxes::y_up_to_z_up ? 2 : 1;
    Index lowest = result_.matched.front().target;
    for (const JointPair& pair : result_.matched) {
      if (target_rest_.position[pair.target][up] < target_rest_.position[lowest][up]) lowest = pair.target;
    }
    double target = 0;
    double source = 0;
    for (Index j = lowest; parent_[j] != kNone; j = parent_[j]) add_lengths(j, target, source);
    if (target > 0 && source > 0) return target / source;
    target = source = 0;
    for (const JointPair& pair : result_.matched) {
      if (parent_[pair.target] != kNone) add_lengths(pair.target, target, source);
    }
    return target > 0 && source > 0 ? target / source : 1;
  }

  void add_lengths(Index j, double& target, double& source) const {
    target += target_length(j, parent_[j]);
    source += source_length(j, parent_[j]);
  }

  /// The longest way along matched bones from a topmost joint, in each skeleton: its size, whatever the pose.
  template <class Length>
  double reach(Length&& length) const {
    std::vector<double> along(target_.size());
    double longest = 0;
    for (const Index j : order_) {
      if (partner_[j] == kNone) continue;
      if (parent_[j] != kNone) along[j] = along[parent_[j]] + length(j, parent_[j]);
      longest = std::max(longest, along[j]);
    }
    return longest;
  }

  /// Rest poses differ for two reasons. One is pose: arms stretched out here, hanging there. It shows in long bones,
  /// which are turned until they point where the source's point. The other is build: how a rigger laid joints through a
  /// spine, a neck, a collar bone. It shows in short bones, and turning those would only twist the skin. Short bones
  /// follow the bone above them (a hand its forearm), or keep their own rest direction, whichever comes nearer to the
  /// source (a foot that stands flat below a leg that does not hang straight).
  void align() {
    alignment_.assign(target_.size(), Quat::Identity());
    if (options_.alignment == BoneAlignment::off) return;
    const double target_reach = reach([&](Index a, Index b) { return target_length(a, b); });
    const double source_reach = reach([&](Index a, Index b) { return source_length(a, b); });
    for (const Index j : order_) {
      if (partner_[j] == kNone) continue;
      const Quat above = parent_[j] == kNone ? Quat::Identity() : alignment_[parent_[j]];
      Vec3 target;
      Vec3 source;
      if (!directions(j, target, source)) {
        alignment_[j] = children_[j].size() > 1 ? nearest_for_branch(j, above) : above;
        continue;
      }
      const bool keep = angle_between(target, source) <= angle_between(above * target, source) + 1e-9;
      const Quat base = keep ? Quat::Identity() : above;
      const double length = std::sqrt(target.norm() / target_reach * source.norm() / source_reach);
      const bool is_long = length >= options_.align_from * branch_factor(j);
      alignment_[j] = is_long ? (turn_between(base * target, source) * base).normalized() : base;
    }
  }

  /// A bone that hangs from a branching joint must be longer to count as a limb: collar bones are nearly as long as
  /// short forearms (0.15 and 0.15 of the longest chain in recordings seen), thighs and upper arms much longer (0.23
  /// and more).
  double branch_factor(Index j) const { return parent_[j] != kNone && children_[parent_[j]].size() > 1 ? 1.2 : 1.0; }

  /// The bone's direction on both sides; false where the joint branches or ends without a tail.
  bool directions(Index j, Vec3& target, Vec3& source) const {
    if (children_[j].size() == 1) {
      const Index child = children_[j][0];
      target = target_rest_.position[child] - target_rest_.position[j];
      source = source_rest_.position[partner_[child]] - source_rest_.position[partner_[j]];
    } else if (children_[j].empty() && target_.joints[j].tail && source_.joints[partner_[j]].tail) {
      target = target_rest_.rotation[j] * *target_.joints[j].tail;
      source = source_rest_.rotation[partner_[j]] * *source_.joints[partner_[j]].tail;
    } else {
      return false;
    }
    const double tiny = 1e-9;
    return target.norm() > tiny && source.norm() > tiny;
  }

  /// A joint with several bones (a hand): as the bone above it, or as it is, by what suits its bones better.
  Quat nearest_for_branch(Index j, const Quat& above) const {
    double kept = 0;
    double followed = 0;
    bool known = false;
    for (const Index child : children_[j]) {
      const Vec3 target = target_rest_.position[child] - target_rest_.position[j];
      const Vec3 source = source_rest_.position[partner_[child]] - source_rest_.position[partner_[j]];
      if (target.norm() < 1e-9 || source.norm() < 1e-9) continue;
      known = true;
      kept += angle_between(target, source);
      followed += angle_between(above * target, source);
    }
    return known && kept <= followed + 1e-9 ? Quat::Identity() : above;
  }

  void make_channels() {
    channel_.assign(target_.size(), kNone);
    for (const JointPair& pair : result_.matched) {
      if (translates(pair.target)) add_channel(pair.target, ChannelPath::translation, 3);
      channel_[pair.target] = add_channel(pair.target, ChannelPath::rotation, 4);
    }
    result_.clip.name = motion_.name;
  }

  Index add_channel(Index joint, ChannelPath path, Index width) {
    Channel channel;
    channel.joint = joint;
    channel.path = path;
    channel.width = width;
    channel.times = times_;
    channel.values.reserve(times_.size() * static_cast<std::size_t>(width));
    result_.clip.channels.push_back(std::move(channel));
    return static_cast<Index>(result_.clip.channels.size() - 1);
  }

  /// Parents first, and what holds a joint before it, so that each joint knows where these went.
  void add_frame(double time) {
    Places source = places_of(source_, sample(motion_, source_, time), scratch_);
    turn(source, turn_);
    std::vector<Affine> global(target_.size());
    std::vector<Quat> rotation(target_.size());
    for (const Index j : order_) {
      const Index parent = target_.joints[j].parent;
      const Quat above = parent == kNone ? Quat::Identity() : rotation[parent];
      Transform local = target_.joints[j].rest;
      if (partner_[j] != kNone) {
        if (translates(j)) {
          const Vec3 wanted = held_by_[j] == kNone ? wanted_position(j, source) : held_position(j, global);
          local.translation = parent == kNone ? wanted : Vec3(global[parent].inverse() * wanted);
        }
        local.rotation = (above.conjugate() * wanted_rotation(j, source)).normalized();
        append(j, local);
      }
      rotation[j] = (above * local.rotation).normalized();
      global[j] = parent == kNone ? to_matrix(local) : global[parent] * to_matrix(local);
    }
  }

  /// Topmost joints go where the source's go, and so do the hips: many skeletons have a root on the ground above them.
  /// What does not hang from its limb must be brought to it.
  bool translates(Index j) const {
    if (parent_[j] == kNone || is_detached_[j]) return true;
    return target_roles_.of[j].part == BodyPart::hips && source_roles_.of[partner_[j]].part == BodyPart::hips;
  }

  Quat wanted_rotation(Index j, const Places& source) const {
    const Index s = partner_[j];
    const Quat moved = source.rotation[s] * source_rest_.rotation[s].conjugate();
    return moved * alignment_[j] * target_rest_.rotation[j];
  }

  Vec3 wanted_position(Index j, const Places& source) const {
    const Index s = partner_[j];
    return target_rest_.position[j] + result_.scale * (source.position[s] - source_start_.position[s]);
  }

  /// Where the joint is if it keeps its rest place relative to what holds it.
  Vec3 held_position(Index j, const std::vector<Affine>& global) const {
    const Index holder = held_by_[j];
    return global[holder] * (rest_global_[holder].inverse() * target_rest_.position[j]);
  }

  void append(Index j, const Transform& local) {
    std::vector<double>& values = result_.clip.channels[channel_[j]].values;
    Eigen::Vector4d q = local.rotation.coeffs();
    if (!values.empty() && q.dot(Eigen::Map<const Eigen::Vector4d>(values.data() + values.size() - 4)) < 0) q = -q;
    values.insert(values.end(), q.data(), q.data() + 4);
    if (!translates(j)) return;
    std::vector<double>& translations = result_.clip.channels[channel_[j] - 1].values;
    translations.insert(translations.end(), local.translation.data(), local.translation.data() + 3);
  }

  void finish() {
    if (std::find(moving_.begin(), moving_.end(), true) == moving_.end()) {
      result_.problems.push_back(
          {Severity::warning, "motion-still", "the motion moves no joint away from its rest", {}, 0});
    }
    ProblemCollector source;
    for (const Index j : result_.unmatched_source) source.add(j);
    source.report(result_.problems, Severity::note, "motion-joints-unmatched",
                  "{} joint{|s} that the motion moves drive{s|} nothing");
    ProblemCollector target;
    for (const Index j : result_.unmatched_target) target.add(j);
    target.report(result_.problems, Severity::note, "joints-unmatched",
                  "{} joint{|s} of the character {has|have} no partner in the motion and stay{s|} at rest");
    report_surplus();
    report_lost_channels();
  }

  /// Said where names were read for their meaning: there, a joint may have been passed over for another.
  void report_surplus() {
    const auto is_read = [](const JointPair& pair) { return pair.by == MatchedBy::part; };
    if (std::none_of(result_.matched.begin(), result_.matched.end(), is_read)) return;
    ProblemCollector source;
    for (const Index j : source_roles_.surplus) {
      if (std::binary_search(result_.unmatched_source.begin(), result_.unmatched_source.end(), j)) source.add(j);
    }
    source.report(result_.problems, Severity::note, "motion-joints-surplus",
                  "{} joint{|s} of the motion drive{s|} nothing, because another joint has a name of the same meaning");
    ProblemCollector target;
    for (const Index j : target_roles_.surplus) {
      if (std::binary_search(result_.unmatched_target.begin(), result_.unmatched_target.end(), j)) target.add(j);
    }
    target.report(
        result_.problems, Severity::note, "joints-surplus",
        "{} joint{|s} of the character stay{s|} at rest, because another joint has a name of the same meaning");
  }

  /// Translations below the topmost joints and the hips, and all scales.
  void report_lost_channels() {
    ProblemCollector lost;
    for (const Channel& channel : motion_.channels) {
      if (channel.path == ChannelPath::rotation) continue;
      const auto pair = std::find_if(result_.matched.begin(), result_.matched.end(),
                                     [&](const JointPair& p) { return p.source == channel.joint; });
      if (pair == result_.matched.end()) continue;
      if (channel.path == ChannelPath::translation && translates(pair->target)) continue;
      if (leaves_rest(channel, source_)) lost.add(channel.joint);
    }
    lost.report(result_.problems, Severity::note, "motion-channels-lost",
                "{} channel{|s} that translate{s|} or scale{s|} joints below the topmost {is|are} not carried over");
  }

  const Skeleton& source_;
  const Clip& motion_;
  const Skeleton& target_;
  const RetargetOptions& options_;
  Quat turn_;
  Retargeted result_;
  JointRoles source_roles_, target_roles_;
  std::vector<bool> moving_;  // #source
  std::vector<double> times_;
  std::vector<Index> partner_;                // #target: the source joint, or kNone
  std::vector<Index> parent_;                 // #target: the nearest matched ancestor
  std::vector<std::vector<Index>> children_;  // #target: the nearest matched descendants
  std::vector<Index> held_by_;       // #target: the end of its limb to which a detached joint is held, or kNone
  std::vector<bool> is_detached_;    // #target: belongs to a limb from which it does not hang
  std::vector<Index> order_;         // #target: parents, and what holds a joint, before it
  std::vector<Affine> rest_global_;  // #target
  std::vector<Index> channel_;       // #target: its rotation channel
  std::vector<Quat> alignment_;      // #target: turns the target's rest bone to the source's, in world space
  Places source_rest_, source_start_, target_rest_;
  std::vector<Affine> scratch_;
};

}  // namespace

Retargeted retarget(const Skeleton& source, const Clip& motion, const Skeleton& target,
                    const RetargetOptions& options) {
  check_ranges(options);
  return Retargeter(source, motion, target, options).run();
}

}  // namespace isochor
