#include "isochor/deform/welded_skin.h"

#include <algorithm>
#include <map>
#include <utility>

namespace isochor {

WeldedSkin::WeldedSkin(const Playback& playback) : playback_(playback) {
  const Character& character = playback.character();
  const std::vector<Affine> rest = global_transforms(character.skeleton, rest_pose(character.skeleton));
  std::vector<Index> first_bone;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    first_bone.push_back(static_cast<Index>(bones_.size()));
    for (std::size_t j = 0; j < part.skin.joints.size(); ++j) {
      bones_.push_back({static_cast<Index>(p), static_cast<Index>(j), part.skin.joints[j]});
      rest_inverse_.push_back(part.skin.inverse_bind[j]);
    }
    if (part.skinned()) continue;
    bones_.push_back({static_cast<Index>(p), kNone, part.node});
    const bool moves = part.node != kNone && rest[part.node].linear().determinant() != 0;
    if (!moves) bones_.back().joint = kNone;
    rest_inverse_.push_back(moves ? Affine(rest[part.node].inverse()) : Affine::Identity());
  }

  const WholeSurface& whole = playback.whole();
  std::map<std::pair<Index, Index>, double> sums;
  std::vector<Influence> row;
  std::size_t p = 0;
  for (std::size_t v = 0; v < whole.weld.first_source.size(); ++v) {
    const Index source = whole.weld.first_source[v];
    while (whole.part_begin[p + 1] <= source) ++p;
    while (whole.part_begin[p] > source) --p;
    const Part& part = character.parts[p];
    row.clear();
    if (part.skinned()) {
      for (const Influence& i : part.weights.row(source - whole.part_begin[p])) {
        row.push_back({first_bone[p] + i.joint, i.weight});
      }
    } else {
      row.push_back({first_bone[p], 1});
    }
    weights_.add_row(row);
    const Index component = topology().component_of_vertex[v];
    if (component == kNone) continue;
    for (const Influence& i : row) sums[{component, i.joint}] += i.weight;
  }
  std::vector<double> totals(topology().components.size(), 0.0);
  for (const auto& [key, weight] : sums) totals[key.first] += weight;
  shares_.resize(totals.size());
  for (const auto& [key, weight] : sums) {
    if (totals[key.first] > 0) shares_[key.first].push_back({key.second, weight / totals[key.first]});
  }
}

void WeldedSkin::matrices(std::span<const Affine> global, std::span<Affine> out) const {
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    out[b] = bones_[b].joint == kNone ? Affine::Identity() : Affine(global[bones_[b].joint] * rest_inverse_[b]);
  }
}

void WeldedSkin::pose(const Pose& pose, Deformer deformer, PosedSkin& out, const Context& context) const {
  const std::size_t vertices = surface().vertex_count();
  out.global.resize(skeleton().size());
  out.matrices.resize(bones_.size());
  global_transforms(skeleton(), pose, out.global);
  matrices(out.global, out.matrices);

  out.rest.resize(vertices);
  out.maps.resize(vertices);
  out.positions.resize(vertices);
  out.target_volumes.resize(topology().components.size());
  morph(pose, out.rest);
  vertex_maps(deformer, {.positions = out.rest, .weights = weights_}, out.matrices, out.maps, context);
  transform_positions(out.maps, out.rest, out.positions);
  for (std::size_t c = 0; c < out.target_volumes.size(); ++c) {
    out.target_volumes[c] = target_volume(static_cast<Index>(c), out.matrices);
  }
}

void WeldedSkin::morph(const Pose& pose, std::span<Vec3> rest) const {
  std::copy(surface().positions.begin(), surface().positions.end(), rest.begin());
  const WholeSurface& whole = playback_.whole();
  const Character& character = playback_.character();
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (part.morphs.empty()) continue;
    const PosedPart morphed = morphed_part(part, pose);
    for (Index v = whole.part_begin[p]; v < whole.part_begin[p + 1]; ++v) {
      const Index welded = whole.weld.vertex[v];
      if (whole.weld.first_source[welded] != v) continue;
      const Index local = v - whole.part_begin[p];
      const Vec3 offset = morphed.positions[local] - part.surface.positions[local];
      if (part.skinned() || part.node == kNone) {
        rest[welded] += offset;
        continue;
      }
      // Unskinned parts lie where the rest pose puts them.
      const Affine& inverse = rest_inverse_[weights_.row(welded)[0].joint];
      rest[welded] += inverse.linear().inverse() * offset;
    }
  }
}

double WeldedSkin::target_volume(Index component, std::span<const Affine> matrices) const {
  double scale = shares_[component].empty() ? 1 : 0;
  for (const Share& share : shares_[component]) scale += share.weight * matrices[share.bone].linear().determinant();
  return scale * playback_.rest_volumes()[component];
}

}  // namespace isochor
