/// isochor compare A B: weights against weights, shape against shape, volume over time.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/deform/playback.h"
#include "isochor/io/load.h"
#include "nearest.h"
#include "options.h"
#include "session.h"
#include "volume_track.h"

namespace isochor::cli {
namespace {

struct Compare {
  std::filesystem::path a, b;
  std::filesystem::path skeleton_a, skeleton_b;
  bool json = false;
  int moments = 24;
};

/// Vertices of both characters that belong together.
struct Correspondence {
  std::vector<std::pair<Index, Index>> pairs;  // welded vertices of A and B
  std::string how;
};

/// By index where both files have the same vertices, by the nearest position otherwise.
Correspondence correspond(const Playback& a, const Playback& b) {
  Correspondence result;
  const auto& part_a = a.whole().part_begin;
  if (part_a == b.whole().part_begin) {
    result.how = "index";
    for (Index v = 0; v < part_a.back(); ++v)
      result.pairs.emplace_back(a.whole().weld.vertex[v], b.whole().weld.vertex[v]);
    std::sort(result.pairs.begin(), result.pairs.end());
    result.pairs.erase(std::unique(result.pairs.begin(), result.pairs.end()), result.pairs.end());
  } else {
    result.how = "nearest";
    const NearestPoint nearest(b.surface().positions);
    for (std::size_t v = 0; v < a.surface().vertex_count(); ++v) {
      result.pairs.emplace_back(static_cast<Index>(v), nearest.find(a.surface().positions[v]));
    }
  }
  return result;
}

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

/// The weights of a welded vertex by joint name.
std::map<std::string, double> named_weights(const Playback& playback, Index welded) {
  const Index source = playback.whole().weld.first_source[welded];
  const auto& begin = playback.whole().part_begin;
  const auto p = static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), source) - begin.begin()) - 1;
  const Part& part = playback.character().parts[p];
  std::map<std::string, double> weights;
  if (!part.skinned()) return weights;
  for (const Influence& i : part.weights.row(source - begin[p])) {
    weights[playback.character().skeleton.joints[part.skin.joints[i.joint]].name] += i.weight;
  }
  return weights;
}

/// L1 is the mean over vertices of Σ|Δw|; an influence counts above 1e-4; A is measured against B.
Json compare_weights(const Playback& a, const Playback& b, const Correspondence& correspondence) {
  constexpr double kCounts = 1e-4;
  double l1 = 0, largest = 0;
  std::size_t vertices = 0, in_a = 0, in_b = 0, in_both = 0;
  for (const auto& [i, j] : correspondence.pairs) {
    const auto wa = named_weights(a, i);
    const auto wb = named_weights(b, j);
    if (wa.empty() || wb.empty()) continue;
    ++vertices;
    std::map<std::string, std::pair<double, double>> both;
    for (const auto& [name, w] : wa) both[name].first = w;
    for (const auto& [name, w] : wb) both[name].second = w;
    double sum = 0;
    for (const auto& [name, w] : both) {
      sum += std::abs(w.first - w.second);
      in_a += w.first > kCounts ? 1 : 0;
      in_b += w.second > kCounts ? 1 : 0;
      in_both += w.first > kCounts && w.second > kCounts ? 1 : 0;
    }
    l1 += sum;
    largest = std::max(largest, sum);
  }
  if (vertices == 0) return nullptr;
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  return {{"vertices", vertices},
          {"l1_mean", l1 / static_cast<double>(vertices)},
          {"l1_max", largest},
          {"precision", share(in_both, in_a)},
          {"recall", share(in_both, in_b)}};
}

/// Largest and mean distance, and the largest change of volume on each side, over the moments of a clip in both files.
Json compare_clip(const Playback& a, const Playback& b, const Correspondence& correspondence, const Compare& options,
                  const std::string& name, Session& session) {
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
    const auto frame_a = a.pose(sample(clip_a, a.character().skeleton, time), Deformer::lbs, session.context());
    const auto frame_b = b.pose(sample(clip_b, b.character().skeleton, time), Deformer::lbs, session.context());
    const Distances d = distances(correspondence, frame_a.positions, frame_b.positions);
    worst.largest = std::max(worst.largest, d.largest);
    worst.mean += d.mean / options.moments;
    const auto total_change = [](const Playback& playback, const Playback::Frame& frame) {
      double volume = 0, target = 0;
      for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
        if (!playback.has_volume(c)) continue;
        volume += std::abs(frame.volumes[c]);
        target += std::abs(frame.target_volumes[c]);
      }
      return target > 0 ? volume / target - 1 : 0;
    };
    times.push_back(time);
    volume_a.push_back(total_change(a, frame_a));
    volume_b.push_back(total_change(b, frame_b));
    max_a = std::max(max_a, std::abs(volume_a.back().get<double>()));
    max_b = std::max(max_b, std::abs(volume_b.back().get<double>()));
  }
  json["max_distance"] = worst.largest;
  json["mean_distance"] = worst.mean;
  json["max_volume_change"] = {{"a", max_a}, {"b", max_b}};
  json["volume_over_time"] = {{"time", times}, {"a", volume_a}, {"b", volume_b}};
  return json;
}

void print_text(Session& session, const Json& report) {
  const Json& shape = report["shape"];
  session.print("vertices     " + report["vertices"]["a"].dump() + " and " + report["vertices"]["b"].dump() +
                " (welded), compared by " + shape["by"].get<std::string>());
  session.print("bind shape   largest distance " + number(shape["max_distance"]) + ", mean " +
                number(shape["mean_distance"]) + " of the box's diagonal");
  if (!report["weights"].is_null()) {
    const Json& w = report["weights"];
    session.print("weights      mean L1 " + number(w["l1_mean"]) + ", largest " + number(w["l1_max"]) + ", precision " +
                  number(100 * w["precision"].get<double>(), 3) + " %, recall " +
                  number(100 * w["recall"].get<double>(), 3) + " %");
  }
  for (const Json& clip : report["clips"]) {
    session.print("clip " + clip["clip"].get<std::string>() + ": largest distance " + number(clip["max_distance"]) +
                  ", mean " + number(clip["mean_distance"]) + "; volume changes by up to " +
                  number(100 * clip["max_volume_change"]["a"].get<double>()) + " % and " +
                  number(100 * clip["max_volume_change"]["b"].get<double>()) + " %");
  }
}

int compare(const Compare& options, Session& session) {
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
  const double size = std::max(bounding_box(play_a.surface().positions).diagonal().norm(), 1e-300);

  report["vertices"] = {{"a", play_a.surface().vertex_count()}, {"b", play_b.surface().vertex_count()}};
  const Distances shape = distances(correspondence, play_a.surface().positions, play_b.surface().positions);
  report["shape"] = {
      {"by", correspondence.how}, {"max_distance", shape.largest / size}, {"mean_distance", shape.mean / size}};
  report["weights"] = compare_weights(play_a, play_b, correspondence);
  report["clips"] = Json::array();
  for (const Clip& clip : a.character.clips) {
    if (b.character.find_clip(clip.name) == nullptr) continue;
    Json json = compare_clip(play_a, play_b, correspondence, options, clip.name, session);
    for (const char* key : {"max_distance", "mean_distance"}) json[key] = json[key].get<double>() / size;
    report["clips"].push_back(std::move(json));
  }
  if (options.json) {
    std::cout << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    print_text(session, report);
  }
  return exit_done;
}

}  // namespace

void add_compare(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("compare", "weights against weights, shape against shape, volume over time");
  auto options = std::make_shared<Compare>();
  command.add_option("A", options->a, "a character")->required();
  command.add_option("B", options->b, "the character it is compared with")->required();
  command.add_option("--skeleton-a", options->skeleton_a, "rig of A, where its file has none")->type_name("FILE");
  command.add_option("--skeleton-b", options->skeleton_b, "rig of B, where its file has none")->type_name("FILE");
  command
      .add_option("--moments", options->moments, "moments of each clip that both files have (1 to 1000; default 24)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  command.add_flag("--json", options->json, "print the report instead of text");
  session.add_common_options(command);
  command.callback([options, &session] {
    session.set_action("compare", [options, &session] { return compare(*options, session); });
  });
}

}  // namespace isochor::cli
