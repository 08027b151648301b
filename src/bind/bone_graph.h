#pragma once

/// Ways along the bones of a skeleton: the ends of handles, joined where they meet or hang from each other.

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "isochor/bind/handles.h"

namespace isochor {

class BoneGraph {
 public:
  /// Ends nearer than `near` are one. Keeps the handles, which must outlive it.
  BoneGraph(std::span<const Handle> handles, double near);

  struct Place {
    Index handle = kNone;
    std::size_t shape = 0;
    double distance = std::numeric_limits<double>::infinity();  ///< to the bone
  };
  /// The bone that is nearest to a point, by straight lines.
  Place nearest(const Vec3& p) const;

  /// Whether the way along the bones from below p to below q is longer than `times` the sum of their distances to bone.
  bool apart(const Vec3& p, const Vec3& q, double times) const;

 private:
  struct Ends {
    std::size_t a, b;
  };
  struct Way {
    double length;
    std::size_t node;
  };

  void join(std::size_t a, std::size_t b, double length);
  std::size_t node(const Vec3& p, double near);
  std::array<Way, 2> ways_to_ends(const Place& place, const Vec3& p) const;
  std::vector<double> lengths_from(std::span<const Way> starts, double limit) const;

  std::span<const Handle> handles_;
  std::vector<Vec3> nodes_;
  std::vector<std::vector<Way>> edges_;  ///< by node
  std::vector<std::vector<Ends>> ends_;  ///< by handle and shape
};

}  // namespace isochor
