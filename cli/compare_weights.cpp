#include "compare_weights.h"

#include <algorithm>

#include "isochor/base/words.h"

namespace isochor::cli {
namespace {

Json difference_json(const WeightDifference& d) {
  return {{"vertices", d.vertices},
          {"l1_mean", d.l1_mean},
          {"l1_max", d.l1_max},
          {"precision", d.precision},
          {"recall", d.recall}};
}

Json mean_and_max(const auto& result) { return {{"mean", result.mean}, {"max", result.max}}; }

Json influences_json(const WeightSide& side) {
  return {{"mean", side.mean_influences}, {"histogram", side.influences}};
}

Json bleed_json(const WeightSide& side) {
  Json json = mean_and_max(side.bleed);
  json["vertices"] = side.bleed.vertices;
  return json;
}

Json symmetry_json(const WeightSide& side) {
  if (!side.mirror) return nullptr;
  Json json = mean_and_max(side.symmetry);
  json["axis"] = std::string(1, "xyz"[side.mirror->axis]);
  json["paired"] = side.mirror->paired;
  return json;
}

std::string pad(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string percent(const Json& share) { return short_number(100 * share.get<double>(), 3) + " %"; }

std::string histogram_text(const Json& histogram) {
  std::string text;
  for (std::size_t n = 1; n < histogram.size(); ++n) {
    text += (text.empty() ? "" : ", ") + std::to_string(n) + ": " + histogram[n].dump();
  }
  return text;
}

}  // namespace

Json weights_json(const WeightComparison& comparison, const PruneOptions& prune) {
  const auto& [difference, pruned, a, b] = comparison;
  Json json = difference_json(difference);
  json["pruned"] = difference_json(pruned);
  json["pruned"]["influences"] = prune.influences;
  json["pruned"]["threshold"] = prune.threshold;
  json["smoothness"] = {{"a", a.smoothness}, {"b", b.smoothness}};
  json["influences"] = {{"a", influences_json(a)}, {"b", influences_json(b)}};
  json["bleed"] = {{"a", bleed_json(a)}, {"b", bleed_json(b)}};
  json["symmetry"] = {{"a", symmetry_json(a)}, {"b", symmetry_json(b)}};
  return json;
}

Json position_error_json(const CharacterComparison& found) {
  if (found.weights_in_motion.empty()) return nullptr;
  Json list = Json::array();
  for (const ClipPositionError& clip : found.weights_in_motion) {
    list.push_back({{"clip", clip.clip}, {"max", clip.max}, {"mean", clip.mean}});
  }
  return {{"max", found.worst_in_motion.max}, {"mean", found.worst_in_motion.mean}, {"clips", list}};
}

void print_weights(const Session& session, const Json& w) {
  constexpr std::size_t kName = 22, kColumn = 14;
  const auto line = [&](const std::string& name, const std::string& first, const std::string& second) {
    session.print("  " + pad(name, kName) + pad(first, kColumn) + second);
  };
  const Json& pruned = w["pruned"];
  session.print("weights of " + count_of(w["vertices"], "vertex"));
  line("A against B", "as they are",
       "pruned to " + pruned["influences"].dump() + " influences of at least " + short_number(pruned["threshold"]));
  line("mean L1", short_number(w["l1_mean"]), short_number(pruned["l1_mean"]));
  line("largest L1", short_number(w["l1_max"]), short_number(pruned["l1_max"]));
  line("precision", percent(w["precision"]), percent(pruned["precision"]));
  line("recall", percent(w["recall"]), percent(pruned["recall"]));
  line("each by itself", "A", "B");
  line("smoothness", short_number(w["smoothness"]["a"]), short_number(w["smoothness"]["b"]));
  line("mean influences", short_number(w["influences"]["a"]["mean"]), short_number(w["influences"]["b"]["mean"]));
  line("bleed, mean", short_number(w["bleed"]["a"]["mean"]), short_number(w["bleed"]["b"]["mean"]));
  line("bleed, largest", short_number(w["bleed"]["a"]["max"]), short_number(w["bleed"]["b"]["max"]));
  const auto symmetry = [&](const char* side, const char* which) {
    const Json& json = w["symmetry"][side];
    return json.is_null() ? std::string("no mirror") : short_number(json[which]);
  };
  line("symmetry error, mean", symmetry("a", "mean"), symmetry("b", "mean"));
  line("symmetry error, max", symmetry("a", "max"), symmetry("b", "max"));
  session.print("  vertices by influences, A  " + histogram_text(w["influences"]["a"]["histogram"]));
  session.print("  vertices by influences, B  " + histogram_text(w["influences"]["b"]["histogram"]));
  if (!w["position_error"].is_null()) {
    session.print("  in motion: vertices are up to " + short_number(w["position_error"]["max"]) +
                  " of the box's diagonal apart, " + short_number(w["position_error"]["mean"]) + " in the mean");
  }
}

}  // namespace isochor::cli
