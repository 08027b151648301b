#include "posing.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "isochor/base/error.h"
#include "isochor/io/pose_file.h"
#include "isochor/io/retarget_map.h"
#include "options.h"

namespace isochor::cli {
namespace {

std::string clip_names(const Character& character) {
  std::string names;
  for (const Clip& clip : character.clips) names += (names.empty() ? "" : ", ") + clip.name;
  return names;
}

/// By name, or by number where no clip has that name.
Index find_clip(const Character& character, const std::string& name) {
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    if (character.clips[c].name == name) return static_cast<Index>(c);
  }
  Index index = kNone;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  if (is_number && index >= 0 && static_cast<std::size_t>(index) < character.clips.size()) return index;
  if (character.clips.empty()) throw_bad_input("there is no clip " + name + ": the file has no clip at all");
  throw_bad_input("there is no clip " + name + "; the file has " + clip_names(character));
}

Json names_of(const Skeleton& skeleton, const std::vector<Index>& joints) {
  Json names = Json::array();
  for (const Index j : joints) names.push_back(skeleton.joints[j].name);
  return names;
}

Index add_motion(Character& character, const Posing& posing, Session& session) {
  const Loaded motion = load_character(posing.motion, {.purpose = LoadPurpose::motion}, session.context());
  if (motion.character.clips.empty()) throw_bad_input(posing.motion.string() + " holds no motion");
  RetargetOptions options = posing.retarget;
  if (!posing.motion_map.empty()) options.names = read_retarget_map(posing.motion_map);
  const Skeleton& source = motion.character.skeleton;
  Retargeted result = retarget(source, motion.character.clips.front(), character.skeleton, options);
  result.clip.name = posing.motion.stem().string();

  Json& report = session.report()["motion"];
  report["matched"] = result.matched.size();
  report["scale"] = result.scale;
  report["unmatched_source"] = names_of(source, result.unmatched_source);
  report["unmatched_target"] = names_of(character.skeleton, result.unmatched_target);
  session.print("motion: " + count_of(result.matched.size(), "joint") + " matched, " +
                std::to_string(result.unmatched_source.size()) + " of the motion and " +
                std::to_string(result.unmatched_target.size()) + " of the character without a partner");
  session.add_warnings(result.problems);
  character.clips.push_back(std::move(result.clip));
  return static_cast<Index>(character.clips.size()) - 1;
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
  option("--motion-map", posing.motion_map, "pairs of joint names, if those of the motion differ", "FILE")
      ->needs(motion);
  add_options(command, posing.retarget, "Pose");
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
  if (!posing.clip.empty()) return {find_clip(character, posing.clip)};
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
