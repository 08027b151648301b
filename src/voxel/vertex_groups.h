#pragma once

/// Vertices that edges join, as groups numbered by position: a small union-find over the ends of some edges.

#include <algorithm>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

class VertexGroups {
 public:
  /// `ends` in any order, repeats allowed.
  explicit VertexGroups(std::vector<Index> ends) : ends_(std::move(ends)) {
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    parent_.resize(ends_.size());
    for (std::size_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
  }

  void join(Index a, Index b) { parent_[group(a)] = group(b); }
  /// Between 0 and size(); the same for all vertices of a group. `v` must be one of the ends.
  std::size_t group(Index v) {
    std::size_t i = static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), v) - ends_.begin());
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::size_t size() const { return ends_.size(); }
  /// Increasing, each once.
  const std::vector<Index>& ends() const { return ends_; }

 private:
  std::vector<Index> ends_;
  std::vector<std::size_t> parent_;
};

}  // namespace isochor
