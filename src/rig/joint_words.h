#pragma once

/// The words that names of joints are made of, and what one name says by itself. Private to the library; what the
/// joints of a skeleton are together is in rig/joint_names.h.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/joint_names.h"

namespace isochor {

/// What a single word can mean. Those between `part_first` and `part_last` name a part of the body.
enum class JointWord {
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

/// What a name says.
struct NameClaim {
  JointWord part = JointWord::unknown;
  BodySide side = BodySide::middle;
  JointWord phalanx = JointWord::unknown;  // metacarpal … distal, if a word says so
  std::vector<std::string> numbers;        // those after the part, as written
};

/// "LHipJoint01" -> "l", "hip", "joint", "01": cut at whatever is no letter, between letters and digits, and where a
/// capital begins a word.
std::vector<std::string> name_pieces(std::string_view name);

/// Nothing where a word is not known, or says that this is another thing: better no partner than a wrong one.
std::optional<NameClaim> read_claim(const std::vector<std::string>& pieces);

/// One of the words says that this lies beside a part of the body: "twist", "end".
bool names_helper(const std::vector<std::string>& pieces);

/// The first word of most names, if it says nothing: "gi_L_knee", "gi_head".
std::string shared_prefix(const std::vector<std::vector<std::string>>& names);

int to_number(const std::string& digits);

}  // namespace isochor
