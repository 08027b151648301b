#include "bake/turned_faces.h"

#include <cmath>
#include <limits>

namespace isochor {

TurnedFaces::TurnedFaces(const WeldedCharacter& welded, std::span<const VolumeFunctional> volumes)
    : welded_(welded), volumes_(volumes) {
  median_areas_.reserve(volumes.size());
  for (const VolumeFunctional& faces : volumes) {
    median_areas_.push_back(median_face_area(faces, welded.surface().positions));
  }
}

double TurnedFaces::crushed(const PosedSkin& posed, std::size_t component) const {
  if (!welded_.has_volume(component)) return std::numeric_limits<double>::infinity();
  const double scale = std::cbrt(std::abs(posed.target_volumes[component] / posed.rest_volumes[component]));
  return kCrushedFace * scale * scale * median_areas_[component];
}

std::size_t TurnedFaces::count(const PosedSkin& posed, std::span<const Vec3> shown) const {
  std::size_t turned = 0;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    turned += face_turns(volumes_[c], posed.positions, shown, crushed(posed, c)).turned;
  }
  return turned;
}

}  // namespace isochor
