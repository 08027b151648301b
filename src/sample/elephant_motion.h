#pragma once

/// How the elephant moves.

#include "isochor/rig/clip.h"

namespace isochor::model {

/// A walk in place: feet in the order left hind, left front, right hind, right front, as elephants have it at every
/// speed.
Clip elephant_walk(const Skeleton& skeleton);

/// Down on its haunches, front legs straight, trunk raised.
Clip elephant_sit(const Skeleton& skeleton);

}  // namespace isochor::model
