#pragma once

/// A refined character takes the place of the one that was loaded, and of the one in its document.

#include "isochor/io/load.h"
#include "isochor/rig/refined_character.h"

namespace isochor {

/// `refined` was made of loaded.character. If that came from a glTF, its document is brought up to date and edited, and
/// the character is what the document holds then: vertices that a primitive had come first in it, and materials,
/// textures, and everything else in the document survive. The clips keep their numbers.
void take_refined(const RefinedCharacter& refined, Loaded& loaded);

}  // namespace isochor
