#pragma once

/// What a correction leaves on the skin that skinning alone does not show: faces turned over, creases, back faces.

#include <span>

#include "isochor/rig/welded_character.h"

namespace isochor::bench {

struct Scars {
  std::size_t turned = 0;  ///< faces whose normal is more than 90° away from skinning's
  double turn = 0;         ///< the largest angle between the two, in degrees
  double crease = 0;       ///< the largest growth of the angle between two neighbouring faces, in degrees
};
/// Faces smaller than a thousandth of the median, in either shape, are left out.
Scars find_scars(const WeldedCharacter& welded, std::span<const Vec3> skinned, std::span<const Vec3> corrected);

/// The share of the pixels that show a back face, of those that show anything, in eight views around.
double back_pixels(const WeldedCharacter& welded, std::span<const Vec3> positions);

}  // namespace isochor::bench
