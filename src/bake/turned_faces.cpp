#include "bake/turned_faces.h"

#include <cmath>
#include <limits>

namespace isochor {

std::vector<VolumeFunctional> component_volumes(const WeldedCharacter& welded) {
  std::vector<VolumeFunctional> out;
  for (const Component& component : welded.topology().components) out.emplace_back(welded.surface(), component);
  return out;
}

TurnedFaces::TurnedFaces(const WeldedCharacter& welded, std::span<const VolumeFunctional> volumes)
    : welded_(welded), volumes_(volumes) {
  median_areas_.reserve(volumes.size());
  for (const VolumeFunctional& faces : volumes) {
    median_areas_.push_back(median_face_area(faces, welded.surface().positions));
  }
}

double TurnedFaces::crushed(const PosedSkin& posed, std::size_t component) const {
  if (!welded_.has_volume(component)) return std::numeric_limits<double>::infinity();
  // What the pose does to lengths at rest, by its volume.
  const double scale = std::cbrt(std::abs(posed.target_volumes[component] / posed.rest_volumes[component]));
  return kCrushedFace * scale * scale * median_areas_[component];
}

std::size_t TurnedFaces::count(const PosedSkin& posed, std::span<const Vec3> before,
                               std::span<const Vec3> shown) const {
  std::size_t turned = 0;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    turned += face_turns(volumes_[c], before, shown, crushed(posed, c)).turned;
  }
  return turned;
}

std::size_t TurnedFaces::count_far_over(const PosedSkin& posed, std::span<const Vec3> shown) const {
  constexpr double kFarOver = 0.05;  // the cosine of 87 degrees
  std::size_t count = 0;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    const double least = crushed(posed, c);
    for_each_moved_face(volumes_[c], posed.positions, shown, [&](std::size_t, const Vec3& before, const Vec3& after) {
      FaceTurns turns;
      turns.add(before, after, least);
      count += turns.least_cosine < kFarOver ? 1 : 0;
    });
  }
  return count;
}

}  // namespace isochor
