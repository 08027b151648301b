#pragma once

/// A motion carried over from one skeleton to another, joint by joint, as their names say.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/base/options.h"
#include "isochor/rig/clip.h"

namespace isochor {

/// Source name -> target name; an empty target leaves the source joint out.
using JointNameMap = std::vector<std::pair<std::string, std::string>>;

/// Why two joints are a pair.
enum class MatchedBy {
  map,       ///< the caller's map says so
  name,      ///< equal names
  spelling,  ///< names equal but for case, separators and a prefix
  part,      ///< names that mean the same part of the body in two conventions
};
template <>
struct EnumNames<MatchedBy> {
  static constexpr std::array names{"map", "name", "spelling", "part"};
};

struct JointPair {
  Index source = kNone;
  Index target = kNone;
  MatchedBy by = MatchedBy::name;

  bool operator==(const JointPair&) const = default;
};

/// Pairs by `names` first; then by equal names; then by names equal but for case, separators (space _ - .) and a prefix
/// that ends in ':' or '|' ("mixamorig:LeftArm" fits "left_arm"), where only one joint on each side has that name; then
/// by the part of the body that the names mean ("mixamorig:LeftUpLeg", "thigh_l": rig/joint_names.h). Equal names that
/// mean different parts are no pair: LeftShoulder is a collar bone here, an upper arm there. Spines and necks of
/// different length are paired end to end, the joints between by their place. No joint is in two pairs. Ordered by
/// target. Throws Error(bad_input) if `names` mentions a joint that its skeleton does not have, or the same target
/// twice.
std::vector<JointPair> match_joints(const Skeleton& source, const Skeleton& target, const JointNameMap& names = {});

/// How much of a motion finds its place on a character. Fingers, eyes and jaw do not count, nor do the surplus and the
/// helpers of joint_roles(), unless there is nothing else: many motions and many characters do without.
struct MatchCount {
  std::size_t moving = 0;             ///< joints that the motion moves; all of its joints if it moves none
  std::size_t moving_matched = 0;     ///< those of them with a partner
  std::size_t deforming = 0;          ///< joints that deform the character; all of its joints if none does
  std::size_t deforming_matched = 0;  ///< those of them with a partner

  /// More than half of the motion is shown, or more than half of the character is moved. A motion of three joints for a
  /// trunk is enough for an elephant, and a body's motion for a figure of three joints; three joints of a body's motion
  /// on three joints of a body are not. Between eleven human rigs, 55 % and more of one of the two match; of a
  /// human's motion on animals that are not rigged with a human's names, 48 % at most.
  bool enough() const { return 2 * moving_matched > moving || 2 * deforming_matched > deforming; }
};

/// Too few joints match (MatchCount::enough()). The sentence gives the numbers, and the first joints without a partner;
/// what the user can do about it depends on the program, which may add it: give a JointNameMap.
class TooFewMatches : public Error {
 public:
  /// Names of joints without a partner: those that the motion moves, those that deform the character.
  TooFewMatches(const MatchCount& count, const std::vector<std::string>& of_motion,
                const std::vector<std::string>& of_character);
  const MatchCount& count() const { return count_; }

 private:
  MatchCount count_;
};

/// Which pose of the source corresponds to the target's rest pose.
enum class SourceRest {
  skeleton,     ///< the source's own rest pose
  first_frame,  ///< the motion's first frame (the CMU recordings begin with a T-pose)
};
template <>
struct EnumNames<SourceRest> {
  static constexpr std::array names{"skeleton", "first-frame"};
};

/// Whether rest poses that differ (arms stretched out, arms hanging) are brought together before the motion is carried
/// over.
enum class BoneAlignment {
  off,  ///< a joint turns by as much as the source's joint does: right if both rest poses look alike
  on,   ///< bones point where the source's bones point
};
template <>
struct EnumNames<BoneAlignment> {
  static constexpr std::array names{"off", "on"};
};

/// Where the character's topmost joints begin.
enum class RootPlacement {
  as_recorded,  ///< as far from their rest as the source's are from theirs
  at_rest,      ///< at their rest position in the first frame
};
template <>
struct EnumNames<RootPlacement> {
  static constexpr std::array names{"as-recorded", "at-rest"};
};

/// How the source's world is turned into the target's.
enum class SourceAxes { as_target, z_up_to_y_up, y_up_to_z_up };
template <>
struct EnumNames<SourceAxes> {
  static constexpr std::array names{"as-target", "z-up-to-y-up", "y-up-to-z-up"};
};

struct RetargetOptions {
  SourceRest source_rest = SourceRest::skeleton;
  BoneAlignment alignment = BoneAlignment::on;
  double align_from = 0.14;
  RootPlacement placement = RootPlacement::as_recorded;
  SourceAxes source_axes = SourceAxes::as_target;
  double scale = 0;
  double fps = 0;
  JointNameMap names;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, RetargetOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.source_rest, FieldInfo{.name = "motion-rest",
                                       .help = "the pose of the motion that corresponds to the character's rest pose"});
  visit(options.alignment, FieldInfo{.name = "motion-align",
                                     .help = "point bones where the motion's bones point, whatever the two rest poses",
                                     .expert = true});
  visit(options.align_from,
        FieldInfo{.name = "motion-align-from",
                  .help = "bones shorter than this are not turned by themselves: they follow, or keep their rest",
                  .unit = "of the skeleton's longest chain of bones",
                  .min = 0,
                  .max = 1,
                  .expert = true});
  visit(options.placement,
        FieldInfo{.name = "motion-place",
                  .help = "the character begins where the recording does, or where it stands at rest",
                  .expert = true});
  visit(options.source_axes,
        FieldInfo{
            .name = "motion-axes",
            .help = "which axis of the motion points up: the same as the character's, or another, so that it is turned",
            .expert = true});
  visit(options.scale,
        FieldInfo{
            .name = "motion-scale",
            .help =
                "factor on the motion's translations; higher: longer steps (0: the ratio of the two skeletons' sizes)",
            .min = 0,
            .max = 1e6,
            .expert = true});
  visit(options.fps,
        FieldInfo{.name = "motion-fps",
                  .help = "frames taken from the motion; higher: nearer to it, a larger file (0: its own key times)",
                  .unit = "1/s",
                  .min = 0,
                  .max = 1000,
                  .expert = true});
}

struct Retargeted {
  Clip clip;                            ///< for the target skeleton; linear keys
  std::vector<JointPair> matched;       ///< ordered by target
  MatchCount count;                     ///< what the rule for too few matches looks at
  std::vector<Index> unmatched_source;  ///< joints of the source that move and drive nothing, increasing
  std::vector<Index> unmatched_target;  ///< joints of the target that deform and stay at rest, increasing
  double scale = 1;                     ///< applied to translations
  Problems problems;                    ///< the same in words
};

/// World-space turns of the source's joints away from its rest are given to the matched joints of the target, parents
/// first; joints without a partner keep their rest transform relative to their parent. The topmost matched joints and
/// the hips also get the source's translation away from its rest, scaled; a foot or hand that does not hang from its
/// limb is held at the end of it. Onto its own skeleton a motion comes back as it was (as far as rotations and these
/// translations go). y is up unless `source_axes` says that the target's z is. Throws TooFewMatches, unless
/// `options.names` pairs joints: then the caller has decided; Error(bad_input) if no joint matches at all.
Retargeted retarget(const Skeleton& source, const Clip& motion, const Skeleton& target,
                    const RetargetOptions& options = {});

}  // namespace isochor
