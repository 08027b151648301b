#pragma once

/// Bones as their author meant them. A file names joints; weights are measured from bones, whose ends it does not give.
/// These rules say what is guessed, and a result lists which of them was applied to which joints.

#include <array>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/base/types.h"

namespace isochor {

enum class BoneRule {
  star,      ///< all joints hang from one: each bone reaches the next joint along its axis
  off_axis,  ///< bones lie along +y, and a joint has several children: those beside the axis are not where its bone
             ///< goes
  mirror,    ///< the axis of a leaf points back to where the bone before it came from: the leaf grows the other way
  stop,      ///< a leaf grows no farther than to a joint on its way
  outside,   ///< a leaf that starts outside, or in a thin part, finds the mesh and grows there
  control,   ///< a root or a control moves joints, not the skin: it takes no weight
  end,       ///< a joint at the end of a limb marks where the bone before it ends: it takes no weight
  shell,     ///< a small piece of the mesh that has no joint and sees no bone follows one joint alone
};
template <>
struct EnumNames<BoneRule> {
  static constexpr std::array names{"star", "off-axis", "mirror", "stop", "outside", "control", "end", "shell"};
};

enum class BoneRules { on, off };
template <>
struct EnumNames<BoneRules> {
  static constexpr std::array names{"on", "off"};
};

struct AppliedBoneRule {
  BoneRule rule = BoneRule::star;
  std::vector<Index> joints;  ///< of the skeleton, increasing
};

/// Adds joints to a rule's list.
class AppliedBoneRules {
 public:
  void add(BoneRule rule, Index joint);
  void add(const AppliedBoneRules& others);
  /// By rule, in the order of their names; rules that were applied to nothing are not in it.
  std::vector<AppliedBoneRule> list() const;

 private:
  std::array<std::vector<Index>, EnumNames<BoneRule>::names.size()> joints_;
};

}  // namespace isochor
