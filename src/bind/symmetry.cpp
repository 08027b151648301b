#include "isochor/bind/symmetry.h"

#include <algorithm>

namespace isochor {

MirrorSearch find_mirror(std::span<const Vec3> positions, std::span<const Handle> handles) {
  std::vector<Vec3> places;
  for (const Handle& handle : handles) places.push_back(handle.shapes.front().a);
  MirrorSearch search;
  auto pairs = find_mirror_pairs(positions, places);
  if (!pairs) {
    search.reason = "the mesh is not symmetric in x, y or z, so the weights stay as they are";
    return search;
  }
  const std::string axis(1, "xyz"[pairs->axis]);
  const auto alone = std::count(pairs->joints.begin(), pairs->joints.end(), kNone);
  if (alone > 0) {
    search.reason = "the mesh is symmetric in " + axis + ", but " + std::to_string(alone) +
                    " joints have no mirror image, so the weights stay as they are";
    return search;
  }
  search.reason = "symmetric in " + axis + ": " + std::to_string(pairs->paired) + " of " +
                  std::to_string(positions.size()) + " vertices share their weights with their mirror image";
  search.mirror = std::move(pairs);
  return search;
}

void symmetrise(SkinWeights& weights, const MirrorPairs& mirror) {
  SkinWeights result;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    row.assign(weights.row(v).begin(), weights.row(v).end());
    const Index image = mirror.vertices[v];
    if (image != kNone) {
      for (Influence& influence : row) influence.weight *= 0.5;
      for (const Influence& other : weights.row(static_cast<std::size_t>(image))) {
        const Index joint = mirror.joints[other.joint];
        const auto found = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == joint; });
        if (found != row.end()) {
          found->weight += 0.5 * other.weight;
        } else {
          row.push_back({joint, 0.5 * other.weight});
        }
      }
    }
    result.add_row(row);
  }
  weights = std::move(result);
  sort_by_weight(weights);
}

void limit_pairs(SkinWeights& weights, const MirrorPairs& mirror, Index k) {
  SkinWeights result;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    auto row = weights.row(v);
    if (row.size() > static_cast<std::size_t>(k)) {
      const Influence& last = row[k - 1];
      const Influence& next = row[k];
      const bool parts_pair = k > 1 && last.weight == next.weight && mirror.joints[last.joint] == next.joint;
      row = row.first(static_cast<std::size_t>(parts_pair ? k - 1 : k));
    }
    result.add_row(row);
  }
  weights = std::move(result);
}

}  // namespace isochor
