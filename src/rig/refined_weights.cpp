#include "rig/refined_weights.h"

#include <algorithm>

namespace isochor::rig {
namespace {

bool same_bone(const WeldedCharacter& welded, std::size_t a, std::size_t b) {
  const WeldedCharacter::Bone& x = welded.bones()[a];
  const WeldedCharacter::Bone& y = welded.bones()[b];
  const bool skinned = x.slot != kNone && y.slot != kNone;
  return skinned && x.joint == y.joint && welded.inverse_binds()[a].matrix() == welded.inverse_binds()[b].matrix();
}

/// Adds `share` of a weight to a row that is sorted by nothing: rows are short.
void add_influence(std::vector<Influence>& row, Index bone, double weight) {
  const auto found = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == bone; });
  if (found != row.end()) {
    found->weight += weight;
  } else {
    row.push_back({bone, weight});
  }
}

SkinWeights in_common_bones(const WeldedCharacter& welded, const CommonBones& bones) {
  SkinWeights rows;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < welded.weights().vertex_count(); ++v) {
    row.clear();
    for (const Influence& i : welded.weights().row(v)) add_influence(row, bones.common[i.joint], i.weight);
    rows.add_row(row);
  }
  return rows;
}

/// Bones that none of the parents follows have no weight: a slope farther away must not bring them in.
std::vector<Influence> smooth_row(const SkinWeights& rows, const RefinedSurface& fine, std::size_t n) {
  std::vector<Influence> row;
  for (const Index p : fine.parents_of(n)) {
    for (const Influence& i : rows.row(p)) add_influence(row, i.joint, 0);
  }
  for (const RefinedSurface::Term& term : fine.terms_of(n)) {
    for (const Influence& i : rows.row(term.vertex)) {
      const auto found = std::find_if(row.begin(), row.end(), [&](const Influence& x) { return x.joint == i.joint; });
      if (found != row.end()) found->weight += term.share * i.weight;
    }
  }
  return row;
}

}  // namespace

CommonBones common_bones(const WeldedCharacter& welded) {
  const auto all = welded.bones();
  CommonBones bones;
  std::vector<std::vector<Index>> of_joint(welded.skeleton().size());  // the common ones
  for (std::size_t b = 0; b < all.size(); ++b) {
    Index common = static_cast<Index>(b);
    if (all[b].joint != kNone) {
      auto& known = of_joint[all[b].joint];
      const auto same = std::find_if(known.begin(), known.end(), [&](Index k) { return same_bone(welded, b, k); });
      if (same != known.end()) common = *same;
      if (common == static_cast<Index>(b)) known.push_back(common);
    }
    bones.common.push_back(common);
  }
  bones.slot.assign(welded.character().parts.size(), std::vector<Index>(all.size(), kNone));
  for (std::size_t b = 0; b < all.size(); ++b) {
    Index& slot = bones.slot[all[b].part][bones.common[b]];
    if (slot == kNone) slot = all[b].slot;
  }
  return bones;
}

std::vector<Influence> mean_row(const SkinWeights& weights, std::span<const Index> vertices) {
  std::vector<Influence> row;
  for (const Index v : vertices) {
    for (const Influence& i : weights.row(v))
      add_influence(row, i.joint, i.weight / static_cast<double>(vertices.size()));
  }
  return row;
}

void tidy_row(std::vector<Influence>& row, std::size_t most) {
  std::erase_if(row, [](const Influence& i) { return !(i.weight > 0); });
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  if (row.size() > most) row.resize(most);
  double sum = 0;
  for (const Influence& i : row) sum += i.weight;
  for (Influence& i : row) i.weight /= sum;
}

std::size_t most_influences(const SkinWeights& weights) {
  return 4 * std::max<std::size_t>(1, (static_cast<std::size_t>(weights.max_influences()) + 3) / 4);
}

RefinedWeights refine_weights(const WeldedCharacter& welded, const CommonBones& bones, const RefinedSurface& fine) {
  RefinedWeights out{in_common_bones(welded, bones), {}};
  out.open.assign(fine.surface.vertex_count(), 0);
  for (const WeldedCharacter::Stray& stray : welded.strays()) {
    if (stray.follows_others) out.open[stray.welded] = 1;
  }
  const std::size_t old = welded.surface().vertex_count(), most = most_influences(welded.weights());
  for (std::size_t n = 0; n < fine.new_count(); ++n) {
    const auto parents = fine.parents_of(n);
    const bool open = std::any_of(parents.begin(), parents.end(), [&](Index p) { return out.open[p] != 0; });
    out.open[old + n] = open ? 1 : 0;
    std::vector<Influence> row = open ? mean_row(out.rows, parents) : smooth_row(out.rows, fine, n);
    tidy_row(row, most);
    out.rows.add_row(row);
  }
  return out;
}

}  // namespace isochor::rig
