#include "isochor/rig/retarget.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace isochor {

namespace {

// --- which joint is which
// ---------------------------------------------------------------------------------------------

/// "mixamorig:Left_Arm" -> "leftarm".
std::string simplified(std::string_view name) {
  const std::size_t prefix = name.find_last_of(":|");
  if (prefix != std::string_view::npos && prefix + 1 < name.size()) name.remove_prefix(prefix + 1);
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-' || c == '.') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

class Matcher {
 public:
  Matcher(const Skeleton& source, const Skeleton& target)
      : source_(source), target_(target), source_used_(source.size()), partner_(target.size(), kNone) {}

  void by_map(const JointNameMap& names) {
    for (const auto& [source_name, target_name] : names) {
      const Index source = source_.find(source_name);
      if (source == kNone)
        throw_bad_input("the name map mentions \"" + source_name + "\", which the motion does not have");
      source_used_[source] = true;
      if (target_name.empty()) continue;
      const Index target = target_.find(target_name);
      if (target == kNone) {
        throw_bad_input("the name map mentions \"" + target_name + "\", which the character does not have");
      }
      if (partner_[target] != kNone) throw_bad_input("the name map gives \"" + target_name + "\" two sources");
      partner_[target] = source;
    }
  }

  /// Pairs joints whose keys are equal, where a key is unique among what is still free on both sides.
  template <class MakeKey>
  void by_key(MakeKey&& make_key) {
    struct Found {
      Index source = kNone, target = kNone;
      int sources = 0, targets = 0;
    };
    std::map<std::string, Found> found;
    for (std::size_t j = 0; j < source_.size(); ++j) {
      if (source_used_[j]) continue;
      Found& entry = found[make_key(source_.joints[j].name)];
      entry.source = static_cast<Index>(j);
      ++entry.sources;
    }
    for (std::size_t j = 0; j < target_.size(); ++j) {
      if (partner_[j] != kNone) continue;
      Found& entry = found[make_key(target_.joints[j].name)];
      entry.target = static_cast<Index>(j);
      ++entry.targets;
    }
    for (const auto& [key, entry] : found) {
      if (key.empty() || entry.sources != 1 || entry.targets != 1) continue;
      partner_[entry.target] = entry.source;
      source_used_[entry.source] = true;
    }
  }

  std::vector<JointPair> pairs() const {
    std::vector<JointPair> result;
    for (std::size_t j = 0; j < partner_.size(); ++j) {
      if (partner_[j] != kNone) result.push_back({partner_[j], static_cast<Index>(j)});
    }
    return result;
  }

 private:
  const Skeleton& source_;
  const Skeleton& target_;
  std::vector<bool> source_used_;
  std::vector<Index> partner_;
};

// --- carrying over
// ----------------------------------------------------------------------------------------------------

/// Global rotations (scale and shear left out) and positions of all joints.
struct Frames {
  std::vector<Quat> rotation;
  std::vector<Vec3> position;
};

Frames frames_of(const Skeleton& skeleton, const Pose& pose, std::vector<Affine>& scratch) {
  scratch.resize(skeleton.size());
  global_transforms(skeleton, pose, scratch);
  Frames frames;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    const Quat& local = pose.local[j].rotation;
    frames.rotation.push_back(parent == kNone ? local : (frames.rotation[parent] * local).normalized());
    frames.position.emplace_back(scratch[j].translation());
  }
  return frames;
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

void turn(Frames& frames, const Quat& by) {
  for (Quat& q : frames.rotation) q = by * q;
  for (Vec3& p : frames.position) p = by * p;
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

class Retargeter {
 public:
  Retargeter(const Skeleton& source, const Clip& motion, const Skeleton& target, const RetargetOptions& options)
      : source_(source), motion_(motion), target_(target), options_(options), turn_(turn_of(options.source_axes)) {}

  Retargeted run() {
    match();
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
    result_.matched = match_joints(source_, target_, options_.names);
    if (result_.matched.empty()) {
      throw_bad_input("no joint of the motion has a name that the character knows; a name map says which is which");
    }
    partner_.assign(target_.size(), kNone);
    std::vector<bool> used(source_.size());
    for (const JointPair& pair : result_.matched) {
      partner_[pair.target] = pair.source;
      used[pair.source] = true;
    }
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (!used[j]) result_.unmatched_source.push_back(static_cast<Index>(j));
    }
    for (std::size_t j = 0; j < partner_.size(); ++j) {
      if (partner_[j] == kNone) result_.unmatched_target.push_back(static_cast<Index>(j));
    }
  }

  void rest_poses() {
    times_ = frame_times(motion_, options_.fps);
    target_rest_ = frames_of(target_, rest_pose(target_), scratch_);
    const bool first = options_.source_rest == SourceRest::first_frame && !times_.empty();
    source_rest_ = frames_of(source_, first ? sample(motion_, source_, times_.front()) : rest_pose(source_), scratch_);
    turn(source_rest_, turn_);
    source_start_ = source_rest_;
    if (options_.placement == RootPlacement::at_rest && !times_.empty()) {
      source_start_ = frames_of(source_, sample(motion_, source_, times_.front()), scratch_);
      turn(source_start_, turn_);
    }
  }

  /// The target's matched joints as a tree of their own: joints between them are passed over.
  void find_matched_tree() {
    parent_.assign(target_.size(), kNone);
    children_.assign(target_.size(), {});
    for (const JointPair& pair : result_.matched) {
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
    for (const JointPair& pair : result_.matched) {
      const Index j = pair.target;
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
    for (const JointPair& pair : result_.matched) {
      const Index j = pair.target;
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
      if (parent_[pair.target] == kNone) add_channel(pair.target, ChannelPath::translation, 3);
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

  /// Parents first, so that each joint knows where its parent went.
  void add_frame(double time) {
    Frames source = frames_of(source_, sample(motion_, source_, time), scratch_);
    turn(source, turn_);
    std::vector<Affine> global(target_.size());
    std::vector<Quat> rotation(target_.size());
    for (std::size_t i = 0; i < target_.size(); ++i) {
      const auto j = static_cast<Index>(i);
      const Index parent = target_.joints[j].parent;
      const Quat above = parent == kNone ? Quat::Identity() : rotation[parent];
      Transform local = target_.joints[j].rest;
      if (partner_[j] != kNone) {
        if (parent_[j] == kNone)
          local.translation = translation(j, source, parent == kNone ? nullptr : &global[parent]);
        local.rotation = (above.conjugate() * wanted_rotation(j, source)).normalized();
        append(j, local);
      }
      rotation[j] = (above * local.rotation).normalized();
      global[j] = parent == kNone ? to_matrix(local) : global[parent] * to_matrix(local);
    }
  }

  Quat wanted_rotation(Index j, const Frames& source) const {
    const Index s = partner_[j];
    const Quat moved = source.rotation[s] * source_rest_.rotation[s].conjugate();
    return moved * alignment_[j] * target_rest_.rotation[j];
  }

  Vec3 translation(Index j, const Frames& source, const Affine* parent) const {
    const Index s = partner_[j];
    const Vec3 wanted = target_rest_.position[j] + result_.scale * (source.position[s] - source_start_.position[s]);
    return parent == nullptr ? wanted : Vec3(parent->inverse() * wanted);
  }

  void append(Index j, const Transform& local) {
    std::vector<double>& values = result_.clip.channels[channel_[j]].values;
    Eigen::Vector4d q = local.rotation.coeffs();
    if (!values.empty() && q.dot(Eigen::Map<const Eigen::Vector4d>(values.data() + values.size() - 4)) < 0) q = -q;
    values.insert(values.end(), q.data(), q.data() + 4);
    if (parent_[j] != kNone) return;
    std::vector<double>& translations = result_.clip.channels[channel_[j] - 1].values;
    translations.insert(translations.end(), local.translation.data(), local.translation.data() + 3);
  }

  void finish() {
    ProblemCollector source;
    for (const Index j : result_.unmatched_source) source.add(j);
    source.report(result_.problems, Severity::note, "motion-joints-unmatched", "{} joints of the motion drive nothing");
    ProblemCollector target;
    for (const Index j : result_.unmatched_target) {
      if (target_.joints[j].deforms) target.add(j);
    }
    target.report(result_.problems, Severity::note, "joints-unmatched",
                  "{} joints of the character have no partner in the motion and stay at rest");
    report_lost_channels();
  }

  /// Only the topmost joints take over translations; scale is never taken over.
  void report_lost_channels() {
    ProblemCollector lost;
    for (const Channel& channel : motion_.channels) {
      if (channel.path == ChannelPath::rotation || channel.path == ChannelPath::morph_weights) continue;
      const auto pair = std::find_if(result_.matched.begin(), result_.matched.end(),
                                     [&](const JointPair& p) { return p.source == channel.joint; });
      if (pair == result_.matched.end()) continue;
      if (channel.path == ChannelPath::translation && parent_[pair->target] == kNone) continue;
      if (moves(channel)) lost.add(channel.joint);
    }
    lost.report(result_.problems, Severity::note, "motion-channels-lost",
                "{} channels that translate or scale joints below the topmost are not carried over");
  }

  bool moves(const Channel& channel) const {
    const Transform& rest = source_.joints[channel.joint].rest;
    const Vec3 value = channel.path == ChannelPath::scale ? rest.scale : rest.translation;
    const double tolerance = 1e-4 * (value.norm() + 1e-9);
    for (std::size_t i = 0; i + 3 <= channel.values.size(); i += 3) {
      if ((Eigen::Map<const Vec3>(channel.values.data() + i) - value).norm() > tolerance) return true;
    }
    return false;
  }

  const Skeleton& source_;
  const Clip& motion_;
  const Skeleton& target_;
  const RetargetOptions& options_;
  Quat turn_;
  Retargeted result_;
  std::vector<double> times_;
  std::vector<Index> partner_;                // #target: the source joint, or kNone
  std::vector<Index> parent_;                 // #target: the nearest matched ancestor
  std::vector<std::vector<Index>> children_;  // #target: the nearest matched descendants
  std::vector<Index> channel_;                // #target: its rotation channel
  std::vector<Quat> alignment_;               // #target: turns the target's rest bone to the source's, in world space
  Frames source_rest_, source_start_, target_rest_;
  std::vector<Affine> scratch_;
};

}  // namespace

std::vector<JointPair> match_joints(const Skeleton& source, const Skeleton& target, const JointNameMap& names) {
  Matcher matcher(source, target);
  matcher.by_map(names);
  matcher.by_key([](const std::string& name) { return name; });
  matcher.by_key(simplified);
  return matcher.pairs();
}

Retargeted retarget(const Skeleton& source, const Clip& motion, const Skeleton& target,
                    const RetargetOptions& options) {
  check_ranges(options);
  return Retargeter(source, motion, target, options).run();
}

}  // namespace isochor
