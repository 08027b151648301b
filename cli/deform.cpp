/// isochor deform IN -o OUT: the character in motion, or still in one pose.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bake_options.h"
#include "commands.h"
#include "isochor/bake/bake_times.h"
#include "isochor/base/error.h"
#include "isochor/base/words.h"
#include "isochor/io/motion_file.h"
#include "isochor/io/playback.h"
#include "isochor/io/point_cache.h"
#include "isochor/io/refined_file.h"
#include "isochor/io/still_file.h"
#include "medial_options.h"
#include "options.h"
#include "posing.h"
#include "refine_options.h"
#include "session.h"
#include "volume_options.h"

namespace isochor::cli {
namespace {

struct Deform {
  std::filesystem::path file;
  std::filesystem::path output;
  bool overwrite = false;
  Posing posing;
  Deformer deformer = Deformer::lbs;
  MedialArguments medial;
  VolumeArguments volume;
  RefineArguments refine;
  BakeArguments bake;
  std::optional<double> max_volume_error;
};

void check_deformed_output(const std::filesystem::path& output) {
  for (const char* known : {".glb", ".gltf", ".obj", ".pc2", ".mdd"}) {
    if (output.extension() == known) return;
  }
  throw_bad_input("the output " + output.string() + " must end in .glb, .gltf, .obj, .pc2 or .mdd");
}

/// What the deformer needs beyond the weights, for the surface that is played.
void prepare_deformer(const WeldedCharacter& welded, const Deform& options, PlaybackOptions& playback,
                      Session& session) {
  if (options.deformer != Deformer::medial) return;
  playback.medial = std::make_shared<MedialRig>(prepared_medial(welded, options.medial, 0, session).rig);
}

const GltfSource* document_of(const PosedInput& input) {
  return input.loaded.as_read ? &*input.loaded.as_read : nullptr;
}

/// What is played: one set of settings for all that is made of it.
struct Plan {
  PosedInput input;
  std::optional<VolumeSettings> volume;
};

/// The settings are in the report from here on.
void plan_playing(const Deform& options, Plan& plan, Session& session) {
  plan.volume = plan_volume(document_of(plan.input), overrides_of(options.volume));
  session.add_warnings(unused_volume_options(options.volume));
  report_volume_settings(session.report()["options"], plan.volume);
}

/// How a surface is played, with what the deformer needs beyond the weights.
PlaybackOptions playback_on(const WeldedCharacter& welded, const Plan& plan, const Deform& options, Session& session) {
  PlaybackOptions playback = playback_of(document_of(plan.input), welded, plan.volume);
  playback.deformer = options.deformer;
  prepare_deformer(welded, options, playback, session);
  return playback;
}

Json between_json(const BetweenKeys& between) {
  return {{"keys_added", between.added.size()},
          {"max_volume_error", between.max_error.volume},
          {"max_position_error", between.max_error.position},
          {"max_turned_faces", between.max_error.turned},
          {"gaps_beyond", between.gaps_beyond}};
}

/// What was written, and how far its volume is off, at keys or between them.
struct Written {
  VolumeReport volume;
  double max_volume_error = 0;
  std::vector<std::filesystem::path> files;
};

Json twins_json(const BakeResult& baked, const BakeErrors& errors) {
  const TwinFigures& figures = baked.twin_figures;
  const auto share = [](double left, double all) { return all > 0 ? 1 - left / all : 1; };
  return {{"added", baked.twins},
          {"correction", share(errors.left, errors.correction)},
          {"correction_fitted", share(figures.left, figures.correction)},
          {"correction_with_shear", share(figures.left_with_shear, figures.correction)},
          {"unclosed_frames", figures.unclosed},
          {"resting_frames", figures.resting},
          {"turned_faces", errors.turned_faces},
          {"turned_faces_wanted", errors.turned_faces_wanted}};
}

Json driven_json(const DrivenFigures& figures) {
  return {{"correction", figures.correction > 0 ? 1 - figures.left / figures.correction : 1},
          {"mean_volume_error_before", figures.volume_before},
          {"mean_volume_error", figures.volume_left},
          {"max_volume_error", figures.largest_left}};
}

void report_bake(const HeldMotion& motion, const BakeResult& baked, const BakeErrors& errors, Session& session) {
  Json& report = session.report()["bake"];
  report["targets"] = baked.targets;
  if (baked.twins > 0) report["joints"] = twins_json(baked, errors);
  if (!baked.driven_twins.empty()) report["driven"] = driven_json(baked.driven_figures);
  report["bytes"] = baked.bytes;
  report["max_normal_error"] = baked.max_normal_error;
  report["unreached_vertices"] = motion.unreached_vertices;
  if (motion.unreached_vertices > 0) report["max_unreached"] = motion.max_unreached;
  report["keys"] = baked.keys;
  if (motion.between) report["between"] = between_json(*motion.between);
  report["max_position_error"] = errors.max_position_error;
  report["max_volume_error"] = errors.max_volume_error;
  report["max_volume_error_between"] = errors.max_volume_error_between;
  report["max_turned_faces"] = errors.max_turned_faces;
  report["max_turned_faces_between"] = errors.max_turned_faces_between;

  std::string line = baked.twins > 0 ? count_of(baked.twins, "twin joint") + " with " +
                                           percent(1 - errors.left / errors.correction) + " of the correction" +
                                           (baked.targets > 0 ? ", " + count_of(baked.targets, "morph target") : "")
                                     : count_of(baked.targets, "morph target");
  line += ", " + count_of(baked.keys, "key");
  const bool added = motion.between && !motion.between->added.empty();
  if (added) line += " (" + count_of(motion.between->added.size(), "key") + " between those of the clips)";
  session.print(line + ", " + short_number(static_cast<double>(baked.bytes) / 1e6, 3) +
                " MB; played, a volume is off by at most " + percent(errors.max_volume_error) +
                " at keys, half-way between them " + percent(errors.max_volume_error_between));
  session.add_warnings(errors.problems);
}

/// Finer skin where it is corrected, before anything is played.
void refine_input(const std::optional<Pose>& pose, const std::vector<Index>& clips, const Deform& options, Plan& plan,
                  Session& session) {
  if (!options.refine.asked()) return;
  if (!plan.volume) {
    throw_bad_input("--refine makes the skin finer where its volume is corrected, and --volume off corrects nothing");
  }
  const Character& character = plan.input.loaded.character;
  const WeldedCharacter welded(character);
  RefineFor use{.playback = playback_on(welded, plan, options, session), .clips = {}, .by = options.refine.by};
  if (pose) {
    use.clips = {{{options.posing.time.value_or(0), *pose}}};
  } else {
    for (const Index c : clips)
      use.clips.push_back(bake_moments(character.clips[c], character.skeleton, options.bake.fps));
  }
  const RefinedCharacter refined = refine(welded, use, options.refine.options, session.context());
  report_refinement(refined, welded, options.refine, session);
  take_refined(refined, plan.input.loaded);
}

Written deform_to_caches(const Plan& plan, const MotionFileOptions& how, const Deform& options, Session& session) {
  const auto claim = [&](const std::vector<std::filesystem::path>& files) {
    for (const auto& file : files) {
      if (file != options.output) session.claim({.outputs = {file}});
    }
  };
  const MotionCaches made = save_motion_caches(plan.input.loaded, how, options.output, claim, session.context());
  session.add_warnings(made.motion.problems);
  session.report()["bake"] = {{"mode", options.output.extension().string().substr(1)}, {"files", Json::array()}};
  Json& report = session.report()["bake"];
  for (const auto& file : made.files) report["files"].push_back(file.string());
  report["max_volume_error"] = made.errors.max_volume_error;
  report["max_volume_error_between"] = made.errors.max_volume_error_between;
  return {made.motion.volume, std::max(made.errors.max_volume_error, made.errors.max_volume_error_between), made.files};
}

/// Clips, deformed, baked where linear blend skinning does not show them, and written.
Written deform_motion(const Plan& plan, const std::vector<Index>& clips, const Deform& options, Session& session) {
  const BakeMode mode = bake_mode(options.bake, options.output);
  MotionFileOptions how{.clips = clips,
                        .hold = frames_to_hold(options.bake, mode),
                        .bake = {.basis = options.bake.basis, .twins = options.bake.twins},
                        .carry_settings = !options.volume.effects.empty(),
                        .driven = options.bake.driven,
                        .always_check = options.max_volume_error.has_value()};
  how.playback = [&](const WeldedCharacter& welded) { return playback_on(welded, plan, options, session); };
  session.report()["options"]["fps"] = how.hold.fps;
  report_options(session.report()["options"], how.hold.between);
  if (is_cache(mode)) return deform_to_caches(plan, how, options, session);
  how.bake.form = bake_form(mode);
  const MotionFile made = save_motion(plan.input.loaded, how, options.output, session.context());
  session.add_warnings(made.motion.problems);
  session.add_warnings(made.baked.problems);
  Written written{made.motion.volume, made.motion.volume.max_error_after(), {options.output}};
  if (made.errors) {
    written.max_volume_error = std::max(made.errors->max_volume_error, made.errors->max_volume_error_between);
  }
  if (made.motion.shown_by_skinning) return written;
  session.report()["bake"]["mode"] = enum_name(mode);
  report_bake(made.motion, made.baked, made.errors.value(), session);
  return written;
}

/// A character that stands still.
Written deform_still(const Plan& plan, const Pose& pose, const Deform& options, Session& session) {
  if (point_cache_format(options.output)) {
    throw_bad_input("a point cache holds a motion; for one pose write .glb, .gltf or .obj");
  }
  if (options.bake.mode && has_joints(*options.bake.mode)) {
    throw_bad_input("--bake " + enum_name(*options.bake.mode) +
                    " needs a motion; one pose is written as a plain shape");
  }
  const StillFileOptions how{.time = options.posing.time.value_or(0), .playback = [&](const WeldedCharacter& welded) {
                               return playback_on(welded, plan, options, session);
                             }};
  const StillFile made = save_still(plan.input.loaded, pose, how, options.output, session.context());
  session.add_warnings(made.problems);
  return {made.volume, made.max_volume_error, {options.output}};
}

void check_movable(const Character& character, const Deform& options) {
  const auto any = [&](auto&& property) {
    return std::any_of(character.parts.begin(), character.parts.end(), property);
  };
  const bool bound = any([](const Part& p) { return p.skinned(); });
  if (character.vertex_count() == 0) throw_bad_input(options.file.string() + " has no mesh");
  if (!bound && !options.posing.skeleton.empty())
    throw_bad_input("the rig brings no weights: nothing follows its joints");
  if (!bound && !any([](const Part& p) { return p.node != kNone; }))
    throw_bad_input(options.file.string() + " has no joints: nothing can move it");
}

std::vector<Index> motion_clips(const PosedInput& input, const Deform& options) {
  if (options.output.extension() == ".obj") {
    throw_bad_input("an OBJ file cannot hold a motion; write .glb or .gltf, or give --time or --pose");
  }
  std::vector<Index> clips = chosen_clips(input, options.posing);
  if (clips.empty()) {
    throw_bad_input(options.file.string() + " has no clip; give --motion, or --pose for a still character");
  }
  return clips;
}

int deform(const Deform& options, Session& session) {
  check_deformed_output(options.output);
  check_refined_output(options.refine, options.output);
  check_medial_options(options.medial, options.deformer == Deformer::medial, "--deformer medial");
  session.claim({.inputs = {options.file, options.posing.skeleton, options.posing.motion, options.posing.motion_map,
                            options.posing.pose, options.volume.effects},
                 .outputs = {options.output, options.bake.driven},
                 .replaceable = CallFiles::Replaceable{options.file, options.output, options.overwrite}});
  Json& report = session.report();
  report["options"]["deformer"] = enum_name(options.deformer);
  report["options"]["fps"] = options.bake.fps;
  report_options(report["options"], options.bake.basis);
  // What an earlier run baked is made anew, unless the file is only played as a viewer plays it.
  const bool as_it_is = options.volume.mode == VolumeMode::off && options.deformer == Deformer::lbs;
  Plan plan{load_posed(options.file, options.posing, {.keep_baked = as_it_is}, session), {}};
  const PosedInput& input = plan.input;
  check_movable(input.loaded.character, options);
  const std::optional<Pose> pose = still_pose(input, options.posing);
  const std::vector<Index> clips = pose ? std::vector<Index>{} : motion_clips(input, options);
  plan_playing(options, plan, session);
  refine_input(pose, clips, options, plan, session);
  const Written written =
      pose ? deform_still(plan, *pose, options, session) : deform_motion(plan, clips, options, session);
  report["volume"] = volume_json(written.volume, input.loaded.character.skeleton);
  report["volume"]["max_error_written"] = written.max_volume_error;
  print_volume(written.volume, input.loaded.character.skeleton, session);
  report["frames"] = written.volume.frames();
  report["vertices"] = input.loaded.character.vertex_count();
  session.context().add_seconds("correct", 0);
  for (const auto& file : written.files) session.print(file.string() + " written");
  if (options.max_volume_error && !(written.max_volume_error <= *options.max_volume_error)) {
    return session.fail_gate("a volume in what was written is off by " + percent(written.max_volume_error) +
                             ", more than the " + percent(*options.max_volume_error) + " of --max-volume-error");
  }
  return exit_done;
}

}  // namespace

void add_deform(CLI::App& program, Session& session) {
  CLI::App& command = *program.add_subcommand(
      "deform", "play a character's clips, a motion or a pose through a deformer and write the result");
  auto options = std::make_shared<Deform>();
  command.add_option("IN", options->file, "a character")->required();
  command
      .add_option("-o,--output", options->output, "the file to write: .glb or .gltf; .pc2 or .mdd; .obj for one pose")
      ->type_name("FILE")
      ->required();
  command.add_flag("--overwrite", options->overwrite, "allow the output to be the input");
  add_posing_options(command, options->posing);
  add_enum_option(
      command, options->deformer,
      {.name = "deformer", .help = "how the skin follows the joints; viewers know lbs, so the others are baked"},
      "Deformer");
  add_medial_options(command, options->medial, "Deformer");
  add_volume_options(command, options->volume);
  add_refine_options(command, options->refine);
  add_bake_options(command, options->bake);
  command
      .add_option("--max-volume-error", options->max_volume_error,
                  "exit with 1 if a volume in the written file, at keys or between, is off by more (0 to 1000; 0.01: "
                  "one per cent)")
      ->type_name("E")
      ->check(in_range(0, 1000))
      ->group("Gates");
  session.add_common_options(command);
  command.callback(
      [options, &session] { session.set_action("deform", [options, &session] { return deform(*options, session); }); });
}

}  // namespace isochor::cli
