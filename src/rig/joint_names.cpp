#include "isochor/rig/joint_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace isochor {

namespace {

// --- words -----------------------------------------------------------------------------------------------------------

/// What a single word can mean. Those between `part_first` and `part_last` name a part of the body.
enum class Word {
  unknown,
  filler,    // says nothing: "joint", "DEF"
  helper,    // beside the part that the rest names: "twist", "end", "IK"
  excluded,  // another part than the rest alone would name: "front"
  left,
  right,
  upper,
  lower,
  part_first,
  pelvis,
  hip,
  spine,
  chest,
  back,
  neck,
  head,
  jaw,
  eye,
  collar,
  shoulder,
  arm,
  upper_arm,
  forearm,
  hand,
  palm,
  leg,
  thigh,
  shin,
  foot,
  toe,
  finger,
  thumb,
  index,
  middle,
  ring,
  pinky,
  part_last,
  metacarpal,
  proximal,
  intermediate,
  distal,
};

struct Entry {
  Word word;
  std::string_view texts;  // separated by blanks
};

/// The vocabulary of the conventions. A single letter counts only where it stands alone, not in words run together.
constexpr std::array kVocabulary{
    Entry{Word::left, "left l"},
    Entry{Word::right, "right r"},
    Entry{Word::upper, "upper up"},
    Entry{Word::lower, "lower low lo fore"},
    Entry{Word::pelvis, "hips pelvis"},
    Entry{Word::hip, "hip"},
    Entry{Word::spine, "spine torso abdomen waist"},
    Entry{Word::chest, "chest thorax"},
    Entry{Word::back, "back"},
    Entry{Word::neck, "neck"},
    Entry{Word::head, "head"},
    Entry{Word::jaw, "jaw"},
    Entry{Word::eye, "eye"},
    // Arms and legs are named by their bones, or by the joints at which these begin.
    Entry{Word::collar, "clavicle collar scapula"},
    Entry{Word::shoulder, "shoulder shldr"},
    Entry{Word::arm, "arm"},
    Entry{Word::upper_arm, "humerus"},
    Entry{Word::forearm, "elbow"},
    Entry{Word::hand, "hand wrist"},
    Entry{Word::palm, "palm"},
    Entry{Word::leg, "leg"},
    Entry{Word::thigh, "thigh femur"},
    Entry{Word::shin, "shin calf knee"},
    Entry{Word::foot, "foot ankle"},
    Entry{Word::toe, "toe toes ball"},
    Entry{Word::finger, "finger"},
    Entry{Word::thumb, "thumb"},
    Entry{Word::index, "index"},
    Entry{Word::middle, "middle mid"},
    Entry{Word::ring, "ring"},
    Entry{Word::pinky, "pinky pinkie little"},
    Entry{Word::metacarpal, "metacarpal"},
    Entry{Word::proximal, "proximal"},
    Entry{Word::intermediate, "intermediate"},
    Entry{Word::distal, "distal"},
    Entry{Word::filler, "joint jnt bone base bend phalanx skeleton mixamorig bip def org adj face b c f j m"},
    Entry{Word::helper, "twist roll end tip leaf nub top ik fk mch pole target control ctrl"},
    // Animals have two pairs of legs.
    Entry{Word::excluded, "front hind rear forehead"},
};

bool names_part(Word word) { return word > Word::part_first && word < Word::part_last; }

Word look_up(std::string_view text) {
  for (const Entry& entry : kVocabulary) {
    std::string_view rest = entry.texts;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (word == text) return entry.word;
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  return Word::unknown;
}

/// No word of the vocabulary is run together with so many others; keeps hostile names from recursing deeply.
constexpr std::size_t kMaxRunTogether = 64;

/// Words run together ("leftforearm"), the longest first at each place; empty where the text is not made of them
/// altogether.
std::vector<Word> split_words(std::string_view text) {
  if (text.size() < 2 || text.size() > kMaxRunTogether) return {};
  for (std::size_t length = text.size(); length >= 2; --length) {
    const Word first = look_up(text.substr(0, length));
    if (first == Word::unknown) continue;
    if (length == text.size()) return {first};
    std::vector<Word> rest = split_words(text.substr(length));
    if (rest.empty()) continue;
    rest.insert(rest.begin(), first);
    return rest;
  }
  return {};
}

/// What a piece of a name says; empty where it says nothing that we know.
std::vector<Word> words_of(std::string_view piece) {
  if (piece.size() > 1) return split_words(piece);
  const Word letter = look_up(piece);
  return letter == Word::unknown ? std::vector<Word>() : std::vector<Word>{letter};
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lowered(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_namespace(std::string_view name) {
  const std::size_t prefix = name.find_last_of(":|");
  if (prefix != std::string_view::npos && prefix + 1 < name.size()) name.remove_prefix(prefix + 1);
  return name;
}

/// "LHipJoint01" -> "l", "hip", "joint", "01": cut at whatever is no letter, between letters and digits, and where a
/// capital begins a word.
std::vector<std::string> pieces_of(std::string_view name) {
  name = without_namespace(name);
  std::vector<std::string> pieces;
  bool inside = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      inside = false;
      continue;
    }
    const char before = inside ? name[i - 1] : '\0';
    const bool next_is_lower = i + 1 < name.size() && is_lower(name[i + 1]);
    const bool begins = !inside || is_digit(c) != is_digit(before) ||
                        (is_upper(c) && (is_lower(before) || (is_upper(before) && next_is_lower)));
    if (begins) pieces.emplace_back();
    pieces.back().push_back(lowered(c));
    inside = true;
  }
  return pieces;
}

// --- what one name says ----------------------------------------------------------------------------------------------

struct Claim {
  Word part = Word::unknown;
  BodySide side = BodySide::middle;
  Word phalanx = Word::unknown;      // metacarpal … distal, if a word says so
  std::vector<std::string> numbers;  // those after the part, as written
};

/// "upper" and "lower" with the part that they qualify; unknown where the two make no sense together.
Word qualified(Word part, Word qualifier) {
  if (qualifier == Word::unknown) return part;
  const bool upper = qualifier == Word::upper;
  switch (part) {
    case Word::arm:
      return upper ? Word::upper_arm : Word::forearm;
    case Word::leg:
      return upper ? Word::thigh : Word::shin;
    case Word::back:
      return Word::spine;
    case Word::spine:
    case Word::chest:
    case Word::neck:
    case Word::jaw:
      return part;
    default:
      return Word::unknown;
  }
}

bool is_finger(Word part) { return part >= Word::finger && part <= Word::pinky; }

/// The part that several words together name; unknown where they contradict each other.
Word joined(Word a, Word b) {
  if (a == Word::unknown || a == b) return b;
  if (a == Word::hand && is_finger(b)) return b;
  if (a == Word::finger && is_finger(b)) return b;
  if (b == Word::finger && is_finger(a)) return a;
  if (a == Word::foot && b == Word::toe) return b;
  return Word::unknown;
}

/// Nothing where a word is not known, or says that this is another thing: better no partner than a wrong one.
std::optional<Claim> read_claim(const std::vector<std::string>& pieces) {
  Claim claim;
  Word qualifier = Word::unknown;
  for (const std::string& piece : pieces) {
    if (is_digit(piece.front())) {
      claim.numbers.push_back(piece);
      continue;
    }
    const std::vector<Word> words = words_of(piece);
    if (words.empty()) return std::nullopt;
    for (const Word word : words) {
      if (word == Word::excluded || word == Word::helper) return std::nullopt;
      if (word == Word::left || word == Word::right) {
        const BodySide side = word == Word::left ? BodySide::left : BodySide::right;
        if (claim.side != BodySide::middle && claim.side != side) return std::nullopt;
        claim.side = side;
      } else if (word == Word::upper || word == Word::lower) {
        qualifier = word;
      } else if (word >= Word::metacarpal) {
        claim.phalanx = word;
      } else if (names_part(word)) {
        claim.part = joined(claim.part, word);
        claim.numbers.clear();
        if (claim.part == Word::unknown) return std::nullopt;
      }
    }
  }
  claim.part = qualified(claim.part, qualifier);
  if (claim.part == Word::unknown) return std::nullopt;
  return claim;
}

bool names_helper(const std::vector<std::string>& pieces) {
  for (const std::string& piece : pieces) {
    const std::vector<Word> words = words_of(piece);
    if (std::find(words.begin(), words.end(), Word::helper) != words.end()) return true;
  }
  return false;
}

/// Fewer joints are no reason to take their first word for a prefix.
constexpr std::size_t kMinSharing = 4;

/// The first word of most names, if it says nothing: "gi_L_knee", "gi_head".
std::string shared_prefix(const std::vector<std::vector<std::string>>& names) {
  std::map<std::string, std::size_t> count;
  for (const auto& pieces : names) {
    if (pieces.size() > 1 && !is_digit(pieces[0].front())) ++count[pieces[0]];
  }
  for (const auto& [word, n] : count) {
    if (n >= kMinSharing && 2 * n > names.size() && words_of(word).empty()) return word;
  }
  return {};
}

int to_number(const std::string& digits) {
  int value = 0;
  for (const char c : digits) value = std::min(value * 10 + (c - '0'), 1000000);
  return value;
}

// --- what the joints are together ------------------------------------------------------------------------------------

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
      assign(BodyPart::eye, side, claiming(Word::eye, side));
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
    for (const Joint& joint : joints_) names.push_back(pieces_of(joint.name));
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
  Joints claiming(Word part, BodySide side) const {
    Joints found;
    for (std::size_t j = 0; j < claims_.size(); ++j) {
      if (claims_[j] && claims_[j]->part == part && claims_[j]->side == side) found.push_back(static_cast<Index>(j));
    }
    std::stable_sort(found.begin(), found.end(), [&](Index a, Index b) {
      return depth_[a] != depth_[b] ? depth_[a] < depth_[b] : last_number(a) < last_number(b);
    });
    return found;
  }

  Joints claiming(std::initializer_list<Word> parts, BodySide side) const {
    Joints all;
    for (const Word part : parts) {
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
    for (const Index j : claiming(Word::spine, BodySide::middle)) {
      const auto number = static_cast<std::size_t>(last_number(j));
      if (number >= parts.size()) return false;
      found[number].push_back(j);
    }
    for (const Joints& joints : found) {
      if (joints.empty()) return false;
    }
    // Controls may be named head and neck; a joint of that name that deforms is no Rigify spine.
    for (const Index j : claiming({Word::head, Word::neck, Word::pelvis}, BodySide::middle)) {
      if (joints_[j].deforms) return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) assign(parts[i], BodySide::middle, found[i]);
    number_chain(BodyPart::neck);
    return true;
  }

  void trunk() {
    assign(BodyPart::hips, BodySide::middle, claiming({Word::pelvis, Word::hip}, BodySide::middle));
    assign(BodyPart::head, BodySide::middle, claiming(Word::head, BodySide::middle));
    assign(BodyPart::jaw, BodySide::middle, claiming(Word::jaw, BodySide::middle));
    Joints necks = deforming_if_any(claiming(Word::neck, BodySide::middle));
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
    const Joints all = deforming_if_any(claiming({Word::spine, Word::chest}, BodySide::middle));
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
    const auto is_chest = [&](Index j) { return claims_[j] && claims_[j]->part == Word::chest; };
    std::stable_sort(chain.begin(), chain.end(), [&](Index a, Index b) {
      if (depth_[a] != depth_[b]) return depth_[a] < depth_[b];
      if (is_chest(a) != is_chest(b)) return is_chest(b);
      return last_number(a) < last_number(b);
    });
    for (std::size_t i = 0; i < chain.size(); ++i) roles_.of[chain[i]].number = static_cast<Index>(i + 1);
  }

  void arm(BodySide side) {
    const Joints shoulders = claiming(Word::shoulder, side);
    const Joints plain = claiming(Word::arm, side);
    Joints uppers = claiming(Word::upper_arm, side);
    if (uppers.empty() && plain.empty()) {
      assign(BodyPart::collar, side, claiming(Word::collar, side));
      uppers = shoulders;
    } else {
      assign(BodyPart::collar, side, claiming({Word::collar, Word::shoulder}, side));
    }
    assign(BodyPart::upper_arm, side, uppers);
    assign(BodyPart::forearm, side, claiming(Word::forearm, side));
    const Joints hands = claiming(Word::hand, side);
    assign(BodyPart::hand, side, hands.empty() ? claiming(Word::palm, side) : hands);
    fill(plain, side, {BodyPart::upper_arm, BodyPart::forearm, BodyPart::hand});
    drop_strangers({BodyPart::upper_arm, BodyPart::forearm, BodyPart::hand}, side);
  }

  void leg(BodySide side) {
    Joints thighs = claiming(Word::thigh, side);
    // Without a thigh, "LeftHip" is where the leg begins; with one it lies between (CMU's LHipJoint).
    if (thighs.empty() && side != BodySide::middle) thighs = claiming(Word::hip, side);
    assign(BodyPart::thigh, side, thighs);
    assign(BodyPart::shin, side, claiming(Word::shin, side));
    assign(BodyPart::foot, side, claiming(Word::foot, side));
    assign(BodyPart::toes, side, claiming(Word::toe, side));
    fill(claiming(Word::leg, side), side, {BodyPart::thigh, BodyPart::shin, BodyPart::foot, BodyPart::toes});
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
    const auto add = [&](Word word, BodyPart part) {
      for (const Index j : claiming(word, side)) by_finger[part].push_back(j);
    };
    add(Word::thumb, BodyPart::thumb);
    add(Word::index, BodyPart::index);
    add(Word::middle, BodyPart::middle);
    add(Word::ring, BodyPart::ring);
    add(Word::pinky, BodyPart::pinky);
    numbered_fingers(side, by_finger);
    for (auto& [part, joints] : by_finger) finger(part, side, joints);
  }

  /// "Finger0, Finger01 …" (Biped), "finger1-1 …" (MakeHuman): counted from the thumb, or from the index finger if the
  /// thumb has a name of its own.
  void numbered_fingers(BodySide side, std::map<BodyPart, Joints>& by_finger) const {
    std::map<int, Joints> by_number;
    for (const Index j : claiming(Word::finger, side)) {
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
      const bool in_palm = claims_[j]->phalanx == Word::metacarpal && part != BodyPart::thumb;
      set(j, part, side, in_palm ? 0 : number);
      if (!in_palm) ++number;
    }
  }

  std::pair<Word, int> rank(Index j) const { return {claims_[j]->phalanx, last_number(j)}; }

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
    const std::vector<std::string> pieces = pieces_of(joints_[j].name);
    return joints_[j].parent == kNone || std::find(pieces.begin(), pieces.end(), "root") != pieces.end();
  }

  const std::vector<Joint>& joints_;
  std::vector<std::optional<Claim>> claims_;  // #J
  std::vector<int> depth_;                    // #J
  JointRoles roles_;
};

}  // namespace

JointRoles joint_roles(const Skeleton& skeleton) { return RoleFinder(skeleton).run(); }

bool is_detail(BodyPart part) {
  return part == BodyPart::jaw || part == BodyPart::eye || (part >= BodyPart::thumb && part <= BodyPart::pinky);
}

bool is_chain(BodyPart part) { return part == BodyPart::spine || part == BodyPart::neck; }

std::string simplified_name(std::string_view name) {
  std::string out;
  for (const char c : without_namespace(name)) {
    if (c != ' ' && c != '_' && c != '-' && c != '.') out.push_back(lowered(c));
  }
  return out;
}

}  // namespace isochor
