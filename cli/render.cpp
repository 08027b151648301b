/// isochor render FILE -o OUT.png: a picture, headless.

#include "isochor/render/render.h"

#include <CLI/CLI.hpp>

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/render/film_strip.h"
#include "isochor/render/png.h"
#include "isochor/render/voxel_scene.h"
#include "medial_options.h"
#include "options.h"
#include "posing.h"
#include "session.h"

namespace isochor::cli {
namespace {

struct Render {
  std::filesystem::path file;
  std::filesystem::path output;
  Posing posing;
  StripOptions strip;
  RenderOptions picture;
  std::vector<std::string> views;
  int frames = 1;
  VoxelPicture inside;
  std::optional<MedialColor> medial;
  MedialArguments medial_options;
  const CLI::App* command = nullptr;
};

/// The angles of a camera are those of the view custom: given alone, they choose it.
RenderOptions picture_of(const Render& options) {
  RenderOptions picture = options.picture;
  for (const char* angle : {"--azimuth", "--elevation"}) {
    if (options.command->count(angle) == 0) continue;
    const auto& views = options.views;
    const bool other = views.empty() ? options.command->count("--view") > 0 && picture.camera.view != View::custom
                                     : std::find(views.begin(), views.end(), enum_name(View::custom)) == views.end();
    if (other) throw_bad_input(std::string(angle) + " is for --view custom; the view that is asked for has its own");
    if (views.empty()) picture.camera.view = View::custom;
  }
  return picture;
}

std::vector<View> parse_views(const std::vector<std::string>& names) {
  std::vector<View> views;
  for (const std::string& name : names) {
    const auto view = parse_enum<View>(name);
    if (!view) throw_bad_input("there is no view " + name + "; choose from " + enum_choices<View>());
    views.push_back(*view);
  }
  return views;
}

/// The poses to show: the one asked for, several of a clip, or the rest pose.
std::vector<StripMoment> moments(const PosedInput& input, const Render& options) {
  const Character& character = input.loaded.character;
  if (const auto pose = still_pose(input, options.posing)) return {{*pose, ""}};
  const auto clips = chosen_clips(input, options.posing);
  const bool wants_clip = !options.posing.clip.empty() || input.motion_clip != kNone || options.frames > 1;
  if (!wants_clip) return {{rest_pose(character.skeleton), ""}};
  if (clips.empty()) throw_bad_input("--frames needs a clip, and the file has none");
  const Clip& clip = character.clips[clips.front()];
  std::vector<StripMoment> result;
  for (const double time : even_times(clip, options.frames)) {
    result.push_back({sample(clip, character.skeleton, time), clip.name + ", " + short_number(time, 3) + " s"});
  }
  return result;
}

void report_medial(const MedialScene& made, Session& session) {
  const MedialComplex& complex = made.medial.complex;
  session.report()["medial"] = {{"vertices", complex.vertex_count()},  {"points", complex.points.size()},
                                {"segments", complex.segments.size()}, {"triangles", complex.triangles.size()},
                                {"mean_error", made.mean_error},       {"max_error", made.max_error}};
  session.print("medial: " + count_of(complex.vertex_count(), "vertex") + ", " +
                count_of(complex.segments.size(), "segment") + ", " + count_of(complex.triangles.size(), "triangle") +
                "; its balls are " + short_number(100 * made.mean_error, 2) + " % of the size from the skin, at most " +
                short_number(100 * made.max_error, 2) + " %");
}

PreparedMedial medial_of(const WeldedCharacter& welded, const Render& options, Session& session) {
  return prepared_medial(welded, options.medial_options, options.inside.resolution, session);
}

Scene inside_scene(const WeldedCharacter& welded, const Render& options, RenderOptions& picture, Session& session) {
  if (!options.medial) return voxel_scene(welded, options.inside, picture, session.context());
  if (*options.medial == MedialColor::joint) {
    picture.view_box = bounding_box(welded.rest_space().rest);
    picture.back_faces = BackFaces::same;
    return moved_medial_scene(welded, medial_of(welded, options, session), nullptr, *options.medial);
  }
  MedialScene made = medial_scene(welded,
                                  {.color = *options.medial,
                                   .resolution = options.inside.resolution,
                                   .medial = options.medial_options.options.complex},
                                  picture, session.context());
  report_medial(made, session);
  return std::move(made.scene);
}

/// One picture of the inside, in the shape that was bound.
Image render_inside(const PosedInput& input, const Render& options, const std::vector<View>& views, Session& session) {
  if (views.size() > 1 && !options.medial && options.picture.section != Section::none) {
    throw_bad_input(
        "a section through voxels takes away the half that is nearer to the camera: give one view at a time");
  }
  RenderOptions picture = options.picture;
  if (views.size() == 1) picture.camera.view = views[0];
  const WeldedCharacter welded(input.loaded.character);
  Scene scene = inside_scene(welded, options, picture, session);
  if (options.strip.bones) add_bind_bones(scene, welded);
  return views.size() > 1 ? render_views(scene, views, picture, session.context())
                          : render(scene, picture, session.context()).image;
}

Image render_poses(const PosedInput& input, const Render& options, const std::vector<View>& views, Session& session) {
  const Character& character = input.loaded.character;
  const auto poses = moments(input, options);
  if (!options.posing.pose.empty()) session.add_warnings(check_reach(poses.front().pose, character));
  StripOptions strip = options.strip;
  strip.complex = options.medial;
  strip.views = views;
  std::optional<WeldedCharacter> welded;
  PreparedMedial medial;
  std::optional<MedialOf> by;
  if (options.medial || strip.deformer == Deformer::medial) {
    welded.emplace(character);
    medial = medial_of(*welded, options, session);
    by.emplace(MedialOf{*welded, medial});
  }
  Strip made = render_strip(character, poses, strip, options.picture, session.context(), by);
  for (const std::size_t pairs : made.crossings) {
    session.report()["crossings"].push_back(pairs);
    session.print(count_of(pairs, "pair") + " of faces cross that are apart at rest");
  }
  return std::move(made.image);
}

/// Whether a pose is asked for that is not the one of the bind shape.
bool is_posed(const Render& options) {
  const Posing& posing = options.posing;
  return !posing.clip.empty() || posing.time || !posing.pose.empty() || !posing.motion.empty() || options.frames > 1;
}

int render_file(const Render& given, Session& session) {
  const auto& command = *given.command;
  if (command.count("--section-position") > 0 && command.count("--section") + command.count("--distance") == 0) {
    throw_bad_input("--section-position requires --section");
  }
  Render options = given;
  options.picture = picture_of(given);
  if (CLI::detail::to_lower(options.output.extension().string()) != ".png") {
    throw_bad_input("the output " + options.output.string() + " must end in .png");
  }
  session.claim({.inputs = {options.file, options.posing.skeleton, options.posing.motion, options.posing.motion_map,
                            options.posing.pose},
                 .outputs = {options.output}});
  const bool by_medial = options.medial || options.strip.deformer == Deformer::medial;
  check_medial_options(options.medial_options, by_medial, "--medial or --deformer medial");
  if (by_medial && options.strip.bind_pose)
    throw_bad_input("the bind pose has no deformer; leave --bind-pose or the medial out");
  const auto views = parse_views(options.views);
  const PosedInput input = load_posed(options.file, options.posing, {.keep_baked = true}, session);
  if (input.loaded.character.parts.empty() && !options.strip.bones)
    throw_bad_input(options.file.string() + " has no mesh; --bones draws its skeleton");
  const bool by_joints = options.strip.deformer == Deformer::medial || options.medial == MedialColor::joint;
  if (by_joints && input.loaded.character.skeleton.joints.empty())
    throw_bad_input(options.file.string() + " has no joints: nothing moves its medial");
  report_options(session.report()["options"], options.picture);
  const bool inside = options.inside.wanted() || (options.medial && !is_posed(options));
  const Image image =
      inside ? render_inside(input, options, views, session) : render_poses(input, options, views, session);
  write_png(image, options.output);
  session.print(options.output.string() + ": " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                " px");
  return exit_done;
}

}  // namespace

void add_render(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("render", "a picture of a character, without a window or a graphics card");
  auto options = std::make_shared<Render>();
  options->command = &command;
  command.add_option("FILE", options->file, "a mesh or a character")->required();
  command.add_option("-o,--output", options->output, "the PNG to write")->type_name("FILE")->required();
  add_posing_options(command, options->posing);
  add_enum_option(command, options->strip.deformer, {.name = "deformer", .help = "how the skin follows the joints"},
                  "Pose");
  command.add_flag("--bind-pose", options->strip.bind_pose, "the shape that the skin was bound in")->group("Pose");
  command.add_option("--frames", options->frames, "moments of the clip, side by side (1 to 64; default 1)")
      ->type_name("N")
      ->check(whole_in_range(1, 64))
      ->group("Pose");
  command.add_flag("--follow", options->strip.follow, "frame each moment by itself, instead of all from one place")
      ->group("Picture");
  command.add_option("--views", options->views, "several views side by side: " + enum_choices<View>())
      ->type_name("A,B")
      ->delimiter(',')
      ->group("Picture");
  command.add_flag("--bones", options->strip.bones, "the skeleton over the skin")->group("Picture");
  command
      .add_flag("--crossings", options->strip.crossings,
                "lines where skin passes through skin: pairs of faces that cross and are apart at rest")
      ->group("Picture");
  auto* weights = command.add_option("--weights", options->strip.weights_of,
                                     "colour by the weight of this joint; a pattern that fits several, as '*': each in "
                                     "a colour of its own, blended by the weights");
  weights->type_name("JOINT|GLOB")->group("Picture");
  add_options(command, options->picture, "Picture");
  add_enum_option(command, options->inside.voxels,
                  {.name = "voxels",
                   .help = "the bind shape as voxels: on the surface (blue), inside (red), on bones (yellow); or the "
                           "cells of the octree"},
                  "Inside");
  auto* voxels = command.get_option("--voxels")->excludes(weights);
  auto* distance =
      command
          .add_option("--distance", options->inside.distance,
                      "the distance to this joint through the inside, on the plane of --section (default x)")
          ->type_name("JOINT")
          ->group("Inside")
          ->excludes(weights)
          ->excludes(voxels);
  add_enum_option(
      command, options->medial,
      {.name = "medial",
       .help =
           "the medial complex of the bind shape, or as a pose moves it (docs/medial.md), coloured by the radius of "
           "its balls or by the joints that move it"},
      "Inside");
  command.get_option("--medial")->excludes(weights)->excludes(voxels)->excludes(distance);
  add_medial_options(command, options->medial_options, "Inside");
  command
      .add_option(
          "--resolution", options->inside.resolution,
          "voxels along each side of the cube (a power of two from 8 to 1024, for --medial to 256; default 128)")
      ->type_name("N")
      ->check(whole_in_range(8, 1024))
      ->group("Inside");
  command
      .add_option("--penalty", options->inside.penalty,
                  "higher: distances keep off the skin, as in bind (1 to 100; default 4)")
      ->type_name("N")
      ->check(in_range(1.0, 100.0))
      ->group("Inside");
  // What would be taken without a word and do nothing.
  for (const char* other : {"--time", "--pose", "--bind-pose"}) {
    command.get_option("--frames")->excludes(command.get_option(other));
  }
  command.get_option("--views")->excludes(command.get_option("--view"));
  command.get_option("--wire-width")->needs(command.get_option("--wireframe"));
  command.get_option("--bone-opacity")->needs(command.get_option("--bones"));
  session.add_common_options(command);
  command.callback([options, &session] {
    session.set_action("render", [options, &session] { return render_file(*options, session); });
  });
}

}  // namespace isochor::cli
