#include "rig/match_joints.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "isochor/base/error.h"
#include "isochor/base/words.h"

namespace isochor {
namespace {

class Matcher {
 public:
  Matcher(const Skeleton& source, const Skeleton& target)
      : source_(source),
        target_(target),
        source_roles_(joint_roles(source)),
        target_roles_(joint_roles(target)),
        source_used_(source.size()),
        partner_(target.size(), kNone),
        by_(target.size(), MatchedBy::name) {}

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
      pair(source, target, MatchedBy::map);
    }
  }

  /// Pairs joints whose keys are equal, where a key is unique among what is still free on both sides.
  template <class MakeKey>
  void by_key(MakeKey&& make_key, MatchedBy by) {
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
      if (!contradict(entry.source, entry.target)) pair(entry.source, entry.target, by);
    }
  }

  /// Pairs joints that are the same part of the body, among what is still free on both sides.
  void by_part() {
    struct Found {
      std::vector<Index> sources, targets;
    };
    std::map<std::pair<BodyPart, BodySide>, Found> found;
    for (std::size_t j = 0; j < source_.size(); ++j) {
      const JointRole& role = source_roles_.of[j];
      if (role.part != BodyPart::none) found[{role.part, role.side}].sources.push_back(static_cast<Index>(j));
    }
    for (std::size_t j = 0; j < target_.size(); ++j) {
      const JointRole& role = target_roles_.of[j];
      if (role.part != BodyPart::none) found[{role.part, role.side}].targets.push_back(static_cast<Index>(j));
    }
    for (auto& [key, joints] : found) {
      if (is_chain(key.first)) {
        pair_chains(in_order(std::move(joints.sources), source_roles_),
                    in_order(std::move(joints.targets), target_roles_));
      } else {
        pair_numbers(joints.sources, joints.targets);
      }
    }
  }

  JointMatches matches() const {
    JointMatches result{{}, source_roles_, target_roles_};
    for (std::size_t j = 0; j < partner_.size(); ++j) {
      if (partner_[j] != kNone) result.pairs.push_back({partner_[j], static_cast<Index>(j), by_[j]});
    }
    return result;
  }

 private:
  /// Whether the names, though equal, mean different parts of the body. "root" is the hips of some skeletons, and a
  /// node on the ground below the hips in others.
  bool contradict(Index source, Index target) const {
    const JointRole& a = source_roles_.of[source];
    const JointRole& b = target_roles_.of[target];
    if (a.part == BodyPart::none) return b.part == BodyPart::hips && has_hips(source_roles_);
    if (b.part == BodyPart::none) return a.part == BodyPart::hips && has_hips(target_roles_);
    if (a.part != b.part || a.side != b.side) return true;
    return !is_chain(a.part) && a.number != b.number && joints_of(a, source_roles_) == joints_of(b, target_roles_);
  }

  /// Of fingers with equally many joints the first is the first: VRM calls the second of a thumb proximal, Unity the
  /// first. If one has fewer (a rig without the first), the names decide.
  static std::ptrdiff_t joints_of(const JointRole& finger, const JointRoles& roles) {
    return std::count_if(roles.of.begin(), roles.of.end(),
                         [&](const JointRole& role) { return role.part == finger.part && role.side == finger.side; });
  }

  static bool has_hips(const JointRoles& roles) {
    return std::any_of(roles.of.begin(), roles.of.end(), [](const JointRole& r) { return r.part == BodyPart::hips; });
  }

  static std::vector<Index> in_order(std::vector<Index> joints, const JointRoles& roles) {
    std::sort(joints.begin(), joints.end(), [&](Index a, Index b) { return roles.of[a].number < roles.of[b].number; });
    return joints;
  }

  void pair(Index source, Index target, MatchedBy by) {
    partner_[target] = source;
    by_[target] = by;
    source_used_[source] = true;
  }

  void pair_numbers(const std::vector<Index>& sources, const std::vector<Index>& targets) {
    for (const Index source : sources) {
      if (source_used_[source]) continue;
      for (const Index target : targets) {
        const bool same = source_roles_.of[source].number == target_roles_.of[target].number;
        if (same && partner_[target] == kNone) {
          pair(source, target, MatchedBy::part);
          break;
        }
      }
    }
  }

  /// Joints that are a pair already cut both chains: what lies below them on one side finds nothing above on the other.
  void pair_chains(const std::vector<Index>& sources, const std::vector<Index>& targets) {
    std::vector<Index> free_sources;
    std::size_t first_target = 0;
    for (const Index source : sources) {
      const auto end = std::find_if(targets.begin() + static_cast<std::ptrdiff_t>(first_target), targets.end(),
                                    [&](Index target) { return partner_[target] == source; });
      if (end == targets.end()) {
        if (!source_used_[source]) free_sources.push_back(source);
        continue;
      }
      const auto end_target = static_cast<std::size_t>(end - targets.begin());
      spread(free_sources, free_targets(targets, first_target, end_target));
      free_sources.clear();
      first_target = end_target + 1;
    }
    spread(free_sources, free_targets(targets, first_target, targets.size()));
  }

  std::vector<Index> free_targets(const std::vector<Index>& targets, std::size_t begin, std::size_t end) const {
    std::vector<Index> result;
    for (std::size_t i = begin; i < end; ++i) {
      if (partner_[targets[i]] == kNone) result.push_back(targets[i]);
    }
    return result;
  }

  /// The shorter chain spread over the longer one, ends to ends. Turns are carried over in world space, so that a
  /// single joint of the character takes that of the chain's last, which holds all of the bend; a single joint of the
  /// motion bends the character's chain where it begins.
  void spread(const std::vector<Index>& sources, const std::vector<Index>& targets) {
    const std::size_t pairs = std::min(sources.size(), targets.size());
    if (pairs == 0) return;
    const auto place = [pairs](std::size_t i, std::size_t length) {
      return pairs == 1 ? 0 : (2 * i * (length - 1) + pairs - 1) / (2 * (pairs - 1));
    };
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t s = pairs == 1 ? sources.size() - 1 : place(i, sources.size());
      pair(sources[s], targets[place(i, targets.size())], MatchedBy::part);
    }
  }

  const Skeleton& source_;
  const Skeleton& target_;
  JointRoles source_roles_, target_roles_;
  std::vector<bool> source_used_;
  std::vector<Index> partner_;  // #target
  std::vector<MatchedBy> by_;   // #target
};

/// The property's value at rest, as a channel holds it.
Eigen::Vector4d rest_value(const Transform& rest, ChannelPath path) {
  if (path == ChannelPath::rotation) return rest.rotation.coeffs();
  const Vec3& value = path == ChannelPath::scale ? rest.scale : rest.translation;
  return {value.x(), value.y(), value.z(), 0};
}

/// Of the `wanted` joints (of all where none is), how many there are and how many are `matched`; details and what lies
/// beside the body only where there is nothing else.
std::pair<std::size_t, std::size_t> count_body(const std::vector<bool>& wanted, const std::vector<bool>& matched,
                                               const JointRoles& roles) {
  const bool all = std::find(wanted.begin(), wanted.end(), true) == wanted.end();
  std::vector<bool> beside(wanted.size());
  for (const Index j : roles.surplus) beside[j] = true;
  for (const Index j : roles.helpers) beside[j] = true;
  std::pair<std::size_t, std::size_t> body, rest;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (!all && !wanted[j]) continue;
    auto& [count, with_partner] = beside[j] || is_detail(roles.of[j].part) ? rest : body;
    ++count;
    if (matched[j]) ++with_partner;
  }
  return body.first > 0 ? body : rest;
}

}  // namespace

JointMatches find_matches(const Skeleton& source, const Skeleton& target, const JointNameMap& names) {
  Matcher matcher(source, target);
  matcher.by_map(names);
  matcher.by_key([](const std::string& name) { return name; }, MatchedBy::name);
  matcher.by_key(simplified_name, MatchedBy::spelling);
  matcher.by_part();
  return matcher.matches();
}

std::vector<JointPair> match_joints(const Skeleton& source, const Skeleton& target, const JointNameMap& names) {
  return find_matches(source, target, names).pairs;
}

bool leaves_rest(const Channel& channel, const Skeleton& skeleton) {
  if (channel.path == ChannelPath::morph_weights) return false;
  const Eigen::Vector4d rest = rest_value(skeleton.joints[channel.joint].rest, channel.path);
  const double tolerance = 1e-4 * (rest.norm() + 1e-9);
  const bool cubic = channel.interpolation == Interpolation::cubic_spline;
  const auto width = static_cast<std::size_t>(channel.width);
  for (std::size_t i = cubic ? width : 0; i + width <= channel.values.size(); i += cubic ? 3 * width : width) {
    Eigen::Vector4d value = Eigen::Vector4d::Zero();
    for (std::size_t k = 0; k < width; ++k) value[static_cast<Eigen::Index>(k)] = channel.values[i + k];
    if (channel.path == ChannelPath::rotation && value.dot(rest) < 0) value = -value;
    if ((value - rest).norm() > tolerance) return true;
  }
  return false;
}

std::vector<bool> moving_joints(const Skeleton& skeleton, const Clip& motion) {
  std::vector<bool> moving(skeleton.size());
  for (const Channel& channel : motion.channels) {
    if (channel.path != ChannelPath::scale && leaves_rest(channel, skeleton)) moving[channel.joint] = true;
  }
  return moving;
}

MatchCount count_matches(const JointMatches& matches, const std::vector<bool>& moving, const Skeleton& target) {
  std::vector<bool> source_matched(moving.size()), target_matched(target.size()), deforming(target.size());
  for (const JointPair& pair : matches.pairs) {
    source_matched[pair.source] = true;
    target_matched[pair.target] = true;
  }
  for (std::size_t j = 0; j < target.size(); ++j) deforming[j] = target.joints[j].deforms;
  MatchCount count;
  std::tie(count.moving, count.moving_matched) = count_body(moving, source_matched, matches.source_roles);
  std::tie(count.deforming, count.deforming_matched) = count_body(deforming, target_matched, matches.target_roles);
  return count;
}

namespace {

std::string too_few(const MatchCount& count, const std::vector<std::string>& of_motion,
                    const std::vector<std::string>& of_character) {
  std::string text = "only " + std::to_string(count.moving_matched) + " of the " + count_of(count.moving, "joint") +
                     " that the motion moves, and " + std::to_string(count.deforming_matched) + " of the " +
                     std::to_string(count.deforming) + " of the character, have a partner";
  if (!of_motion.empty()) text += "; of the motion have none: " + first_names(of_motion);
  if (!of_character.empty()) text += "; of the character: " + first_names(of_character);
  return text;
}

}  // namespace

TooFewMatches::TooFewMatches(const MatchCount& count, const std::vector<std::string>& of_motion,
                             const std::vector<std::string>& of_character)
    : Error(ErrorKind::bad_input, too_few(count, of_motion, of_character)), count_(count) {}

}  // namespace isochor
