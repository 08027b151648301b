#include "bind/heat_finder.h"

#include <algorithm>
#include <limits>

#include "mesh/outward.h"

namespace isochor {
namespace {

/// Bones whose distances differ by less than this share a vertex.
constexpr double kAsNear = 1e-4;
/// No bone is nearer than this part of the surface's size: a vertex on a bone has no infinite heat.
constexpr double kNearestHeat = 1e-5;

}  // namespace

HeatFinder::HeatFinder(const Surface& surface, std::span<const Handle> handles)
    : positions_(surface.positions),
      triangles_(outward_triangles(surface)),
      normals_(mean_normals(positions_, triangles_)),
      sight_(positions_, triangles_),
      handles_(handles),
      nearest_(kNearestHeat * 2 * ball_around(positions_).radius) {}

Warmth HeatFinder::find(std::size_t v, Walls walls) const {
  std::vector<double> length(handles_.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t h = 0; h < handles_.size(); ++h) {
    length[h] = length_to(v, nearest_point(handles_[h], positions_[v]));
    least = std::min(least, length[h]);
  }
  Warmth warmth;
  for (std::size_t h = 0; h < handles_.size(); ++h) {
    if (!(length[h] <= least * (1 + kAsNear))) continue;  // nor is a handle without shapes near
    const bool seen = walls == Walls::let_through ||
                      !sight_.comes_in_from_outside(positions_[v], nearest_point(handles_[h], positions_[v]));
    if (seen) warmth.handles.push_back(static_cast<Index>(h));
  }
  if (warmth.handles.empty()) return warmth;
  least = std::max(least, nearest_);
  warmth.strength = static_cast<double>(warmth.handles.size()) / (least * least);
  return warmth;
}

/// The way to a point of a bone, longer where the skin faces away from it.
double HeatFinder::length_to(std::size_t v, const Vec3& q) const {
  const Vec3 way = positions_[v] - q;
  const double length = way.norm();
  if (!(length > 0)) return 0;
  return length / facing(way, normals_[v]);
}

}  // namespace isochor
