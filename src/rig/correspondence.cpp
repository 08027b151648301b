#include "isochor/rig/correspondence.h"

#include <algorithm>
#include <map>

#include "isochor/mesh/nearest_points.h"

namespace isochor {
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

Correspondence correspond(const WeldedCharacter& a, const WeldedCharacter& b) {
  Correspondence result;
  const auto& part_a = a.whole().part_begin;
  if (part_a == b.whole().part_begin) {
    for (Index v = 0; v < part_a.back(); ++v)
      result.pairs.emplace_back(a.whole().weld.vertex[v], b.whole().weld.vertex[v]);
    std::sort(result.pairs.begin(), result.pairs.end());
    result.pairs.erase(std::unique(result.pairs.begin(), result.pairs.end()), result.pairs.end());
    return result;
  }
  result.kind = CorrespondenceKind::nearest;
  const NearestPoints nearest(b.surface().positions);
  for (std::size_t v = 0; v < a.surface().vertex_count(); ++v) {
    result.pairs.emplace_back(static_cast<Index>(v), nearest.find(a.surface().positions[v]));
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

SkinWeights united_weights(const WeldedCharacter& welded, const std::vector<Index>& place) {
  SkinWeights weights;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < welded.weights().vertex_count(); ++v) {
    row.clear();
    const PartVertex first = welded.whole().first_vertex(static_cast<Index>(v));
    if (!has_weight(welded.character().parts[first.part], first.vertex)) {
      weights.add_row(row);
      continue;
    }
    for (const Influence& i : welded.weights().row(v)) {
      const WeldedCharacter::Bone& bone = welded.bones()[i.joint];
      if (bone.slot != kNone) row.push_back({place[bone.joint], i.weight});
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

}  // namespace isochor
