/// isochor compare A B: weights against weights, shape against shape, volume over time.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands.h"
#include "compare_weights.h"
#include "correspondence.h"
#include "isochor/base/error.h"
#include "isochor/deform/playback.h"
#include "isochor/io/load.h"
#include "options.h"
#include "session.h"
#include "volume_plot.h"

namespace isochor::cli {
namespace {

struct Compare {
  std::filesystem::path a, b;
  std::vector<std::filesystem::path> more;
  std::filesystem::path skeleton_a, skeleton_b;
  std::filesystem::path plot;
  bool json = false;
  int moments = 24;
  PruneOptions prune;
};

struct Distances {
  double largest = 0, mean = 0;
};

Distances distances(const Correspondence& correspondence, std::span<const Vec3> a, std::span<const Vec3> b) {
  Distances d;
  for (const auto& [i, j] : correspondence.pairs) {
    const double distance = (a[i] - b[j]).norm();
    d.largest = std::max(d.largest, distance);
    d.mean += distance;
  }
  if (!correspondence.pairs.empty()) d.mean /= static_cast<double>(correspondence.pairs.size());
  return d;
}

/// What all clips are compared by.
struct Moments {
  const Correspondence& correspondence;
  const Compare& options;
  const Context& context;
};

/// Largest and mean distance, and the largest change of volume on each side, over the moments of a clip in both files.
Json compare_clip(const Playback& a, const Playback& b, const Moments& moments, const std::string& name) {
  const auto& [correspondence, options, context] = moments;
  const Clip& clip_a = *a.character().find_clip(name);
  const Clip& clip_b = *b.character().find_clip(name);
  Json json;
  json["clip"] = name;
  Distances worst;
  Json times = Json::array(), volume_a = Json::array(), volume_b = Json::array();
  double max_a = 0, max_b = 0;
  for (int i = 0; i < options.moments; ++i) {
    const double fraction = options.moments == 1 ? 0 : static_cast<double>(i) / (options.moments - 1);
    const double time = clip_a.start() + clip_a.duration() * fraction;
    const auto frame_a = a.pose(sample(clip_a, a.character().skeleton, time), Deformer::lbs, context);
    const auto frame_b = b.pose(sample(clip_b, b.character().skeleton, time), Deformer::lbs, context);
    const Distances d = distances(correspondence, frame_a.positions, frame_b.positions);
    worst.largest = std::max(worst.largest, d.largest);
    worst.mean += d.mean / options.moments;
    times.push_back(time);
    volume_a.push_back(total_volume_change(a, frame_a));
    volume_b.push_back(total_volume_change(b, frame_b));
    max_a = std::max(max_a, std::abs(volume_a.back().get<double>()));
    max_b = std::max(max_b, std::abs(volume_b.back().get<double>()));
  }
  json["max_distance"] = worst.largest;
  json["mean_distance"] = worst.mean;
  json["max_volume_change"] = {{"a", max_a}, {"b", max_b}};
  json["volume_over_time"] = {{"time", times}, {"a", volume_a}, {"b", volume_b}};
  return json;
}

double diagonal(std::span<const Vec3> positions) { return std::max(bounding_box(positions).diagonal().norm(), 1e-300); }

void print_text(Session& session, const Json& report) {
  const Json& shape = report["shape"];
  session.print("vertices     " + report["vertices"]["a"].dump() + " and " + report["vertices"]["b"].dump() +
                " (welded), compared by " + shape["by"].get<std::string>());
  session.print("bind shape   largest distance " + number(shape["max_distance"]) + ", mean " +
                number(shape["mean_distance"]) + " of the box's diagonal");
  if (!report["weights"].is_null()) print_weights(session, report["weights"]);
  for (const Json& clip : report["clips"]) {
    session.print("clip " + clip["clip"].get<std::string>() + ": largest distance " + number(clip["max_distance"]) +
                  ", mean " + number(clip["mean_distance"]) + "; volume changes by up to " +
                  number(100 * clip["max_volume_change"]["a"].get<double>()) + " % and " +
                  number(100 * clip["max_volume_change"]["b"].get<double>()) + " %");
  }
}

void plot(const Compare& options, Session& session) {
  VolumePlot plot{.files = {options.a, options.b}, .output = options.plot, .moments = std::max(options.moments, 2)};
  plot.files.insert(plot.files.end(), options.more.begin(), options.more.end());
  plot_volume(plot, session);
  if (!options.json) session.print(options.plot.string() + " written");
}

void check_plot(const Compare& options) {
  if (options.plot.empty()) {
    if (!options.more.empty()) throw_bad_input("two files are compared; more of them can only be plotted: give --plot");
    return;
  }
  check_plot_output(options.plot);
  OutputCheck check{.inputs = options.more};
  check.inputs.insert(check.inputs.end(), {options.a, options.b});
  check_output(options.plot, check);
}

int compare(const Compare& options, Session& session) {
  check_plot(options);
  Json& report = session.report();
  report["inputs"] = {options.a.string(), options.b.string()};
  Loaded a = load_character(options.a, {}, session.context());
  Loaded b = load_character(options.b, {}, session.context());
  if (!options.skeleton_a.empty()) attach_skeleton(a.character, options.skeleton_a, session.context());
  if (!options.skeleton_b.empty()) attach_skeleton(b.character, options.skeleton_b, session.context());
  if (a.character.vertex_count() == 0 || b.character.vertex_count() == 0)
    throw_bad_input("both files need a mesh to be compared");
  const Playback play_a(a.character), play_b(b.character);
  const Correspondence correspondence = correspond(play_a, play_b);
  const double size = diagonal(play_a.surface().positions);
  // A scale may lie between the bind shape and the world: what moves is measured against the character at rest there.
  const auto size_at_rest = [&](const Playback& playback) {
    const Pose rest = rest_pose(playback.character().skeleton);
    return diagonal(playback.pose(rest, Deformer::lbs, session.context()).positions);
  };
  const double posed_size = size_at_rest(play_a);

  report["vertices"] = {{"a", play_a.surface().vertex_count()}, {"b", play_b.surface().vertex_count()}};
  const Distances shape = distances(correspondence, play_a.surface().positions, play_b.surface().positions);
  report["shape"] = {
      {"by", correspondence.how}, {"max_distance", shape.largest / size}, {"mean_distance", shape.mean / size}};
  const WeightSets sets = weight_sets(play_a, play_b, correspondence);
  Json& weights = report["weights"];
  weights = compare_weights(play_a, play_b, sets, options.prune);
  if (!weights.is_null()) {
    weights["position_error"] = compare_weights_in_motion(
        play_a, play_b, sets,
        {correspondence, options.moments, size_at_rest(a.character.clips.empty() ? play_b : play_a)});
  }
  report["clips"] = Json::array();
  for (const Clip& clip : a.character.clips) {
    if (b.character.find_clip(clip.name) == nullptr) continue;
    Json json = compare_clip(play_a, play_b, {correspondence, options, session.context()}, clip.name);
    for (const char* key : {"max_distance", "mean_distance"}) json[key] = json[key].get<double>() / posed_size;
    report["clips"].push_back(std::move(json));
  }
  if (options.json) {
    std::cout << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    print_text(session, report);
  }
  if (!options.plot.empty()) plot(options, session);
  return exit_done;
}

}  // namespace

void add_compare(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("compare", "weights against weights, shape against shape, volume over time");
  auto options = std::make_shared<Compare>();
  command.add_option("A", options->a, "a character")->required();
  command.add_option("B", options->b, "the character it is compared with")->required();
  command.add_option("MORE", options->more, "further characters, for --plot");
  command
      .add_option("--plot", options->plot,
                  "volume over time of all the files, for each clip that they share: .html or .png")
      ->type_name("FILE");
  command.add_option("--skeleton-a,--skeleton", options->skeleton_a, "rig of A, where its file has none")
      ->type_name("FILE");
  command.add_option("--skeleton-b", options->skeleton_b, "rig of B, where its file has none")->type_name("FILE");
  command
      .add_option("--moments", options->moments, "moments of each clip that both files have (1 to 1000; default 24)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  add_options(command, options->prune, "Weights");
  command.add_flag("--json", options->json, "print the report instead of text");
  session.add_common_options(command);
  command.callback([options, &session] {
    session.set_action("compare", [options, &session] { return compare(*options, session); });
  });
}

}  // namespace isochor::cli
