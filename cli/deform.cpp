/// isochor deform IN -o OUT: the character in motion, or still in one pose.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "baker.h"
#include "baking.h"
#include "commands.h"
#include "correction.h"
#include "isochor/base/error.h"
#include "isochor/deform/playback.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"
#include "isochor/io/load.h"
#include "isochor/io/obj.h"
#include "isochor/io/volume_settings.h"
#include "options.h"
#include "posing.h"
#include "session.h"

namespace isochor::cli {
namespace {

struct Deform {
  std::filesystem::path file;
  std::filesystem::path output;
  bool overwrite = false;
  Posing posing;
  Deformer deformer = Deformer::lbs;
  double fps = 0;
  CorrectionOptions correction;
  BakeOptions bake;
  std::optional<double> max_volume_error;
};

bool has_extension(const std::filesystem::path& path, const char* extension) { return path.extension() == extension; }

/// Clips to play, and who takes their frames; nobody where a viewer's own skinning shows them.
struct Motion {
  const Character& character;
  const std::vector<Index>& clips;
  CorrectedPlayback& playback;
  Baker* baker = nullptr;
  BetweenKeysOptions between = {};
};

void bake_frame(Baker& baker, const CorrectedPlayback::Frame& frame, const BakeFrame& at, Session& session) {
  const StageTimer timer(session.context(), "bake");
  baker.add(
      {.time = at.time, .pose = at.pose, .parts = frame.parts, .volumes = frame.volumes, .offsets = frame.offsets},
      session.context());
}

/// Keys between those of the clip, where lines from key to key lose volume.
void play_between(const Motion& motion, const Clip& clip, std::span<const double> times, Session& session) {
  const auto pose_at = [&](double time) { return sample(clip, motion.character.skeleton, time); };
  const auto error = [&](double time) {
    const StageTimer timer(session.context(), "between");
    const Pose pose = pose_at(time);
    const CorrectedPlayback::Frame frame = motion.playback.look(pose, time);
    return motion.baker->between({.time = time, .pose = &pose, .parts = frame.parts, .volumes = frame.volumes},
                                 session.context());
  };
  const auto add = [&](double time) {
    const Pose pose = pose_at(time);
    bake_frame(*motion.baker, motion.playback.play(pose, time), {.time = time, .pose = &pose}, session);
  };
  motion.baker->note(add_keys_between(times, motion.between, {.error = error, .add = add}));
}

void play_clip(const Motion& motion, std::size_t i, double fps, Session& session) {
  const Clip& clip = motion.character.clips[motion.clips[i]];
  const auto times = bake_times(clip, fps);
  std::vector<Pose> poses;
  poses.reserve(times.size());
  for (const double time : times) poses.push_back(sample(clip, motion.character.skeleton, time));
  motion.playback.begin(poses);
  if (motion.baker) motion.baker->begin_clip(motion.clips[i]);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double done = static_cast<double>(i) + static_cast<double>(k) / static_cast<double>(times.size());
    session.context().progress("play", done / static_cast<double>(motion.clips.size()));
    const CorrectedPlayback::Frame frame = motion.playback.play(poses[k], times[k]);
    if (motion.baker) bake_frame(*motion.baker, frame, {.time = times[k], .pose = &poses[k]}, session);
  }
  const bool lines = motion.baker && motion.between.volume_error > 0 && !steps_throughout(clip);
  if (lines) play_between(motion, clip, times, session);
}

std::vector<Vec3> pick(std::span<const Vec3> values, std::span<const Index> vertices) {
  std::vector<Vec3> result;
  if (values.empty()) return result;
  result.reserve(vertices.size());
  for (const Index v : vertices) result.push_back(values[v]);
  return result;
}

void write_still(const PosedInput& input, std::span<const PosedPart> parts, const Deform& options, Session& session) {
  const StageTimer timer(session.context(), "write");
  const Character& character = input.loaded.character;
  if (has_extension(options.output, ".obj")) {
    std::vector<ObjPart> obj;
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      obj.push_back({&character.parts[p], parts[p].positions, parts[p].normals});
    }
    write_obj(options.output, obj, character.materials);
    return;
  }
  if (input.loaded.gltf) {
    GltfSource source = *input.loaded.gltf;
    make_still(source, parts);
    source.document.save(options.output);
    return;
  }
  GltfWritten written = write_gltf(character);
  std::vector<PosedPart> posed(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    posed[p] = {pick(parts[p].positions, written.vertex[p]), pick(parts[p].normals, written.vertex[p])};
  }
  make_still(written.source, posed);
  written.source.document.save(options.output);
}

void check_deformed_output(const std::filesystem::path& output) {
  for (const char* known : {".glb", ".gltf", ".obj", ".pc2", ".mdd"}) {
    if (has_extension(output, known)) return;
  }
  throw_bad_input("the output " + output.string() + " must end in .glb, .gltf, .obj, .pc2 or .mdd");
}

double report_volume(const CorrectedPlayback& playback, Session& session) {
  session.report()["volume"] = playback.report();
  session.add_warnings(playback.problems());
  playback.print();
  return playback.worst_error();
}

/// What is left of a run for the report.
struct Outcome {
  std::size_t frames = 0;
  double worst_volume = 0;
};

CorrectionPlan make_plan(const PosedInput& input, const Deform& options, Session& session) {
  CorrectionPlan plan = plan_correction(options.correction, input.loaded.gltf ? &*input.loaded.gltf : nullptr);
  report_plan(session.report()["options"], plan);
  return plan;
}

/// Clips, deformed, baked where linear blend skinning does not show them, and written.
Outcome deform_motion(const PosedInput& input, const std::vector<Index>& clips, Deform options, Session& session) {
  const BakeMode mode = bake_mode(options.bake, options.output);
  if (is_cache(mode) && options.fps == 0) options.fps = kCacheFps;
  WrittenCharacter written = as_written(input, clips);
  CorrectionPlan plan = make_plan(input, options, session);
  if (plan.source != nullptr) plan.source = &written.source;
  const Playback playback(written.character);
  CorrectedPlayback corrected(playback, options.deformer, plan, session);
  Baker baker(playback, mode, options.bake.basis);
  const bool viewers_show_it = options.deformer == Deformer::lbs && !is_cache(mode) && !corrected.on();
  // Point caches have even samples, and --fps says which frames there are.
  if (is_cache(mode) || (options.fps > 0 && !options.bake.between_given)) options.bake.between.volume_error = 0;
  report_options(session.report()["options"], options.bake.between);
  const Motion motion{written.character, written.clips, corrected, viewers_show_it ? nullptr : &baker,
                      options.bake.between};
  for (std::size_t i = 0; i < motion.clips.size(); ++i) play_clip(motion, i, options.fps, session);
  session.context().progress("play", 1);
  if (!options.correction.effects.empty() && plan.on) set_volume_settings(written.source.document, plan.settings);
  if (viewers_show_it) {
    const StageTimer timer(session.context(), "write");
    written.source.document.save(options.output);
  } else {
    session.report()["bake"] = baker.write(std::move(written.source), options.output, session);
  }
  return {corrected.frames(), report_volume(corrected, session)};
}

/// Maps that tell how the skin turned. Those of dual quaternions never flatten it, as linear blending does in a twist;
/// they are not there for a skin that is mirrored in places.
std::vector<Mat34> turning_maps(const SkinnedVertices& vertices, std::span<const Affine> matrices,
                                const Context& context) {
  std::vector<Mat34> maps(vertices.positions.size());
  try {
    vertex_maps(Deformer::dqs, vertices, matrices, maps, context);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    vertex_maps(Deformer::lbs, vertices, matrices, maps, context);
  }
  return maps;
}

/// Normals of a corrected still follow its surface, as those of a baked motion do.
void turn_normals(const Playback& playback, const Pose& pose, std::vector<PosedPart>& parts, const Context& context) {
  const Character& character = playback.character();
  std::vector<PosedPart> rest;
  std::vector<std::span<const Vec3>> from, to;
  for (const Part& part : character.parts) rest.push_back(morphed_part(part, pose));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    from.emplace_back(rest[p].positions);
    to.emplace_back(parts[p].positions);
  }
  const auto turns = SurfaceNormals(character, playback.whole()).turns(from, to);
  const auto global = global_transforms(character.skeleton, pose);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skinned() || parts[p].normals.empty()) continue;
    const auto maps = turning_maps({rest[p].positions, part.weights}, skin_matrices(part.skin, global), context);
    auto turned = normal_offsets({.maps = maps, .rest_normals = rest[p].normals, .turns = turns[p]});
    for (std::size_t v = 0; v < turned.size(); ++v) turned[v] += rest[p].normals[v];
    transform_normals(maps, turned, parts[p].normals);
  }
}

Outcome deform_still(const PosedInput& input, const Pose& pose, const Deform& options, Session& session) {
  if (has_extension(options.output, ".pc2") || has_extension(options.output, ".mdd")) {
    throw_bad_input("a point cache holds a motion; for one pose write .glb, .gltf or .obj");
  }
  const CorrectionPlan plan = make_plan(input, options, session);
  const Playback playback(input.loaded.character);
  CorrectedPlayback corrected(playback, options.deformer, plan, session);
  corrected.begin({&pose, 1});
  CorrectedPlayback::Frame frame = corrected.play(pose, options.posing.time.value_or(0));
  if (corrected.on()) turn_normals(playback, pose, frame.parts, session.context());
  write_still(input, frame.parts, options, session);
  return {corrected.frames(), report_volume(corrected, session)};
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

int deform(const Deform& options, Session& session) {
  check_deformed_output(options.output);
  check_output(options.output, {.inputs = {options.file, options.posing.skeleton, options.posing.motion,
                                           options.posing.pose, options.correction.effects},
                                .overwrite = options.overwrite});
  Json& report = session.report();
  report["options"]["deformer"] = enum_name(options.deformer);
  report["options"]["fps"] = options.fps;
  report_options(report["options"], options.bake.basis);
  const PosedInput input = load_posed(options.file, options.posing, session);
  check_movable(input.loaded.character, options);
  Outcome outcome;
  if (const auto pose = still_pose(input, options.posing)) {
    outcome = deform_still(input, *pose, options, session);
  } else {
    if (has_extension(options.output, ".obj")) {
      throw_bad_input("an OBJ file cannot hold a motion; write .glb or .gltf, or give --time or --pose");
    }
    const auto clips = chosen_clips(input, options.posing);
    if (clips.empty())
      throw_bad_input(options.file.string() + " has no clip; give --motion, or --pose for a still character");
    outcome = deform_motion(input, clips, options, session);
  }
  report["frames"] = outcome.frames;
  report["vertices"] = input.loaded.character.vertex_count();
  session.context().add_seconds("correct", 0);
  session.print(options.output.string() + " written");
  if (options.max_volume_error && !(outcome.worst_volume <= *options.max_volume_error)) {
    session.print("the volume changes by more than --max-volume-error allows");
    return exit_gate_failed;
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
  add_enum_option(command, options->deformer,
                  {.name = "deformer", .help = "how the skin follows the joints; viewers know lbs, so dqs is baked"},
                  "Deformer");
  command
      .add_option("--fps", options->fps,
                  "frames a second to evaluate (0 to 1000; default 0: the clip's own keys; 24 for point caches)")
      ->type_name("N")
      ->check(CLI::Range(0.0, 1000.0).description(""))
      ->group("Deformer");
  add_correction_options(command, options->correction);
  add_bake_options(command, options->bake);
  command
      .add_option("--max-volume-error", options->max_volume_error,
                  "exit with 1 where a component's volume changes by more, relative (0.01: one per cent)")
      ->type_name("E")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group("Gates");
  session.add_common_options(command);
  command.callback(
      [options, &session] { session.set_action("deform", [options, &session] { return deform(*options, session); }); });
}

}  // namespace isochor::cli
