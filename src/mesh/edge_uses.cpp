#include "mesh/edge_uses.h"

#include <algorithm>

namespace isochor::mesh {

EdgeKey edge_key(Index a, Index b) {
  const auto low = static_cast<std::uint32_t>(std::min(a, b)), high = static_cast<std::uint32_t>(std::max(a, b));
  return (static_cast<EdgeKey>(low) << 32u) | high;
}

EdgeUses::EdgeUses(const Surface& surface) {
  uses_.reserve(surface.corners.size());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (Index c = surface.face_begin[f]; c < surface.face_begin[f + 1]; ++c) {
      const Index next = c + 1 < surface.face_begin[f + 1] ? c + 1 : surface.face_begin[f];
      const Index a = surface.corners[c], b = surface.corners[next];
      if (a != b) uses_.push_back({edge_key(a, b), static_cast<Index>(f), c, next, a < b});
    }
  }
  std::sort(uses_.begin(), uses_.end(),
            [](const FaceEdge& x, const FaceEdge& y) { return x.key != y.key ? x.key < y.key : x.corner < y.corner; });
  for (std::size_t i = 1; i <= uses_.size(); ++i) {
    if (i == uses_.size() || uses_[i].key != uses_[i - 1].key) begin_.push_back(i);
  }
}

}  // namespace isochor::mesh
