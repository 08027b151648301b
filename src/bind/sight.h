#pragma once

/// What can be seen from where: triangles in a tree of boxes, asked by segments.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

class SightTree {
 public:
  /// Keeps `positions`, which must outlive it.
  SightTree(std::span<const Vec3> positions, std::vector<std::array<Index, 3>> triangles);

  /// Whether the segment runs into the front of a triangle somewhere between its ends: it was outside there. Leaving
  /// through a back does not count. Questions may be asked from many threads.
  bool comes_in_from_outside(const Vec3& from, const Vec3& to) const;

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    std::int32_t begin = 0, end = 0;  ///< its triangles
    std::int32_t skip = 0;            ///< the node after its subtree; a leaf where that is the next one
  };
  std::int32_t build(std::int32_t begin, std::int32_t end);

  std::span<const Vec3> positions_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Node> nodes_;  ///< each parent before its left, then its right subtree
};

}  // namespace isochor
