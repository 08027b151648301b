#pragma once

/// The nearest of a set of points, by a tree. Equal distances go to the lower index.

#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

class NearestPoints {
 public:
  explicit NearestPoints(std::vector<Vec3> points);

  bool empty() const { return points_.empty(); }
  /// The index of the nearest point; kNone if there is none.
  Index find(const Vec3& p) const;

 private:
  struct Found {
    double distance2;
    Index index;
  };
  void build(std::size_t begin, std::size_t end);
  void search(std::size_t begin, std::size_t end, const Vec3& p, Found& best) const;

  static constexpr std::size_t kLeaf = 8;
  std::vector<Vec3> points_;
  std::vector<Index> order_;        ///< a balanced tree: the middle of each range is its node
  std::vector<std::uint8_t> axis_;  ///< by place in `order_`: the axis that the node splits
};

}  // namespace isochor
