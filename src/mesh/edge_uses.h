#pragma once

/// Every passage of a face along an edge, sorted by edge.

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/mesh/surface.h"

namespace isochor::mesh {

/// An edge, the same for both of its directions.
using EdgeKey = std::uint64_t;
EdgeKey edge_key(Index a, Index b);

struct FaceEdge {
  EdgeKey key = 0;
  Index face = 0;
  Index corner = 0;     ///< into Surface::corners: where the edge begins
  Index next = 0;       ///< where it ends
  bool forward = true;  ///< the face runs from the lower vertex to the higher one
};

class EdgeUses {
 public:
  explicit EdgeUses(const Surface& surface);

  std::size_t edge_count() const { return begin_.size() - 1; }
  std::span<const FaceEdge> edge(std::size_t e) const {
    return {uses_.data() + begin_[e], uses_.data() + begin_[e + 1]};
  }

 private:
  std::vector<FaceEdge> uses_;
  std::vector<std::size_t> begin_ = {0};
};

/// Whether two faces, and no more, meet there and run through it in opposite directions.
inline bool joins_two(std::span<const FaceEdge> edge) { return edge.size() == 2 && edge[0].forward != edge[1].forward; }

}  // namespace isochor::mesh
