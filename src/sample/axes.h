#pragma once

/// The world in which the characters stand: x to their left, y up, z forward; left and right mirrored in x.

#include "isochor/base/types.h"

namespace isochor::model {

inline const Vec3 kX = Vec3::UnitX();
inline const Vec3 kY = Vec3::UnitY();
inline const Vec3 kZ = Vec3::UnitZ();

inline Vec3 reflect(const Vec3& p) { return {-p.x(), p.y(), p.z()}; }

}  // namespace isochor::model
