#include "posing.h"

#include <CLI/CLI.hpp>
#include <array>

#include "isochor/base/error.h"
#include "isochor/io/motion.h"
#include "isochor/io/pose_file.h"
#include "isochor/io/retarget_map.h"
#include "options.h"

namespace isochor::cli {
namespace {

void report_motion(const BroughtMotion& motion, const Character& character, Session& session) {
  const Retargeted& result = motion.retargeted;
  const std::string& clip = motion.file_clips[motion.taken];
  const auto of_motion = motion.source.names(result.unmatched_source);
  const auto of_character = character.skeleton.names(result.unmatched_target);
  std::array<std::size_t, EnumNames<MatchedBy>::names.size()> by{};
  for (const JointPair& pair : result.matched) ++by[static_cast<std::size_t>(pair.by)];

  Json& report = session.report()["motion"];
  report["clip"] = clip;
  report["clips"] = motion.file_clips;
  report["matched"] = result.matched.size();
  for (std::size_t i = 0; i < by.size(); ++i) report["matched_by"][EnumNames<MatchedBy>::names[i]] = by[i];
  report["scale"] = result.scale;
  report["unmatched_source"] = of_motion;
  report["unmatched_target"] = of_character;

  if (motion.file_clips.size() > 1) {
    session.print("motion: clip " + clip + " of " + std::to_string(motion.file_clips.size()) + ": " +
                  first_names(motion.file_clips));
  }
  session.print("motion: " + count_of(result.matched.size(), "joint") + " matched, " +
                std::to_string(of_motion.size()) + " of the motion and " + std::to_string(of_character.size()) +
                " of the character without a partner");
  if (!of_motion.empty()) session.print("  drives nothing: " + first_names(of_motion));
  if (!of_character.empty()) session.print("  stays at rest: " + first_names(of_character));
  session.add_warnings(result.problems);
}

Index add_motion(Character& character, const Posing& posing, Session& session) {
  MotionOptions options{.clip = posing.motion_clip, .retarget = posing.retarget};
  if (!posing.motion_map.empty()) options.retarget.names = read_retarget_map(posing.motion_map);
  try {
    const BroughtMotion motion = bring_motion(character, posing.motion, options, session.context());
    report_motion(motion, character, session);
    return motion.clip;
  } catch (const TooFewMatches& error) {
    throw_bad_input(posing.motion.string() + ": " + error.what() +
                    "; say which joint is which with --motion-map FILE, in lines SOURCE TARGET");
  }
}

}  // namespace

void add_posing_options(CLI::App& command, Posing& posing) {
  const auto option = [&](const char* name, auto& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type)->group("Pose");
  };
  option("--skeleton", posing.skeleton, "a skeleton for a mesh that has none (rig.txt, TGF, BVH, glTF)", "FILE");
  auto* clip = option("--clip", posing.clip, "the clip, by name or number (default: all)", "NAME");
  auto* time =
      option("--time", posing.time, "one moment of the clip (of the first, where none is named), in seconds", "T")
          ->check(any_number());
  auto* pose = option("--pose", posing.pose, "one pose from a JSON file (docs/cli.md)", "FILE");
  auto* motion =
      option("--motion", posing.motion, "a motion to carry over by joint name (BVH, or a file with a clip)", "FILE");
  option("--motion-clip", posing.motion_clip, "a clip of the motion's file, by name or number (default: the first)",
         "NAME")
      ->needs(motion);
  option("--motion-map", posing.motion_map, "which joint is which, in lines SOURCE TARGET, if names do not say", "FILE")
      ->needs(motion);
  add_options(command, posing.retarget, "Pose");
  describe(posing.retarget, [&](const auto&, const FieldInfo& info) {
    command.get_option(std::string("--") + info.name)->needs(motion);
  });
  pose->excludes(clip)->excludes(time)->excludes(motion);
  motion->excludes(clip);
}

PosedInput load_posed(const std::filesystem::path& file, const Posing& posing, const LoadOptions& options,
                      Session& session) {
  Json& inputs = session.report()["inputs"];
  inputs.push_back(file.string());
  PosedInput input{load_character(file, options, session.context())};
  session.claim({.inputs = input.loaded.files});
  Character& character = input.loaded.character;
  if (!posing.skeleton.empty()) {
    inputs.push_back(posing.skeleton.string());
    attach_skeleton(character, posing.skeleton, session.context());
  }
  session.add_warnings(character.problems);
  if (!posing.motion.empty()) {
    inputs.push_back(posing.motion.string());
    input.motion_clip = add_motion(character, posing, session);
  }
  return input;
}

std::vector<Index> chosen_clips(const PosedInput& input, const Posing& posing) {
  const Character& character = input.loaded.character;
  if (input.motion_clip != kNone) return {input.motion_clip};
  if (!posing.clip.empty()) return {find_clip(character.clips, posing.clip)};
  std::vector<Index> all;
  for (std::size_t c = 0; c < character.clips.size(); ++c) all.push_back(static_cast<Index>(c));
  return all;
}

std::optional<Pose> still_pose(const PosedInput& input, const Posing& posing) {
  const Character& character = input.loaded.character;
  if (!posing.pose.empty()) return read_pose(posing.pose, character.skeleton);
  if (!posing.time) return std::nullopt;
  const auto clips = chosen_clips(input, posing);
  if (clips.empty()) throw_bad_input("--time needs a clip, and the file has none");
  const Clip& clip = character.clips[clips.front()];
  if (!(*posing.time >= clip.start() - 1e-6 && *posing.time <= clip.end() + 1e-6)) {
    throw_bad_input("the clip " + clip.name + " runs from " + short_number(clip.start()) + " to " +
                    short_number(clip.end()) + " s; " + short_number(*posing.time) + " s is outside");
  }
  return sample(clip, character.skeleton, *posing.time);
}

}  // namespace isochor::cli
