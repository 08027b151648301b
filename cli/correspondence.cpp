#include "correspondence.h"

#include <algorithm>
#include <map>

#include "bind_pose.h"
#include "isochor/mesh/nearest_points.h"

namespace isochor::cli {
namespace {

using NameAndTurn = std::pair<std::string, int>;

/// Places joints by name and by which of that name they are.
std::vector<Index> place_joints(const Skeleton& skeleton, std::map<NameAndTurn, Index>& places, JointUnion& all) {
  std::map<std::string, int> seen;
  std::vector<Index> result(skeleton.size(), kNone);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.deforms) continue;
    const auto [it, is_new] =
        places.emplace(NameAndTurn{joint.name, seen[joint.name]++}, static_cast<Index>(all.names.size()));
    if (is_new) all.names.push_back(joint.name);
    result[j] = it->second;
  }
  return result;
}

}  // namespace

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
    const NearestPoints nearest(b.surface().positions);
    for (std::size_t v = 0; v < a.surface().vertex_count(); ++v) {
      result.pairs.emplace_back(static_cast<Index>(v), nearest.find(a.surface().positions[v]));
    }
  }
  return result;
}

JointUnion unite_joints(const Skeleton& a, const Skeleton& b) {
  JointUnion all;
  std::map<NameAndTurn, Index> places;
  all.of_a = place_joints(a, places, all);
  all.of_b = place_joints(b, places, all);
  return all;
}

PartVertex part_vertex(const Playback& playback, Index welded) {
  const Index source = playback.whole().weld.first_source[welded];
  const auto& begin = playback.whole().part_begin;
  const auto p = static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), source) - begin.begin()) - 1;
  return {p, source - begin[p]};
}

SkinWeights welded_weights(const Playback& playback, const std::vector<Index>& place) {
  SkinWeights weights;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < playback.surface().vertex_count(); ++v) {
    const PartVertex at = part_vertex(playback, static_cast<Index>(v));
    const Part& part = playback.character().parts[at.part];
    row.clear();
    if (part.skinned()) {
      for (const Influence& i : part.weights.row(at.vertex)) {
        row.push_back({place[part.skin.joints[i.joint]], i.weight});
      }
    }
    weights.add_row(row);
  }
  return weights;
}

std::vector<Index> united_parents(const Skeleton& skeleton, const std::vector<Index>& place, std::size_t count) {
  std::vector<Index> parents(count, kNone);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (place[j] == kNone) continue;
    Index above = skeleton.joints[j].parent;
    while (above != kNone && place[above] == kNone) above = skeleton.joints[above].parent;
    if (above != kNone) parents[place[j]] = place[above];
  }
  return parents;
}

std::vector<Vec3> bind_positions(const Character& character, const std::vector<Index>& place, std::size_t count) {
  std::vector<Vec3> positions(count, Vec3::Zero());
  const auto matrices = bind_matrices(character);
  for (std::size_t j = 0; j < place.size(); ++j) {
    if (place[j] != kNone) positions[place[j]] = matrices[j].translation();
  }
  return positions;
}

}  // namespace isochor::cli
