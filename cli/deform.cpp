/// isochor deform IN -o OUT: the character in motion, or still in one pose.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "commands.h"
#include "isochor/bake/rest_offsets.h"
#include "isochor/base/error.h"
#include "isochor/deform/playback.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"
#include "isochor/io/load.h"
#include "isochor/io/obj.h"
#include "options.h"
#include "posing.h"
#include "session.h"
#include "volume_track.h"

namespace isochor::cli {
namespace {

struct Deform {
  std::filesystem::path file;
  std::filesystem::path output;
  bool overwrite = false;
  Posing posing;
  Deformer deformer = Deformer::lbs;
  double fps = 0;
  std::optional<double> max_volume_error;
};

/// The glTF to write, and which vertices of the character its vertices are.
struct Target {
  GltfSource source;
  std::vector<std::vector<Index>> vertex;  // by part; empty: the same vertices
};

/// The input's own document where there is one, so that all else in it survives; a fresh one otherwise.
Target make_target(const PosedInput& input) {
  const Loaded& loaded = input.loaded;
  if (!loaded.gltf) {
    GltfWritten written = write_gltf(loaded.character);
    return {std::move(written.source), std::move(written.vertex)};
  }
  Target target{*loaded.gltf, {}};
  if (input.motion_clip != kNone) add_clip(target.source, loaded.character.clips[input.motion_clip]);
  return target;
}

std::vector<Vec3> in_file_order(const Target& target, std::size_t part, std::span<const Vec3> values) {
  if (target.vertex.empty() || values.empty()) return {values.begin(), values.end()};
  std::vector<Vec3> result;
  for (const Index v : target.vertex[part]) result.push_back(values[v]);
  return result;
}

bool has_extension(const std::filesystem::path& path, const char* extension) { return path.extension() == extension; }

/// One frame of a part that linear blend skinning alone would not show, as offsets in the rest pose.
RestOffsets offsets_from_lbs(const Character& character, std::size_t p, const Pose& pose, const PosedPart& wanted,
                             const Context& context) {
  const Part& part = character.parts[p];
  const auto matrices = skin_matrices(part.skin, global_transforms(character.skeleton, pose));
  std::vector<Mat34> maps(part.surface.vertex_count());
  const PosedPart rest = morphed_part(part, pose);
  vertex_maps(Deformer::lbs, {rest.positions, part.weights}, matrices, maps, context);
  return rest_offsets({.maps = maps,
                       .rest = rest.positions,
                       .target = wanted.positions,
                       .rest_normals = rest.normals,
                       .target_normals = wanted.normals});
}

/// What a run over clips leaves: volumes for the report, and frames to bake where LBS alone is not enough.
struct Motion {
  std::vector<VolumeSample> samples;
  std::vector<std::vector<MorphFrames>> frames;  // by part, then by clip; empty for lbs
  double max_residual = 0;
};

void bake_frame(const Playback& playback, const Playback::Frame& frame, const Pose& pose, Motion& motion,
                const Context& context) {
  const Character& character = playback.character();
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (!character.parts[p].skinned()) continue;
    RestOffsets offsets = offsets_from_lbs(character, p, pose, frame.parts[p], context);
    motion.max_residual = std::max(motion.max_residual, offsets.max_residual);
    MorphFrames& baked = motion.frames[p].back();
    // Importers look targets up by name, so each needs one of its own.
    const std::string name = character.clips[baked.clip].name + "." + std::to_string(baked.frames.size());
    baked.frames.push_back({name, std::move(offsets.positions), std::move(offsets.normals)});
  }
}

Motion play_clips(const Playback& playback, const std::vector<Index>& clips, const Deform& options, Session& session) {
  const Character& character = playback.character();
  Motion motion;
  motion.frames.resize(character.parts.size());
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const Clip& clip = character.clips[clips[i]];
    const auto times = frame_times(clip, options.fps);
    for (auto& frames : motion.frames) frames.push_back({clips[i], times, {}});
    for (std::size_t k = 0; k < times.size(); ++k) {
      session.context().progress("skin",
                                 (static_cast<double>(i) + static_cast<double>(k) / static_cast<double>(times.size())) /
                                     static_cast<double>(clips.size()));
      const StageTimer timer(session.context(), "skin");
      const Pose pose = sample(clip, character.skeleton, times[k]);
      const auto frame = playback.pose(pose, options.deformer, session.context());
      motion.samples.push_back(sample_volume(playback, frame, times[k]));
      if (options.deformer != Deformer::lbs) bake_frame(playback, frame, pose, motion, session.context());
    }
  }
  session.context().progress("skin", 1);
  return motion;
}

void write_motion(const PosedInput& input, const Motion& motion, const Deform& options, Session& session) {
  if (has_extension(options.output, ".obj")) {
    throw_bad_input("an OBJ file cannot hold a motion; write .glb or .gltf, or give --time or --pose");
  }
  const StageTimer timer(session.context(), "write");
  Target target = make_target(input);
  std::size_t targets = 0;
  if (options.deformer != Deformer::lbs) {
    for (std::size_t p = 0; p < motion.frames.size(); ++p) {
      if (!input.loaded.character.parts[p].skinned()) continue;
      std::vector<MorphFrames> clips = motion.frames[p];
      for (MorphFrames& clip : clips) {
        targets += clip.frames.size();
        for (MorphTarget& frame : clip.frames) {
          frame.positions = in_file_order(target, p, frame.positions);
          frame.normals = in_file_order(target, p, frame.normals);
        }
      }
      add_morph_frames(target.source, static_cast<Index>(p), clips);
    }
  }
  target.source.document.save(options.output);
  if (options.deformer != Deformer::lbs) {
    session.report()["bake"] = {{"targets", targets}, {"max_position_error", motion.max_residual}};
  }
}

void write_still(const PosedInput& input, const Playback::Frame& frame, const Deform& options, Session& session) {
  const StageTimer timer(session.context(), "write");
  const Character& character = input.loaded.character;
  if (has_extension(options.output, ".obj")) {
    std::vector<ObjPart> parts;
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      parts.push_back({&character.parts[p], frame.parts[p].positions, frame.parts[p].normals});
    }
    write_obj(options.output, parts, character.materials);
    return;
  }
  Target target = make_target(input);
  std::vector<PosedPart> posed;
  for (std::size_t p = 0; p < frame.parts.size(); ++p) {
    posed.push_back(
        {in_file_order(target, p, frame.parts[p].positions), in_file_order(target, p, frame.parts[p].normals)});
  }
  make_still(target.source, posed);
  target.source.document.save(options.output);
}

void check_extension(const std::filesystem::path& output) {
  for (const char* known : {".glb", ".gltf", ".obj"}) {
    if (has_extension(output, known)) return;
  }
  throw_bad_input("the output " + output.string() + " must end in .glb, .gltf or .obj");
}

double report_volume(const Playback& playback, std::span<const VolumeSample> samples, Session& session) {
  double worst = 0;
  std::size_t measured = 0;
  for (std::size_t c = 0; c < playback.rest_volumes().size(); ++c) {
    worst = std::max(worst, max_error(samples, c));
    measured += playback.has_volume(c) ? 1 : 0;
  }
  session.report()["volume"] = {{"components", components_json(playback, samples)}, {"max_error_after", worst}};
  session.print(count(samples.size(), "frame") + ", " + count(measured, "component") +
                " with a volume; the largest change of a volume is " + number(100 * worst) + " %");
  return worst;
}

int deform(const Deform& options, Session& session) {
  check_extension(options.output);
  check_output(options.output,
               {.inputs = {options.file, options.posing.skeleton, options.posing.motion, options.posing.pose},
                .overwrite = options.overwrite});
  Json& report = session.report();
  report["options"]["deformer"] = enum_name(options.deformer);
  report["options"]["fps"] = options.fps;
  const PosedInput input = load_posed(options.file, options.posing, session);
  const Character& character = input.loaded.character;
  const bool bound =
      std::any_of(character.parts.begin(), character.parts.end(), [](const Part& p) { return p.skinned(); });
  const bool carried =
      std::any_of(character.parts.begin(), character.parts.end(), [](const Part& p) { return p.node != kNone; });
  if (character.vertex_count() == 0) throw_bad_input(options.file.string() + " has no mesh");
  if (!bound && !options.posing.skeleton.empty())
    throw_bad_input("the rig brings no weights: nothing follows its joints");
  if (!bound && !carried) throw_bad_input(options.file.string() + " has no joints: nothing can move it");
  const Playback playback(character);
  std::vector<VolumeSample> samples;
  if (const auto pose = still_pose(input, options.posing)) {
    Playback::Frame frame;
    {
      const StageTimer timer(session.context(), "skin");
      frame = playback.pose(*pose, options.deformer, session.context());
    }
    samples.push_back(sample_volume(playback, frame, options.posing.time.value_or(0)));
    write_still(input, frame, options, session);
  } else {
    const auto clips = chosen_clips(input, options.posing);
    if (clips.empty())
      throw_bad_input(options.file.string() + " has no clip; give --motion, or --pose for a still character");
    const Motion motion = play_clips(playback, clips, options, session);
    samples = motion.samples;
    write_motion(input, motion, options, session);
  }
  report["frames"] = samples.size();
  report["vertices"] = character.vertex_count();
  session.context().add_seconds("correct", 0);
  const double worst = report_volume(playback, samples, session);
  session.print(options.output.string() + " written");
  if (options.max_volume_error && !(worst <= *options.max_volume_error)) {
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
  command.add_option("-o,--output", options->output, "the file to write: .glb or .gltf; .obj for one pose")
      ->type_name("FILE")
      ->required();
  command.add_flag("--overwrite", options->overwrite, "allow the output to be the input");
  add_posing_options(command, options->posing);
  add_enum_option(
      command, options->deformer,
      {.name = "deformer", .help = "how the skin follows the joints; dqs is baked as one morph target a frame"},
      "Deformer");
  command.add_option("--fps", options->fps, "frames a second to evaluate (0 to 1000; default 0: the clip's own keys)")
      ->type_name("N")
      ->check(CLI::Range(0.0, 1000.0).description(""))
      ->group("Deformer");
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
