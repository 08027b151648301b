#include "compare_weights.h"

#include <algorithm>

namespace isochor::cli {
namespace {

Json difference_json(const SkinWeights& a, const SkinWeights& b) {
  const WeightDifference d = weight_difference(a, b);
  return {{"vertices", d.vertices},
          {"l1_mean", d.l1_mean},
          {"l1_max", d.l1_max},
          {"precision", d.precision},
          {"recall", d.recall}};
}

Json mean_and_max(const auto& result) { return {{"mean", result.mean}, {"max", result.max}}; }

Json influences_json(const SkinWeights& weights) {
  const auto histogram = influence_histogram(weights);
  double sum = 0, bound = 0;
  for (std::size_t n = 1; n < histogram.size(); ++n) {
    sum += static_cast<double>(n) * static_cast<double>(histogram[n]);
    bound += static_cast<double>(histogram[n]);
  }
  return {{"mean", bound > 0 ? sum / bound : 0}, {"histogram", histogram}};
}

/// What a weight set is by itself.
struct Side {
  const Playback& playback;
  const SkinWeights& weights;
  const std::vector<Index>& place;
  std::size_t joints;
};

Json bleed_json(const Side& side) {
  const Bleed result = bleed(side.weights, united_parents(side.playback.character().skeleton, side.place, side.joints));
  Json json = mean_and_max(result);
  json["vertices"] = result.vertices;
  return json;
}

Json symmetry_json(const Side& side) {
  const auto pairs = find_mirror_pairs(side.playback.surface().positions,
                                       bind_positions(side.playback.character(), side.place, side.joints));
  if (!pairs) return nullptr;
  Json json = mean_and_max(symmetry_error(side.weights, *pairs));
  json["axis"] = std::string(1, "xyz"[pairs->axis]);
  json["paired"] = pairs->paired;
  return json;
}

/// The vertices of one skinned part, with both weight sets.
struct PartRows {
  const Part* part = nullptr;
  std::vector<Vec3> positions;
  SkinWeights own, other;
};

/// The character whose clips are played, and what it carries.
struct Carrier {
  const Character& character;
  const std::vector<Index>& place;
  std::vector<Affine> rest;  // #J of the skeleton
  std::size_t joints = 0;    // of the united list
  std::vector<PartRows> parts;
};

/// Skin matrices of one part for every joint of the united list. A joint that its skin does not list moves what it was
/// given from the place that the skin's first joint gives the bind shape at rest.
std::vector<Affine> united_matrices(const Carrier& carrier, const Skin& skin, std::span<const Affine> global) {
  const Affine to_rest = carrier.rest[skin.joints[0]] * skin.inverse_bind[0];
  std::vector<Affine> matrices(carrier.joints, to_rest);
  for (std::size_t j = 0; j < carrier.place.size(); ++j) {
    if (carrier.place[j] != kNone) matrices[carrier.place[j]] = global[j] * carrier.rest[j].inverse() * to_rest;
  }
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    const Index place = carrier.place[skin.joints[j]];
    if (place != kNone) matrices[place] = global[skin.joints[j]] * skin.inverse_bind[j];
  }
  return matrices;
}

std::vector<PartRows> rows_by_part(const Playback& carrier, const SkinWeights& own, const SkinWeights& other,
                                   const std::vector<std::pair<Index, Index>>& pairs) {
  std::vector<PartRows> parts(carrier.character().parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].part = &carrier.character().parts[p];
  Index last = kNone;
  for (const auto& [i, j] : pairs) {
    if (i == last || own.row(i).empty() || other.row(j).empty()) continue;
    last = i;
    PartRows& rows = parts[part_vertex(carrier, i).part];
    rows.positions.push_back(carrier.surface().positions[i]);
    rows.own.add_row(own.row(i));
    rows.other.add_row(other.row(j));
  }
  std::erase_if(parts, [](const PartRows& rows) { return rows.positions.empty(); });
  return parts;
}

Json play_clip(const Carrier& carrier, const Clip& clip, const WeightMotion& options) {
  double largest = 0, sum = 0;
  std::size_t count = 0;
  for (int i = 0; i < options.moments; ++i) {
    const double fraction = options.moments == 1 ? 0 : static_cast<double>(i) / (options.moments - 1);
    const Pose pose = sample(clip, carrier.character.skeleton, clip.start() + clip.duration() * fraction);
    const auto global = global_transforms(carrier.character.skeleton, pose);
    for (const PartRows& rows : carrier.parts) {
      const auto matrices = united_matrices(carrier, rows.part->skin, global);
      const PositionError error = position_error(rows.positions, rows.own, rows.other, matrices);
      largest = std::max(largest, error.max);
      sum += error.mean * static_cast<double>(rows.positions.size());
      count += rows.positions.size();
    }
  }
  return {{"clip", clip.name},
          {"max", largest / options.size},
          {"mean", count > 0 ? sum / static_cast<double>(count) / options.size : 0}};
}

std::string pad(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string percent(const Json& share) { return number(100 * share.get<double>(), 3) + " %"; }

std::string histogram_text(const Json& histogram) {
  std::string text;
  for (std::size_t n = 1; n < histogram.size(); ++n) {
    text += (text.empty() ? "" : ", ") + std::to_string(n) + ": " + histogram[n].dump();
  }
  return text;
}

}  // namespace

WeightSets weight_sets(const Playback& a, const Playback& b, const Correspondence& correspondence) {
  WeightSets sets;
  sets.joints = unite_joints(a.character().skeleton, b.character().skeleton);
  sets.whole_a = welded_weights(a, sets.joints.of_a);
  sets.whole_b = welded_weights(b, sets.joints.of_b);
  for (const auto& [i, j] : correspondence.pairs) {
    sets.rows_a.add_row(sets.whole_a.row(i));
    sets.rows_b.add_row(sets.whole_b.row(j));
  }
  return sets;
}

Json compare_weights(const Playback& a, const Playback& b, const WeightSets& sets, const PruneOptions& prune) {
  Json json = difference_json(sets.rows_a, sets.rows_b);
  if (json["vertices"] == 0) return nullptr;
  json["pruned"] = difference_json(pruned(sets.rows_a, prune), pruned(sets.rows_b, prune));
  json["pruned"]["influences"] = prune.influences;
  json["pruned"]["threshold"] = prune.threshold;
  const std::size_t joints = sets.joints.names.size();
  const Side side_a{a, sets.whole_a, sets.joints.of_a, joints};
  const Side side_b{b, sets.whole_b, sets.joints.of_b, joints};
  json["smoothness"] = {{"a", smoothness(sets.whole_a, a.topology().edges)},
                        {"b", smoothness(sets.whole_b, b.topology().edges)}};
  json["influences"] = {{"a", influences_json(sets.whole_a)}, {"b", influences_json(sets.whole_b)}};
  json["bleed"] = {{"a", bleed_json(side_a)}, {"b", bleed_json(side_b)}};
  json["symmetry"] = {{"a", symmetry_json(side_a)}, {"b", symmetry_json(side_b)}};
  return json;
}

Json compare_weights_in_motion(const Playback& a, const Playback& b, const WeightSets& sets,
                               const WeightMotion& options) {
  const bool by_a = !a.character().clips.empty();
  const Playback& playback = by_a ? a : b;
  std::vector<std::pair<Index, Index>> pairs = options.correspondence.pairs;
  if (!by_a) {
    for (auto& pair : pairs) std::swap(pair.first, pair.second);
    std::sort(pairs.begin(), pairs.end());
  }
  const Character& character = playback.character();
  const Carrier carrier{
      character, by_a ? sets.joints.of_a : sets.joints.of_b,
      global_transforms(character.skeleton, rest_pose(character.skeleton)), sets.joints.names.size(),
      rows_by_part(playback, by_a ? sets.whole_a : sets.whole_b, by_a ? sets.whole_b : sets.whole_a, pairs)};
  if (character.clips.empty() || carrier.parts.empty()) return nullptr;
  Json clips = Json::array();
  double largest = 0, mean = 0;
  for (const Clip& clip : character.clips) {
    clips.push_back(play_clip(carrier, clip, options));
    largest = std::max(largest, clips.back()["max"].get<double>());
    mean += clips.back()["mean"].get<double>();
  }
  return {{"max", largest}, {"mean", mean / static_cast<double>(clips.size())}, {"clips", clips}};
}

void print_weights(const Session& session, const Json& w) {
  constexpr std::size_t kName = 22, kColumn = 14;
  const auto line = [&](const std::string& name, const std::string& first, const std::string& second) {
    session.print("  " + pad(name, kName) + pad(first, kColumn) + second);
  };
  const Json& pruned = w["pruned"];
  session.print("weights of " + count(w["vertices"], "vertex"));
  line("A against B", "as they are",
       "pruned to " + pruned["influences"].dump() + " influences of at least " + number(pruned["threshold"]));
  line("mean L1", number(w["l1_mean"]), number(pruned["l1_mean"]));
  line("largest L1", number(w["l1_max"]), number(pruned["l1_max"]));
  line("precision", percent(w["precision"]), percent(pruned["precision"]));
  line("recall", percent(w["recall"]), percent(pruned["recall"]));
  line("each by itself", "A", "B");
  line("smoothness", number(w["smoothness"]["a"]), number(w["smoothness"]["b"]));
  line("mean influences", number(w["influences"]["a"]["mean"]), number(w["influences"]["b"]["mean"]));
  line("bleed, mean", number(w["bleed"]["a"]["mean"]), number(w["bleed"]["b"]["mean"]));
  line("bleed, largest", number(w["bleed"]["a"]["max"]), number(w["bleed"]["b"]["max"]));
  const auto symmetry = [&](const char* side, const char* which) {
    const Json& json = w["symmetry"][side];
    return json.is_null() ? std::string("no mirror") : number(json[which]);
  };
  line("symmetry error, mean", symmetry("a", "mean"), symmetry("b", "mean"));
  line("symmetry error, max", symmetry("a", "max"), symmetry("b", "max"));
  session.print("  vertices by influences, A  " + histogram_text(w["influences"]["a"]["histogram"]));
  session.print("  vertices by influences, B  " + histogram_text(w["influences"]["b"]["histogram"]));
  if (!w["position_error"].is_null()) {
    session.print("  in motion: vertices are up to " + number(w["position_error"]["max"]) +
                  " of the box's diagonal apart, " + number(w["position_error"]["mean"]) + " in the mean");
  }
}

}  // namespace isochor::cli
