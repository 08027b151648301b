#include "isochor/show/demo.h"

#include <algorithm>
#include <cmath>

#include "isochor/bake/still.h"
#include "isochor/base/error.h"
#include "isochor/base/words.h"
#include "isochor/bind/bind.h"
#include "isochor/bind/weight_comparison.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/bake.h"
#include "isochor/io/load.h"
#include "isochor/io/written_character.h"
#include "isochor/render/character_scene.h"
#include "isochor/render/png.h"
#include "isochor/render/sheet.h"
#include "isochor/sample/sample.h"
#include "isochor/show/html_page.h"
#include "isochor/version.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;

constexpr int kVolumeMoments = 25;
constexpr int kPictures = 4;

/// Front, side and three-quarter views at rest, the last one with its polygons and bones.
Image portrait(const WeldedCharacter& welded, const DemoOptions& options, Context& context) {
  const Character& character = welded.character();
  const Pose rest = rest_pose(character.skeleton);
  Scene scene = scene_of(character, play(welded, rest, Deformer::lbs, context).parts);
  RenderOptions picture{.width = 380, .height = 380, .samples = options.samples};
  std::vector<Tile> tiles;
  picture.camera.view = View::three_quarter;
  tiles.push_back({render(scene, picture, context).image, "at rest"});
  picture.wireframe = true;
  picture.wire_width = 0.7;
  picture.camera.view = View::left;
  tiles.push_back({render(scene, picture, context).image, "polygons"});
  picture.wireframe = false;
  add_bones(scene, character.skeleton, rest);
  tiles.push_back({render(scene, picture, context).image, "joints"});
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

CorrectedPlayback player_of(const WeldedCharacter& welded, const Variant& variant, Context& context) {
  PlaybackOptions options{.deformer = variant.deformer};
  if (!variant.holds_volume) options.volume.reset();
  return {welded, options, context};
}

/// A clip from left to right, one row for each variant.
Image film(const WeldedCharacter& welded, const Clip& clip, const DemoOptions& options, Context& context) {
  const Character& character = welded.character();
  RenderOptions picture{.width = 280, .height = 280, .samples = options.samples};
  picture.view_box = box_over_clip(welded, clip, context);
  const auto times = even_times(clip, kPictures);
  std::vector<Tile> tiles;
  for (const Variant& variant : kVariants) {
    CorrectedPlayback player = player_of(welded, variant, context);
    for (const double time : times) {
      const auto frame = player.play(sample(clip, character.skeleton, time), time, context);
      const Scene scene = scene_of(character, still_parts(player, frame, context));
      tiles.push_back(
          {render(scene, picture, context).image, std::string(variant.name) + ", " + short_number(time, 3) + " s"});
    }
  }
  return compose(tiles, {.columns = kPictures, .label_size = 16});
}

/// The character as its sample binds it beside what binding it anew makes of it: weights, and a moment of a clip.
Image binding_sheet(const Character& own, const Character& bound, const DemoOptions& options, Context& context) {
  RenderOptions picture{.width = 280, .height = 280, .samples = options.samples};
  std::vector<Tile> weights, poses;
  for (const Character* character : {&own, &bound}) {
    const WeldedCharacter welded(*character);
    const std::string name = character == &own ? "the sample's own" : "bound anew";
    const auto parts = play(welded, rest_pose(own.skeleton), Deformer::lbs, context).parts;
    Scene scene = scene_of(*character, parts);
    show_weights(scene, *character, "*");
    weights.push_back({render(scene, picture, context).image, name});
    if (own.clips.empty()) continue;
    const Clip& clip = own.clips.front();
    const Pose pose = sample(clip, own.skeleton, clip.start() + clip.duration() / 2);
    scene = scene_of(*character, play(welded, pose, Deformer::lbs, context).parts);
    poses.push_back({render(scene, picture, context).image, name + ", " + clip.name});
  }
  weights.insert(weights.end(), poses.begin(), poses.end());
  return compose(weights, {.columns = 4, .label_size = 16});
}

/// How method auto bound it.
std::string methods_of(const BindResult& result) {
  if (result.resolution == 0) return "by heat";
  return "by heat, and pieces that it does not suit by geodesic voxel binding at " + std::to_string(result.resolution) +
         " voxels";
}

/// Binds the character anew and shows what came out.
DemoBinding show_binding(const Character& own, const DemoOptions& options, HtmlPage& page, Context& context) {
  Character bound = own;
  const BindResult result = bind(own, {}, context);
  apply(result, bound);
  save_character(bound, options.folder / (own.name + "-bound.glb"), context);
  const WeldedCharacter welded_own(own), welded_bound(bound);
  const auto weights =
      compare_weights(welded_bound, welded_own, correspond(welded_bound, welded_own), {}, context).value();
  const std::string file = own.name + "-bound.png";
  write_png(binding_sheet(own, bound, options, context), options.folder / file);
  page.picture(file, "Bound anew " + methods_of(result) + ": " + std::to_string(result.bound) + " of " +
                         count_of(result.vertices, "vertex") + ", mean L1 against the sample's own weights " +
                         short_number(weights.difference.l1_mean, 3) + ". File: " + own.name + "-bound.glb");
  return {.vertices = result.vertices,
          .bound = result.bound,
          .resolution = result.resolution,
          .l1_mean = weights.difference.l1_mean,
          .smoothness = weights.a.smoothness};
}

/// The character with its volume held in every clip, as a GLB that any viewer plays. The file's name.
std::string save_held(const Character& character, const DemoOptions& options, Context& context) {
  Loaded loaded;
  loaded.character = character;
  WrittenCharacter file = as_written(loaded);
  const WeldedCharacter welded(file.character());
  bake(hold_volume(welded, {}, context), welded, {}, file, context);
  std::string name = character.name + "-volume.glb";
  file.save(options.folder / name);
  return name;
}

/// The largest component's volume over a clip, in per cent.
Series volume_series(const WeldedCharacter& welded, const Clip& clip, const Variant& variant, Context& context) {
  const auto& volumes = welded.rest_volumes();
  std::size_t largest = 0;
  for (std::size_t c = 0; c < volumes.size(); ++c) {
    if (welded.has_volume(c) && std::abs(volumes[c]) > std::abs(volumes[largest])) largest = c;
  }
  Series series{.name = variant.name, .x = even_times(clip, kVolumeMoments), .y = {}};
  CorrectedPlayback player = player_of(welded, variant, context);
  for (const double time : series.x) {
    const auto frame = player.play(sample(clip, welded.skeleton(), time), time, context);
    const ComponentVolume& volume = frame.corrected.components[largest];
    series.y.push_back(100 * (volume.after / volume.target - 1));
  }
  return series;
}

double largest_loss(const Series& series) { return *std::min_element(series.y.begin(), series.y.end()) / 100; }

DemoCharacter show_character(const SampleInfo& info, const DemoOptions& options, HtmlPage& page, Context& context) {
  const Character character = make_sample(info.name, {}, context);
  const WeldedCharacter welded(character);
  save_character(character, options.folder / (info.name + ".glb"), context);
  write_png(portrait(welded, options, context), options.folder / (info.name + ".png"));

  DemoCharacter shown{
      .name = info.name, .vertices = character.vertex_count(), .joints = character.skeleton.deforming_count()};
  page.heading(info.name);
  page.paragraph(info.description + " " + count_of(shown.vertices, "vertex") + ", " + count_of(shown.joints, "joint") +
                 ", " + count_of(welded.topology().components.size(), "component") + ". File: " + info.name + ".glb");
  page.picture(info.name + ".png", info.name + " at rest");
  if (!character.clips.empty()) {
    page.paragraph("With its volume held in every clip, for any viewer: " + save_held(character, options, context));
  }
  shown.binding = show_binding(character, options, page, context);
  for (const Clip& clip : character.clips) {
    const std::string file = info.name + "-" + clip.name + ".png";
    write_png(film(welded, clip, options, context), options.folder / file);
    std::vector<Series> series;
    for (const Variant& variant : kVariants) series.push_back(volume_series(welded, clip, variant, context));
    page.picture(file, clip.name +
                           ": linear blend skinning, dual quaternions, and linear blend skinning with its "
                           "volume held exactly");
    page.chart(series, {.x_label = "time [s]", .y_label = "change of the body's volume [%]"});
    shown.clips.push_back({.name = clip.name,
                           .volume_lbs = largest_loss(series[0]),
                           .volume_dqs = largest_loss(series[1]),
                           .volume_exact = largest_loss(series[2])});
  }
  return shown;
}

void add_summary(HtmlPage& page, std::span<const DemoCharacter> characters) {
  const std::string head[] = {"character",     "clip",          "vertices",       "joints",
                              "LBS loses [%]", "DQS loses [%]", "exact loses [%]"};
  std::vector<std::vector<std::string>> rows;
  for (const DemoCharacter& character : characters) {
    for (const DemoClip& clip : character.clips) {
      rows.push_back({character.name, clip.name, std::to_string(character.vertices), std::to_string(character.joints),
                      short_number(-100 * clip.volume_lbs, 3), short_number(-100 * clip.volume_dqs, 3),
                      short_number(-100 * clip.volume_exact, 1)});
    }
  }
  page.heading("In numbers");
  page.paragraph("The largest loss of the body's volume over each clip.");
  page.table(head, rows);
}

std::vector<SampleInfo> chosen_samples(std::span<const std::string> only) {
  std::vector<SampleInfo> chosen;
  for (const SampleInfo& info : samples()) {
    if (only.empty() || std::find(only.begin(), only.end(), info.name) != only.end()) chosen.push_back(info);
  }
  if (chosen.size() < only.size()) {
    throw_bad_input("--only names a character that does not exist; isochor sample --help lists them");
  }
  return chosen;
}

}  // namespace

std::vector<fs::path> demo_files(const DemoOptions& options) {
  std::vector<fs::path> files = {options.folder / "report.html"};
  for (const SampleInfo& info : chosen_samples(options.only)) {
    for (const char* end : {".glb", "-bound.glb", "-volume.glb", ".png", "-bound.png"}) {
      files.push_back(options.folder / (info.name + end));
    }
  }
  return files;
}

std::vector<DemoCharacter> write_demo(const DemoOptions& options, Context& context) {
  HtmlPage page("Isochor " ISOCHOR_VERSION ": the demo");
  page.paragraph(
      "Procedural characters, bound anew as isochor bind does it; their clips under linear blend skinning, dual "
      "quaternion skinning, and with the volume held exactly; and the volume that each loses.");
  HtmlPage details("");
  std::vector<DemoCharacter> shown;
  for (const SampleInfo& info : chosen_samples(options.only)) {
    if (options.begin) options.begin(info.name);
    shown.push_back(show_character(info, options, details, context));
  }
  add_summary(page, shown);
  page.append(details);
  write_file_atomically(options.folder / "report.html", page.text());
  return shown;
}

}  // namespace isochor
