#include "isochor/bind/weight_comparison.h"

#include <algorithm>

namespace isochor {
namespace {

/// Both weight sets in one list of joints: as each file has them, and row by row for the vertices that belong together.
struct WeightSets {
  JointUnion joints;
  SkinWeights whole_a, whole_b;  ///< by welded vertex
  SkinWeights rows_a, rows_b;    ///< by pair of the correspondence
};

WeightSets weight_sets(const WeldedCharacter& a, const WeldedCharacter& b, const Correspondence& correspondence) {
  WeightSets sets;
  sets.joints = unite_joints(a.skeleton(), b.skeleton());
  sets.whole_a = united_weights(a, sets.joints.of_a);
  sets.whole_b = united_weights(b, sets.joints.of_b);
  for (const auto& [i, j] : correspondence.pairs) {
    sets.rows_a.add_row(sets.whole_a.row(i));
    sets.rows_b.add_row(sets.whole_b.row(j));
  }
  return sets;
}

double mean_influences(std::span<const std::size_t> histogram) {
  double sum = 0, bound = 0;
  for (std::size_t n = 1; n < histogram.size(); ++n) {
    sum += static_cast<double>(n) * static_cast<double>(histogram[n]);
    bound += static_cast<double>(histogram[n]);
  }
  return bound > 0 ? sum / bound : 0;
}

WeightSide side_of(const WeldedCharacter& welded, const SkinWeights& weights, const std::vector<Index>& place,
                   std::size_t joints) {
  WeightSide side;
  side.smoothness = smoothness(weights, welded.topology().edges);
  side.influences = influence_histogram(weights);
  side.mean_influences = mean_influences(side.influences);
  side.bleed = bleed(weights, united_parents(welded.skeleton(), place, joints));
  const RestSpace space = welded.rest_space();
  std::vector<Vec3> positions(joints, Vec3::Zero());
  for (std::size_t j = 0; j < place.size(); ++j) {
    if (place[j] != kNone) positions[place[j]] = space.bind[j].translation();
  }
  side.mirror = find_mirror_pairs(space.rest, positions);
  if (side.mirror) side.symmetry = symmetry_error(weights, *side.mirror);
  return side;
}

/// The vertices of one skinned part, with both weight sets.
struct PartRows {
  const Part* part = nullptr;
  std::vector<Vec3> positions;
  SkinWeights own, other;
};

/// The character whose clips are played, and what it carries.
struct Carrier {
  const WeldedCharacter& welded;
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

std::vector<PartRows> rows_by_part(const WeldedCharacter& carrier, const SkinWeights& own, const SkinWeights& other,
                                   const std::vector<std::pair<Index, Index>>& pairs) {
  std::vector<PartRows> parts(carrier.character().parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].part = &carrier.character().parts[p];
  Index last = kNone;
  for (const auto& [i, j] : pairs) {
    if (i == last || own.row(i).empty() || other.row(j).empty()) continue;
    last = i;
    PartRows& rows = parts[carrier.whole().first_vertex(i).part];
    rows.positions.push_back(carrier.surface().positions[i]);
    rows.own.add_row(own.row(i));
    rows.other.add_row(other.row(j));
  }
  std::erase_if(parts, [](const PartRows& rows) { return rows.positions.empty(); });
  return parts;
}

/// The progress goes from `done` by `share`.
ClipPositionError play_clip(const Carrier& carrier, const Clip& clip, int moments, double done, double share,
                            Context& context) {
  ClipPositionError result{.clip = clip.name};
  double sum = 0;
  std::size_t count = 0;
  const std::vector<double> times = even_times(clip, moments);
  for (const double time : times) {
    context.progress("weights in motion", done);
    done += share / static_cast<double>(times.size());
    const auto global = global_transforms(carrier.welded.skeleton(), sample(clip, carrier.welded.skeleton(), time));
    for (const PartRows& rows : carrier.parts) {
      const auto matrices = united_matrices(carrier, rows.part->skin, global);
      const PositionError error = position_error(rows.positions, rows.own, rows.other, matrices);
      result.max = std::max(result.max, error.max);
      sum += error.mean * static_cast<double>(rows.positions.size());
      count += rows.positions.size();
    }
  }
  result.mean = count > 0 ? sum / static_cast<double>(count) : 0;
  return result;
}

}  // namespace

std::optional<WeightComparison> compare_weights(const WeldedCharacter& a, const WeldedCharacter& b,
                                                const Correspondence& correspondence, const PruneOptions& prune,
                                                Context& context) {
  // Shares of the time on 444,000 vertices.
  context.progress("weights", 0);
  const WeightSets sets = weight_sets(a, b, correspondence);
  context.progress("weights", 0.1);
  WeightComparison result;
  result.difference = weight_difference(sets.rows_a, sets.rows_b);
  if (result.difference.vertices > 0) {
    context.progress("weights", 0.2);
    result.pruned = weight_difference(pruned(sets.rows_a, prune), pruned(sets.rows_b, prune));
    context.progress("weights", 0.4);
    result.a = side_of(a, sets.whole_a, sets.joints.of_a, sets.joints.names.size());
    context.progress("weights", 0.7);
    result.b = side_of(b, sets.whole_b, sets.joints.of_b, sets.joints.names.size());
  }
  context.progress("weights", 1);
  if (result.difference.vertices == 0) return std::nullopt;
  return result;
}

std::vector<ClipPositionError> compare_weights_in_motion(const WeldedCharacter& a, const WeldedCharacter& b,
                                                         const Correspondence& correspondence, int moments,
                                                         Context& context) {
  const WeightSets sets = weight_sets(a, b, correspondence);
  const bool by_a = !a.character().clips.empty();
  const WeldedCharacter& welded = by_a ? a : b;
  std::vector<std::pair<Index, Index>> pairs = correspondence.pairs;
  if (!by_a) {
    for (auto& pair : pairs) std::swap(pair.first, pair.second);
    std::sort(pairs.begin(), pairs.end());
  }
  const Carrier carrier{
      welded, by_a ? sets.joints.of_a : sets.joints.of_b,
      global_transforms(welded.skeleton(), rest_pose(welded.skeleton())), sets.joints.names.size(),
      rows_by_part(welded, by_a ? sets.whole_a : sets.whole_b, by_a ? sets.whole_b : sets.whole_a, pairs)};
  std::vector<ClipPositionError> errors;
  if (carrier.parts.empty()) return errors;
  const auto& clips = welded.character().clips;
  const double share = 1 / std::max<double>(1, static_cast<double>(clips.size()));
  for (const Clip& clip : clips) {
    const double done = share * static_cast<double>(errors.size());
    errors.push_back(play_clip(carrier, clip, moments, done, share, context));
  }
  context.progress("weights in motion", 1);
  return errors;
}

}  // namespace isochor
