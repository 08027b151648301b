#pragma once

/// How the knight moves.

#include "isochor/rig/clip.h"

namespace isochor::model {

/// A walk in place.
Clip knight_walk(const Skeleton& skeleton);
/// The left arm goes up and greets.
Clip knight_wave(const Skeleton& skeleton);
/// Down on bent knees, sword forward, and up again.
Clip knight_crouch(const Skeleton& skeleton);

}  // namespace isochor::model
