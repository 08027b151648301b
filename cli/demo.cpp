/// isochor demo: the embedded characters through everything; GLBs, pictures and a page that shows them.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "commands.h"
#include "compare_weights.h"
#include "correction.h"
#include "html.h"
#include "isochor/base/error.h"
#include "isochor/bind/bind.h"
#include "isochor/deform/playback.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/load.h"
#include "isochor/render/png.h"
#include "isochor/render/sheet.h"
#include "isochor/sample/sample.h"
#include "isochor/version.h"
#include "options.h"
#include "pictures.h"
#include "session.h"

namespace isochor::cli {
namespace {

namespace fs = std::filesystem;

struct Demo {
  fs::path folder = "isochor-demo";
  std::vector<std::string> only;
  int samples = 12;
};

constexpr int kVolumeMoments = 25;
constexpr int kPictures = 4;

std::vector<double> even_times(const Clip& clip, int n) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) times.push_back(clip.start() + clip.duration() * i / (n - 1));
  return times;
}

/// Front, side and three-quarter views at rest, the last one with its polygons and bones.
Image portrait(const Playback& playback, const Demo& options, Session& session) {
  const Character& character = playback.character();
  const Pose rest = rest_pose(character.skeleton);
  Scene scene = scene_of(character, playback.pose(rest, Deformer::lbs, session.context()).parts);
  RenderOptions picture{.width = 380, .height = 380, .samples = options.samples};
  std::vector<Tile> tiles;
  picture.camera.view = View::three_quarter;
  tiles.push_back({render(scene, picture, session.context()).image, "at rest"});
  picture.wireframe = true;
  picture.wire_width = 0.7;
  picture.camera.view = View::left;
  tiles.push_back({render(scene, picture, session.context()).image, "polygons"});
  picture.wireframe = false;
  add_bones(scene, character.skeleton, rest);
  tiles.push_back({render(scene, picture, session.context()).image, "joints"});
  return compose(tiles, {.columns = 3, .label_size = 18});
}

/// What the clips are played by.
struct Variant {
  const char* name;
  Deformer deformer;
  bool holds_volume;
};
constexpr Variant kVariants[] = {
    {"lbs", Deformer::lbs, false}, {"dqs", Deformer::dqs, false}, {"exact volume", Deformer::lbs, true}};

std::vector<CorrectedPlayback::Frame> play(const Playback& playback, const Clip& clip, const Variant& variant,
                                           std::span<const double> times, Session& session) {
  CorrectionPlan plan;
  plan.on = variant.holds_volume;
  CorrectedPlayback player(playback, variant.deformer, plan, session);
  std::vector<CorrectedPlayback::Frame> frames;
  for (const double time : times) {
    frames.push_back(player.play(sample(clip, playback.character().skeleton, time), time));
  }
  return frames;
}

/// A clip from left to right, one row for each variant.
Image film(const Playback& playback, const Clip& clip, const Demo& options, Session& session) {
  const Character& character = playback.character();
  RenderOptions picture{.width = 280, .height = 280, .samples = options.samples};
  picture.frame = box_over_clip(playback, clip, session.context());
  const auto times = even_times(clip, kPictures);
  std::vector<Tile> tiles;
  for (const Variant& variant : kVariants) {
    const auto frames = play(playback, clip, variant, times, session);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Scene scene = scene_of(character, frames[i].parts);
      tiles.push_back({render(scene, picture, session.context()).image,
                       std::string(variant.name) + ", " + number(times[i], 3) + " s"});
    }
  }
  return compose(tiles, {.columns = kPictures, .label_size = 16});
}

/// The character as its sample binds it beside what geodesic voxel binding makes of it: weights, and a moment of a
/// clip.
Image binding_sheet(const Character& own, const Character& bound, const Demo& options, Session& session) {
  RenderOptions picture{.width = 280, .height = 280, .samples = options.samples};
  std::vector<Tile> weights, poses;
  for (const Character* character : {&own, &bound}) {
    const Playback playback(*character);
    const std::string name = character == &own ? "the sample's own" : "gvb";
    const auto parts = playback.pose(rest_pose(own.skeleton), Deformer::lbs, session.context()).parts;
    Scene scene = scene_of(*character, parts);
    show_weights(scene, *character, "*");
    weights.push_back({render(scene, picture, session.context()).image, name});
    if (own.clips.empty()) continue;
    const Clip& clip = own.clips.front();
    const Pose pose = sample(clip, own.skeleton, clip.start() + clip.duration() / 2);
    scene = scene_of(*character, playback.pose(pose, Deformer::lbs, session.context()).parts);
    poses.push_back({render(scene, picture, session.context()).image, name + ", " + clip.name});
  }
  weights.insert(weights.end(), poses.begin(), poses.end());
  return compose(weights, {.columns = 4, .label_size = 16});
}

/// Binds the character anew and shows what came out. The report's entry.
Json show_binding(const Character& own, const Demo& options, HtmlPage& page, Session& session) {
  Character bound = own;
  const BindResult result = bind(own, {}, session.context());
  apply(result, bound);
  save_character(bound, options.folder / (own.name + "-gvb.glb"), session.context());
  const Playback play_own(own), play_bound(bound);
  const Json weights =
      compare_weights(play_bound, play_own, weight_sets(play_bound, play_own, correspond(play_bound, play_own)), {});
  const std::string file = own.name + "-gvb.png";
  write_png(binding_sheet(own, bound, options, session), options.folder / file);
  page.picture(file, "Bound anew by geodesic voxel binding at " + std::to_string(result.resolution) +
                         " voxels: " + std::to_string(result.bound) + " of " + count(result.vertices, "vertex") +
                         ", mean L1 against the sample's own weights " + number(weights["l1_mean"], 3) +
                         ". File: " + own.name + "-gvb.glb");
  return {{"vertices", result.vertices},
          {"bound", result.bound},
          {"resolution", result.resolution},
          {"l1_mean", weights["l1_mean"]},
          {"smoothness", weights["smoothness"]["a"]}};
}

/// The largest component's volume over a clip, in per cent.
Series volume_series(const Playback& playback, const Clip& clip, const Variant& variant, Session& session) {
  const auto& volumes = playback.rest_volumes();
  std::size_t largest = 0;
  for (std::size_t c = 0; c < volumes.size(); ++c) {
    if (playback.has_volume(c) && std::abs(volumes[c]) > std::abs(volumes[largest])) largest = c;
  }
  const auto times = even_times(clip, kVolumeMoments);
  Series series{.name = variant.name, .x = times, .y = {}};
  for (const auto& frame : play(playback, clip, variant, times, session)) {
    series.y.push_back(100 * (frame.volumes[largest] / frame.target_volumes[largest] - 1));
  }
  return series;
}

double largest_loss(const Series& series) { return *std::min_element(series.y.begin(), series.y.end()); }

void show_character(const SampleInfo& info, const Demo& options, HtmlPage& page, Session& session) {
  const Character character = make_sample(info.name, {}, session.context());
  const Playback playback(character);
  save_character(character, options.folder / (info.name + ".glb"), session.context());
  write_png(portrait(playback, options, session), options.folder / (info.name + ".png"));

  page.heading(info.name);
  page.paragraph(info.description + " " + count(character.vertex_count(), "vertex") + ", " +
                 count(character.skeleton.deforming_count(), "joint") + ", " +
                 count(playback.topology().components.size(), "component") + ". File: " + info.name + ".glb");
  page.picture(info.name + ".png", info.name + " at rest");
  const Json binding = show_binding(character, options, page, session);
  Json clips = Json::array();
  for (const Clip& clip : character.clips) {
    const std::string file = info.name + "-" + clip.name + ".png";
    write_png(film(playback, clip, options, session), options.folder / file);
    std::vector<Series> series;
    for (const Variant& variant : kVariants) series.push_back(volume_series(playback, clip, variant, session));
    page.picture(file, clip.name +
                           ": linear blend skinning, dual quaternions, and linear blend skinning with its "
                           "volume held exactly");
    page.chart(series, {.x_label = "time [s]", .y_label = "change of the body's volume [%]"});
    clips.push_back({{"name", clip.name},
                     {"volume_lbs", largest_loss(series[0]) / 100},
                     {"volume_dqs", largest_loss(series[1]) / 100},
                     {"volume_exact", largest_loss(series[2]) / 100}});
  }
  session.report()["characters"].push_back({{"name", info.name},
                                            {"vertices", character.vertex_count()},
                                            {"joints", character.skeleton.deforming_count()},
                                            {"binding", binding},
                                            {"clips", clips}});
}

void add_summary(HtmlPage& page, const Json& characters) {
  const std::string head[] = {"character",     "clip",          "vertices",       "joints",
                              "LBS loses [%]", "DQS loses [%]", "exact loses [%]"};
  std::vector<std::vector<std::string>> rows;
  for (const Json& character : characters) {
    for (const Json& clip : character["clips"]) {
      rows.push_back({character["name"], clip["name"], character["vertices"].dump(), character["joints"].dump(),
                      number(-100 * clip["volume_lbs"].get<double>(), 3),
                      number(-100 * clip["volume_dqs"].get<double>(), 3),
                      number(-100 * clip["volume_exact"].get<double>(), 1)});
    }
  }
  page.heading("In numbers");
  page.paragraph("The largest loss of the body's volume over each clip.");
  page.table(head, rows);
}

int demo(const Demo& options, Session& session) {
  std::vector<SampleInfo> chosen;
  for (const SampleInfo& info : samples()) {
    if (options.only.empty() || std::find(options.only.begin(), options.only.end(), info.name) != options.only.end())
      chosen.push_back(info);
  }
  if (chosen.size() < options.only.size())
    throw_bad_input("--only names a character that does not exist; isochor sample --help lists them");
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error || !fs::is_directory(options.folder))
    throw_bad_input("the folder " + options.folder.string() + " cannot be made");

  HtmlPage page("Isochor " ISOCHOR_VERSION ": the demo");
  page.paragraph(
      "Procedural characters, bound anew by geodesic voxel binding; their clips under linear blend skinning, dual "
      "quaternion skinning, and with the volume held exactly; and the volume that each loses.");
  HtmlPage details("");
  for (const SampleInfo& info : chosen) {
    session.print(info.name + ": shape, binding, clips, pictures");
    show_character(info, options, details, session);
  }
  add_summary(page, session.report()["characters"]);
  page.append(details);
  write_file_atomically(options.folder / "report.html", page.text());
  session.print("Done: open " + (options.folder / "report.html").string());
  return exit_done;
}

}  // namespace

void add_demo(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("demo", "the embedded characters through everything: GLBs, pictures and report.html");
  auto options = std::make_shared<Demo>();
  command.add_option("-o,--output", options->folder, "the folder to write to (default isochor-demo)")->type_name("DIR");
  command.add_option("--only", options->only, "these characters alone, separated by commas")
      ->type_name("A,B")
      ->delimiter(',');
  command.add_option("--samples", options->samples, "rays a pixel in the pictures (1 to 256; default 12)")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  session.add_common_options(command);
  command.callback(
      [options, &session] { session.set_action("demo", [options, &session] { return demo(*options, session); }); });
}

}  // namespace isochor::cli
