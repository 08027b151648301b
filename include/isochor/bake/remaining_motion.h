#pragma once

/// What is left of a held motion when the character shows some of it by itself.

#include "isochor/bake/held_motion.h"

namespace isochor {

/// The same motion as offsets on top of what `shown` plays by linear blend skinning: the character on which it was
/// held, with the same parts and clips, and joints that bring a share of the motion. Throws Error(bad_input) if it has
/// other parts, vertices or clips.
HeldMotion remaining_motion(const HeldMotion& motion, const WeldedCharacter& shown, Context& context);

}  // namespace isochor
