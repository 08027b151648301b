#pragma once

/// Which bones warm which vertices: the nearest, if they are seen.

#include <array>
#include <span>
#include <vector>

#include "bind/sight.h"
#include "isochor/bind/handles.h"
#include "isochor/mesh/surface.h"

namespace isochor {

/// What warms one vertex.
struct Warmth {
  double strength = 0;  ///< one over the square of the distance
  std::vector<Index> handles;
};

class HeatFinder {
 public:
  /// Keeps references to the positions and the handles, which must outlive it.
  HeatFinder(const Surface& surface, std::span<const Handle> handles);

  /// Outward.
  std::span<const std::array<Index, 3>> triangles() const { return triangles_; }

  enum class Walls {
    stop,         ///< a bone behind a wall warms nothing
    let_through,  ///< the nearest bone warms, seen or not
  };
  /// The nearest handle, or handles that are as near; none if walls stop them. May be asked from many threads.
  Warmth find(std::size_t v, Walls walls) const;

 private:
  double length_to(std::size_t v, const Vec3& q) const;

  std::span<const Vec3> positions_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Vec3> normals_;
  SightTree sight_;
  std::span<const Handle> handles_;
  double nearest_;
};

}  // namespace isochor
