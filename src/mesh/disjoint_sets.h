#pragma once

/// Things that are joined step by step: which of them belong together.

#include <algorithm>
#include <numeric>
#include <vector>

#include "isochor/base/types.h"

namespace isochor::mesh {

/// Union by lowest index, so that the result does not depend on the order of joins.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  Index find(Index i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }
  void join(Index a, Index b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace isochor::mesh
