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
  return kCrushedFace * area_scale(posed, component) * median_areas_[component];
}

double TurnedFaces::area_scale(const PosedSkin& posed, std::size_t component) {
  const double scale = std::cbrt(std::abs(posed.target_volumes[component] / posed.rest_volumes[component]));
  return scale * scale;
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

TurnedFaces::FarOver TurnedFaces::far_over(const PosedSkin& posed, std::span<const Vec3> shown,
                                           std::span<const Vec3> wanted) const {
  // Cosines of 87 and 63 degrees: corrected skin keeps within 60, and a face that hovers about one of them asks for
  // nothing. Nor does one that the deformer crushes to a tenth: it turns over by itself within a moment, as others
  // around it do, and all of them would ask for most of the keys (329 of 511 of a dancing elephant).
  constexpr double kFarOver = 0.05, kWell = 0.45, kSmall = 0.1;
  FarOver out;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    const double least = crushed(posed, c);
    const double small = kSmall * area_scale(posed, c);
    for_each_moved_face(volumes_[c], posed.positions, shown, [&](std::size_t r, const Vec3& before, const Vec3& after) {
      FaceTurns seen;
      seen.add(before, after, least);
      if (seen.least_cosine >= kFarOver) return;
      if (before.norm() < small * area_vector(welded_.surface().positions, volumes_[c].ring(r)).norm()) {
        ++out.pressed;
        return;
      }
      FaceTurns meant;
      meant.add(before, area_vector(wanted, volumes_[c].ring(r)), least);
      const bool turns = seen.turned > meant.turned;
      out.asking += turns || meant.least_cosine > kWell ? 1 : 0;
    });
  }
  return out;
}

}  // namespace isochor
