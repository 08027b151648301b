#include "rig/joint_words.h"

#include <algorithm>
#include <array>
#include <map>

namespace isochor {
namespace {

struct Entry {
  JointWord word;
  std::string_view texts;  // separated by blanks
};

/// The vocabulary of the conventions. A single letter counts only where it stands alone, not in words run together.
constexpr std::array kVocabulary{
    Entry{JointWord::left, "left l"},
    Entry{JointWord::right, "right r"},
    Entry{JointWord::upper, "upper up"},
    Entry{JointWord::lower, "lower low lo fore"},
    Entry{JointWord::pelvis, "hips pelvis"},
    Entry{JointWord::hip, "hip"},
    Entry{JointWord::spine, "spine torso abdomen waist"},
    Entry{JointWord::chest, "chest thorax"},
    Entry{JointWord::back, "back"},
    Entry{JointWord::neck, "neck"},
    Entry{JointWord::head, "head"},
    Entry{JointWord::jaw, "jaw"},
    Entry{JointWord::eye, "eye"},
    // Arms and legs are named by their bones, or by the joints at which these begin.
    Entry{JointWord::collar, "clavicle collar scapula"},
    Entry{JointWord::shoulder, "shoulder shldr"},
    Entry{JointWord::arm, "arm"},
    Entry{JointWord::upper_arm, "humerus"},
    Entry{JointWord::forearm, "elbow"},
    Entry{JointWord::hand, "hand wrist"},
    Entry{JointWord::palm, "palm"},
    Entry{JointWord::leg, "leg"},
    Entry{JointWord::thigh, "thigh femur"},
    Entry{JointWord::shin, "shin calf knee"},
    Entry{JointWord::foot, "foot ankle"},
    Entry{JointWord::toe, "toe toes ball"},
    Entry{JointWord::finger, "finger"},
    Entry{JointWord::thumb, "thumb"},
    Entry{JointWord::index, "index"},
    Entry{JointWord::middle, "middle mid"},
    Entry{JointWord::ring, "ring"},
    Entry{JointWord::pinky, "pinky pinkie little"},
    Entry{JointWord::metacarpal, "metacarpal"},
    Entry{JointWord::proximal, "proximal"},
    Entry{JointWord::intermediate, "intermediate"},
    Entry{JointWord::distal, "distal"},
    Entry{JointWord::filler, "joint jnt bone base bend phalanx skeleton mixamorig bip def org adj face b c f j m"},
    Entry{JointWord::helper, "twist roll end tip leaf nub top ik fk mch pole target control ctrl"},
    // Animals have two pairs of legs.
    Entry{JointWord::excluded, "front hind rear forehead"},
};

bool names_part(JointWord word) { return word > JointWord::part_first && word < JointWord::part_last; }

JointWord look_up(std::string_view text) {
  for (const Entry& entry : kVocabulary) {
    std::string_view rest = entry.texts;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (word == text) return entry.word;
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  return JointWord::unknown;
}

/// No word of the vocabulary is run together with so many others; keeps hostile names from recursing deeply.
constexpr std::size_t kMaxRunTogether = 64;

/// Words run together ("leftforearm"), the longest first at each place; empty where the text is not made of them
/// altogether.
std::vector<JointWord> split_words(std::string_view text) {
  if (text.size() < 2 || text.size() > kMaxRunTogether) return {};
  for (std::size_t length = text.size(); length >= 2; --length) {
    const JointWord first = look_up(text.substr(0, length));
    if (first == JointWord::unknown) continue;
    if (length == text.size()) return {first};
    std::vector<JointWord> rest = split_words(text.substr(length));
    if (rest.empty()) continue;
    rest.insert(rest.begin(), first);
    return rest;
  }
  return {};
}

/// What a piece of a name says; empty where it says nothing that we know.
std::vector<JointWord> words_of(std::string_view piece) {
  if (piece.size() > 1) return split_words(piece);
  const JointWord letter = look_up(piece);
  return letter == JointWord::unknown ? std::vector<JointWord>() : std::vector<JointWord>{letter};
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

/// Fewer joints are no reason to take their first word for a prefix.
constexpr std::size_t kMinSharing = 4;

/// "upper" and "lower" with the part that they qualify; unknown where the two make no sense together.
JointWord qualified(JointWord part, JointWord qualifier) {
  if (qualifier == JointWord::unknown) return part;
  const bool upper = qualifier == JointWord::upper;
  switch (part) {
    case JointWord::arm:
      return upper ? JointWord::upper_arm : JointWord::forearm;
    case JointWord::leg:
      return upper ? JointWord::thigh : JointWord::shin;
    case JointWord::back:
      return JointWord::spine;
    case JointWord::spine:
    case JointWord::chest:
    case JointWord::neck:
    case JointWord::jaw:
      return part;
    default:
      return JointWord::unknown;
  }
}

bool is_finger(JointWord part) { return part >= JointWord::finger && part <= JointWord::pinky; }

/// The part that several words together name; unknown where they contradict each other.
JointWord joined(JointWord a, JointWord b) {
  if (a == JointWord::unknown || a == b) return b;
  if (a == JointWord::hand && is_finger(b)) return b;
  if (a == JointWord::finger && is_finger(b)) return b;
  if (b == JointWord::finger && is_finger(a)) return a;
  if (a == JointWord::foot && b == JointWord::toe) return b;
  return JointWord::unknown;
}

}  // namespace

std::vector<std::string> name_pieces(std::string_view name) {
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

std::optional<NameClaim> read_claim(const std::vector<std::string>& pieces) {
  NameClaim claim;
  JointWord qualifier = JointWord::unknown;
  for (const std::string& piece : pieces) {
    if (is_digit(piece.front())) {
      claim.numbers.push_back(piece);
      continue;
    }
    const std::vector<JointWord> words = words_of(piece);
    if (words.empty()) return std::nullopt;
    for (const JointWord word : words) {
      if (word == JointWord::excluded || word == JointWord::helper) return std::nullopt;
      if (word == JointWord::left || word == JointWord::right) {
        const BodySide side = word == JointWord::left ? BodySide::left : BodySide::right;
        if (claim.side != BodySide::middle && claim.side != side) return std::nullopt;
        claim.side = side;
      } else if (word == JointWord::upper || word == JointWord::lower) {
        qualifier = word;
      } else if (word >= JointWord::metacarpal) {
        claim.phalanx = word;
      } else if (names_part(word)) {
        claim.part = joined(claim.part, word);
        claim.numbers.clear();
        if (claim.part == JointWord::unknown) return std::nullopt;
      }
    }
  }
  claim.part = qualified(claim.part, qualifier);
  if (claim.part == JointWord::unknown) return std::nullopt;
  return claim;
}

bool names_helper(const std::vector<std::string>& pieces) {
  for (const std::string& piece : pieces) {
    const std::vector<JointWord> words = words_of(piece);
    if (std::find(words.begin(), words.end(), JointWord::helper) != words.end()) return true;
  }
  return false;
}

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

std::string simplified_name(std::string_view name) {
  std::string out;
  for (const char c : without_namespace(name)) {
    if (c != ' ' && c != '_' && c != '-' && c != '.') out.push_back(lowered(c));
  }
  return out;
}

}  // namespace isochor
