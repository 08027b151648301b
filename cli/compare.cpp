/// isochor compare A B: weights against weights, shape against shape, volume over time.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands.h"
#include "compare_weights.h"
#include "isochor/base/error.h"
#include "isochor/io/load.h"
#include "isochor/show/comparison.h"
#include "isochor/show/volume_plot.h"
#include "options.h"
#include "session.h"

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

/// Largest and mean distance, and the largest change of volume on each side.
Json clip_json(const ClipComparison& clip) {
  const auto largest = [](std::span<const double> changes) {
    double max = 0;
    for (const double change : changes) max = std::max(max, std::abs(change));
    return max;
  };
  Json json;
  json["clip"] = clip.clip;
  json["max_distance"] = clip.distance.max;
  json["mean_distance"] = clip.distance.mean;
  json["max_volume_change"] = {{"a", largest(clip.volume_a)}, {"b", largest(clip.volume_b)}};
  json["volume_over_time"] = {{"time", clip.times}, {"a", clip.volume_a}, {"b", clip.volume_b}};
  return json;
}

void report_comparison(const CharacterComparison& found, const Compare& options, Json& report) {
  report["vertices"] = {{"a", found.vertices_a}, {"b", found.vertices_b}};
  report["shape"] = {
      {"by", enum_name(found.by)}, {"max_distance", found.shape.max}, {"mean_distance", found.shape.mean}};
  report["weights"] = nullptr;
  if (found.weights) {
    report["weights"] = weights_json(*found.weights, options.prune);
    report["weights"]["position_error"] = position_error_json(found);
  }
  report["clips"] = Json::array();
  for (const ClipComparison& clip : found.clips) report["clips"].push_back(clip_json(clip));
}

void print_text(Session& session, const Json& report) {
  const Json& shape = report["shape"];
  session.print("vertices     " + report["vertices"]["a"].dump() + " and " + report["vertices"]["b"].dump() +
                " (welded), compared by " + shape["by"].get<std::string>());
  session.print("bind shape   largest distance " + short_number(shape["max_distance"]) + ", mean " +
                short_number(shape["mean_distance"]) + " of the box's diagonal");
  if (!report["weights"].is_null()) print_weights(session, report["weights"]);
  for (const Json& clip : report["clips"]) {
    session.print("clip " + clip["clip"].get<std::string>() + ": largest distance " +
                  short_number(clip["max_distance"]) + ", mean " + short_number(clip["mean_distance"]) +
                  "; volume changes by up to " + short_number(100 * clip["max_volume_change"]["a"].get<double>()) +
                  " % and " + short_number(100 * clip["max_volume_change"]["b"].get<double>()) + " %");
  }
}

void plot(const Compare& options, Session& session) {
  VolumePlot plot{.files = {options.a, options.b}, .output = options.plot, .moments = std::max(options.moments, 2)};
  plot.files.insert(plot.files.end(), options.more.begin(), options.more.end());
  plot_volume(plot, session.context());
  if (!options.json) session.print(options.plot.string() + " written");
}

void check_files(const Compare& options, Session& session) {
  if (options.plot.empty() && !options.more.empty()) {
    throw_bad_input("two files are compared; more of them can only be plotted: give --plot");
  }
  if (!options.plot.empty()) check_plot_output(options.plot);
  CallFiles files{.inputs = {options.a, options.b, options.skeleton_a, options.skeleton_b}, .outputs = {options.plot}};
  files.inputs.insert(files.inputs.end(), options.more.begin(), options.more.end());
  session.claim(files);
}

int compare(const Compare& options, Session& session) {
  check_files(options, session);
  Json& report = session.report();
  report["inputs"] = {options.a.string(), options.b.string()};
  Loaded a = load_character(options.a, {.keep_baked = true}, session.context());
  Loaded b = load_character(options.b, {.keep_baked = true}, session.context());
  session.claim({.inputs = a.files});
  session.claim({.inputs = b.files});
  if (!options.skeleton_a.empty()) attach_skeleton(a.character, options.skeleton_a, session.context());
  if (!options.skeleton_b.empty()) attach_skeleton(b.character, options.skeleton_b, session.context());
  report_comparison(compare_characters(a, b, {options.moments, options.prune}, session.context()), options, report);
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
  command.add_option("--skeleton-a,--skeleton", options->skeleton_a, "rig of A, if its file has none")
      ->type_name("FILE");
  command.add_option("--skeleton-b", options->skeleton_b, "rig of B, if its file has none")->type_name("FILE");
  command
      .add_option("--moments", options->moments, "moments of each clip that both files have (1 to 1000; default 24)")
      ->type_name("N")
      ->check(whole_in_range(1, 1000));
  add_options(command, options->prune, "Weights");
  command.add_flag("--json", options->json, "print the report instead of text");
  session.add_common_options(command);
  command.callback([options, &session] {
    session.set_action("compare", [options, &session] { return compare(*options, session); });
  });
}

}  // namespace isochor::cli
