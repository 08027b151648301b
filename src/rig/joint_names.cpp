#include "isochor/rig/joint_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "rig/joint_words.h"

namespace isochor {
namespace {

class RoleFinder {
 public:
  explicit RoleFinder(const Skeleton& skeleton)
      : joints_(skeleton.joints), claims_(skeleton.size()), depth_(skeleton.size()) {
    roles_.of.resize(skeleton.size());
  }

  JointRoles run() {
    read_names();
    if (!rigify_spine()) trunk();
    for (const BodySide side : {BodySide::middle, BodySide::left, BodySide::right}) {
      arm(side);
      leg(side);
      fingers(side);
      assign(BodyPart::eye, side, claiming(JointWord::eye, side));
    }
    hips_by_thighs();
    number_chain(BodyPart::spine);
    std::sort(roles_.surplus.begin(), roles_.surplus.end());
    return std::move(roles_);
  }

 private:
  using Joints = std::vector<Index>;

  void read_names() {
    std::vector<std::vector<std::string>> names;
    for (const Joint& joint : joints_) names.push_back(name_pieces(joint.name));
    const std::string prefix = shared_prefix(names);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!prefix.empty() && names[j].size() > 1 && names[j][0] == prefix) names[j].erase(names[j].begin());
      // MakeHuman's recordings place a joint by another before it: "__UpLeg_L", "UpLeg_L".
      if (joints_[j].name.substr(0, 2) == "__" || names_helper(names[j])) {
        roles_.helpers.push_back(static_cast<Index>(j));
      } else {
        claims_[j] = read_claim(names[j]);
      }
      depth_[j] = joints_[j].parent == kNone ? 0 : depth_[joints_[j].parent] + 1;
    }
  }

  /// From the root outwards; joints equally deep by the number in their names.
  Joints claiming(JointWord part, BodySide side) const {
    Joints found;
    for (std::size_t j = 0; j < claims_.size(); ++j) {
      if (claims_[j] && claims_[j]->part == part && claims_[j]->side == side) found.push_back(static_cast<Index>(j));
    }
    std::stable_sort(found.begin(), found.end(), [&](Index a, Index b) {
      return depth_[a] != depth_[b] ? depth_[a] < depth_[b] : last_number(a) < last_number(b);
    });
    return found;
  }

  Joints claiming(std::initializer_list<JointWord> parts, BodySide side) const {
    Joints all;
    for (const JointWord part : parts) {
      const Joints some = claiming(part, side);
      all.insert(all.end(), some.begin(), some.end());
    }
    std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) { return depth_[a] < depth_[b]; });
    return all;
  }

  int last_number(Index j) const { return claims_[j]->numbers.empty() ? 0 : to_number(claims_[j]->numbers.back()); }

  bool is_above(Index ancestor, Index j) const {
    while (j > ancestor) j = joints_[j].parent;
    return j == ancestor;
  }

  std::optional<Index> find(BodyPart part, BodySide side) const {
    for (std::size_t j = 0; j < roles_.of.size(); ++j) {
      if (roles_.of[j].part == part && roles_.of[j].side == side) return static_cast<Index>(j);
    }
    return std::nullopt;
  }

  void set(Index j, BodyPart part, BodySide side, Index number = 1) { roles_.of[j] = {part, side, number}; }

  /// Gives the part to one of the candidates; the others are surplus.
  void assign(BodyPart part, BodySide side, const Joints& candidates) {
    if (candidates.empty()) return;
    const auto better = [&](Index a, Index b) {
      if (joints_[a].deforms != joints_[b].deforms) return joints_[a].deforms;
      return depth_[a] < depth_[b];
    };
    const Index best = *std::min_element(candidates.begin(), candidates.end(), better);
    bool alone = true;
    for (const Index j : candidates) {
      if (j == best) continue;
      if (!better(best, j)) alone = false;
      roles_.surplus.push_back(j);
    }
    if (alone) {
      set(best, part, side);
    } else {
      roles_.surplus.push_back(best);
    }
  }

  /// Rigify calls hips, neck and head of a human "spine", too: spine, spine.001 … spine.006.
  bool rigify_spine() {
    constexpr std::array parts{BodyPart::hips, BodyPart::spine, BodyPart::spine, BodyPart::spine,
                               BodyPart::neck, BodyPart::neck,  BodyPart::head};
    std::array<Joints, parts.size()> found;
    for (const Index j : claiming(JointWord::spine, BodySide::middle)) {
      const auto number = static_cast<std::size_t>(last_number(j));
      if (number >= parts.size()) return false;
      found[number].push_back(j);
    }
    for (const Joints& joints : found) {
      if (joints.empty()) return false;
    }
    // Controls may be named head and neck; a joint of that name that deforms is no Rigify spine.
    for (const Index j : claiming({JointWord::head, JointWord::neck, JointWord::pelvis}, BodySide::middle)) {
      if (joints_[j].deforms) return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) assign(parts[i], BodySide::middle, found[i]);
    number_chain(BodyPart::neck);
    return true;
  }

  void trunk() {
    assign(BodyPart::hips, BodySide::middle, claiming({JointWord::pelvis, JointWord::hip}, BodySide::middle));
    assign(BodyPart::head, BodySide::middle, claiming(JointWord::head, BodySide::middle));
    assign(BodyPart::jaw, BodySide::middle, claiming(JointWord::jaw, BodySide::middle));
    Joints necks = deforming_if_any(claiming(JointWord::neck, BodySide::middle));
    // "neck_1, neck_2" and no head: the last one is the head.
    if (necks.size() > 1 && !find(BodyPart::head, BodySide::middle)) {
      set(necks.back(), BodyPart::head, BodySide::middle);
      necks.pop_back();
    }
    for (const Index j : necks) set(j, BodyPart::neck, BodySide::middle);
    number_chain(BodyPart::neck);
    for (const Index j : spine_below(necks)) set(j, BodyPart::spine, BodySide::middle);
  }

  /// Joints of the spine on the way to the neck or head; all of them, the chest last, where the hierarchy does not
  /// say.
  Joints spine_below(const Joints& necks) const {
    const Joints all = deforming_if_any(claiming({JointWord::spine, JointWord::chest}, BodySide::middle));
    const std::optional<Index> top = necks.empty() ? find(BodyPart::head, BodySide::middle) : necks.front();
    Joints on_the_way;
    for (const Index j : all) {
      if (top && is_above(j, *top)) on_the_way.push_back(j);
    }
    return on_the_way.empty() ? all : on_the_way;
  }

  Joints deforming_if_any(const Joints& joints) const {
    Joints deforming;
    for (const Index j : joints) {
      if (joints_[j].deforms) deforming.push_back(j);
    }
    return deforming.empty() ? joints : deforming;
  }

  void number_chain(BodyPart part) {
    Joints chain;
    for (std::size_t j = 0; j < roles_.of.size(); ++j) {
      if (roles_.of[j].part == part) chain.push_back(static_cast<Index>(j));
    }
    const auto is_chest = [&](Index j) { return claims_[j] && claims_[j]->part == JointWord::chest; };
    std::stable_sort(chain.begin(), chain.end(), [&](Index a, Index b) {
      if (depth_[a] != depth_[b]) return depth_[a] < depth_[b];
      if (is_chest(a) != is_chest(b)) return is_chest(b);
      return last_number(a) < last_number(b);
    });
    for (std::size_t i = 0; i < chain.size(); ++i) roles_.of[chain[i]].number = static_cast<Index>(i + 1);
  }

  void arm(BodySide side) {
    const Joints shoulders = claiming(JointWord::shoulder, side);
    const Joints plain = claiming(JointWord::arm, side);
    Joints uppers = claiming(JointWord::upper_arm, side);
    if (uppers.empty() && plain.empty()) {
      assign(BodyPart::collar, side, claiming(JointWord::collar, side));
      uppers = shoulders;
    } else {
      assign(BodyPart::collar, side, claiming({JointWord::collar, JointWord::shoulder}, side));
    }
    assign(BodyPart::upper_arm, side, uppers);
    assign(BodyPart::forearm, side, claiming(JointWord::forearm, side));
    const Joints hands = claiming(JointWord::hand, side);
    assign(BodyPart::hand, side, hands.empty() ? claiming(JointWord::palm, side) : hands);
    fill(plain, side, {BodyPart::upper_arm, BodyPart::forearm, BodyPart::hand});
    drop_strangers({BodyPart::upper_arm, BodyPart::forearm, BodyPart::hand}, side);
  }

  void leg(BodySide side) {
    Joints thighs = claiming(JointWord::thigh, side);
    // Without a thigh, "LeftHip" is where the leg begins; with one it lies between (CMU's LHipJoint).
    if (thighs.empty() && side != BodySide::middle) thighs = claiming(JointWord::hip, side);
    assign(BodyPart::thigh, side, thighs);
    assign(BodyPart::shin, side, claiming(JointWord::shin, side));
    assign(BodyPart::foot, side, claiming(JointWord::foot, side));
    assign(BodyPart::toes, side, claiming(JointWord::toe, side));
    fill(claiming(JointWord::leg, side), side, {BodyPart::thigh, BodyPart::shin, BodyPart::foot, BodyPart::toes});
    drop_strangers({BodyPart::thigh, BodyPart::shin, BodyPart::foot, BodyPart::toes}, side);
  }

  /// "leg_1, leg_2, leg_3" are what the limb lacks, from the body outwards; a single "Leg" beside "UpLeg" is the shin.
  void fill(const Joints& plain, BodySide side, std::initializer_list<BodyPart> limb) {
    std::size_t next = 0;
    for (const BodyPart part : limb) {
      if (next < plain.size() && !find(part, side)) set(plain[next++], part, side);
    }
    roles_.surplus.insert(roles_.surplus.end(), plain.begin() + static_cast<std::ptrdiff_t>(next), plain.end());
  }

  /// A knee that hangs from a shoulder belongs to another leg (the front leg of an elephant). A foot that hangs from
  /// the root is the leg's all the same: it was led by inverse kinematics.
  void drop_strangers(std::initializer_list<BodyPart> limb, BodySide side) {
    const std::optional<Index> first = find(*limb.begin(), side);
    for (const BodyPart part : limb) {
      const std::optional<Index> j = find(part, side);
      if (first && j && j != first && hangs_elsewhere(*j, limb, side)) roles_.of[*j] = {};
    }
  }

  bool hangs_elsewhere(Index j, std::initializer_list<BodyPart> limb, BodySide side) const {
    for (Index a = joints_[j].parent; a != kNone; a = joints_[a].parent) {
      const JointRole& role = roles_.of[a];
      if (role.part == BodyPart::none || role.part == BodyPart::hips) continue;
      return role.side != side || std::find(limb.begin(), limb.end(), role.part) == limb.end();
    }
    return false;
  }

  void fingers(BodySide side) {
    std::map<BodyPart, Joints> by_finger;
    const auto add = [&](JointWord word, BodyPart part) {
      for (const Index j : claiming(word, side)) by_finger[part].push_back(j);
    };
    add(JointWord::thumb, BodyPart::thumb);
    add(JointWord::index, BodyPart::index);
    add(JointWord::middle, BodyPart::middle);
    add(JointWord::ring, BodyPart::ring);
    add(JointWord::pinky, BodyPart::pinky);
    numbered_fingers(side, by_finger);
    for (auto& [part, joints] : by_finger) finger(part, side, joints);
  }

  /// "Finger0, Finger01 …" (Biped), "finger1-1 …" (MakeHuman): counted from the thumb, or from the index finger if the
  /// thumb has a name of its own.
  void numbered_fingers(BodySide side, std::map<BodyPart, Joints>& by_finger) const {
    std::map<int, Joints> by_number;
    for (const Index j : claiming(JointWord::finger, side)) {
      const std::vector<std::string>& numbers = claims_[j]->numbers;
      if (!numbers.empty()) by_number[numbers[numbers.size() > 1 ? numbers.size() - 2 : 0][0] - '0'].push_back(j);
    }
    constexpr std::array parts{BodyPart::thumb, BodyPart::index, BodyPart::middle, BodyPart::ring, BodyPart::pinky};
    std::size_t next = by_finger.count(BodyPart::thumb);
    for (const auto& [number, joints] : by_number) {
      if (next < parts.size() && by_finger.count(parts[next]) == 0) by_finger[parts[next]] = joints;
      ++next;
    }
  }

  /// Numbers from the knuckle. In a thumb, the bone inside the palm is the first that moves.
  void finger(BodyPart part, BodySide side, Joints& joints) {
    std::stable_sort(joints.begin(), joints.end(), [&](Index a, Index b) {
      if (depth_[a] != depth_[b]) return depth_[a] < depth_[b];
      return rank(a) < rank(b);
    });
    Index number = 1;
    for (const Index j : joints) {
      const bool in_palm = claims_[j]->phalanx == JointWord::metacarpal && part != BodyPart::thumb;
      set(j, part, side, in_palm ? 0 : number);
      if (!in_palm) ++number;
    }
  }

  std::pair<JointWord, int> rank(Index j) const { return {claims_[j]->phalanx, last_number(j)}; }

  /// The joint from which both legs hang, whatever its name, if no joint is named hips, or one beside the legs.
  void hips_by_thighs() {
    const std::optional<Index> left = find(BodyPart::thigh, BodySide::left);
    const std::optional<Index> right = find(BodyPart::thigh, BodySide::right);
    if (!left || !right) return;
    Index j = joints_[*left].parent;
    while (j != kNone && !is_above(j, *right)) j = joints_[j].parent;
    const bool is_free = j != kNone && (roles_.of[j].part == BodyPart::none || roles_.of[j].part == BodyPart::spine);
    if (!is_free || !joints_[j].deforms) return;
    if (const std::optional<Index> hips = find(BodyPart::hips, BodySide::middle)) {
      if (!is_above(j, *hips) || is_root(j)) return;
      roles_.of[*hips] = {};
      roles_.surplus.push_back(*hips);
    }
    set(j, BodyPart::hips, BodySide::middle);
  }

  /// A root stays on the ground while the hips move.
  bool is_root(Index j) const {
    const std::vector<std::string> pieces = name_pieces(joints_[j].name);
    return joints_[j].parent == kNone || std::find(pieces.begin(), pieces.end(), "root") != pieces.end();
  }

  const std::vector<Joint>& joints_;
  std::vector<std::optional<NameClaim>> claims_;  // #J
  std::vector<int> depth_;                        // #J
  JointRoles roles_;
};

}  // namespace

bool names_control(std::string_view name) {
  // Words run together, as in "handslot", end in the word that counts.
  constexpr std::array<std::string_view, 8> kControls = {"ik",   "pole", "target", "control",
                                                         "ctrl", "slot", "socket", "drv"};
  const auto ends_in = [](const std::string& piece, std::string_view word) {
    return piece == word || (word.size() > 3 && piece.size() > word.size() && piece.ends_with(word));
  };
  const std::vector<std::string> pieces = name_pieces(name);
  return std::any_of(pieces.begin(), pieces.end(), [&](const std::string& piece) {
    return std::any_of(kControls.begin(), kControls.end(), [&](std::string_view word) { return ends_in(piece, word); });
  });
}

bool names_end(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEnds = {"end", "tip", "leaf", "nub", "site"};
  const std::vector<std::string> pieces = name_pieces(name);
  return std::any_of(pieces.begin(), pieces.end(), [&](const std::string& piece) {
    return std::find(kEnds.begin(), kEnds.end(), piece) != kEnds.end();
  });
}

JointRoles joint_roles(const Skeleton& skeleton) { return RoleFinder(skeleton).run(); }

bool is_detail(BodyPart part) {
  return part == BodyPart::jaw || part == BodyPart::eye || (part >= BodyPart::thumb && part <= BodyPart::pinky);
}

bool is_chain(BodyPart part) { return part == BodyPart::spine || part == BodyPart::neck; }

}  // namespace isochor
