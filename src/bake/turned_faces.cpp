#include "bake/turned_faces.h"

#include <cmath>

namespace isochor {

TurnedFaces::TurnedFaces(const WeldedCharacter& welded, std::span<const VolumeFunctional> volumes)
    : welded_(welded), volumes_(volumes) {
  median_areas_.reserve(volumes.size());
  for (const VolumeFunctional& faces : volumes) {
    median_areas_.push_back(median_face_area(faces, welded.surface().positions));
  }
}

std::size_t TurnedFaces::count(const PosedSkin& posed, std::span<const Vec3> shown) const {
  std::size_t turned = 0;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    const double scale = std::cbrt(std::abs(posed.target_volumes[c] / posed.rest_volumes[c]));
    const double crushed = kCrushedFace * scale * scale * median_areas_[c];
    turned += face_turns(volumes_[c], posed.positions, shown, crushed).turned;
  }
  return turned;
}

}  // namespace isochor
