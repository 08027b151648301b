#pragma once

/// Scenes for the renderer from characters in a pose.

#include <span>
#include <string>

#include "isochor/deform/posed_skin.h"
#include "isochor/render/render.h"

namespace isochor {

/// The character's meshes as posed, in the colours of their materials.
Scene scene_of(const Character& character, std::span<const PosedPart> parts);

/// Adds the skeleton in that pose: deforming joints only.
void add_bones(Scene& scene, const Skeleton& skeleton, const Pose& pose);

/// Adds the skeleton where it was when the character was bound, in the rest space of the welded character.
void add_bind_bones(Scene& scene, const WeldedCharacter& welded);

/// Draws lines where faces of the posed character cross that do not at rest; returns how many pairs of them there are.
std::size_t add_crossings(Scene& scene, const Character& character, std::span<const PosedPart> parts);

/// Colours vertices by the weight of the joint of that name, or, if the name is a pattern that several joints fit,
/// by a colour of each joint's own, blended by the weights; throws if no skinned part has such a joint.
void show_weights(Scene& scene, const Character& character, const std::string& joint);

/// The box of a character over some moments of a clip, so that all pictures of it are taken from the same place.
Box box_over_clip(const WeldedCharacter& welded, const Clip& clip, const Context& context);

}  // namespace isochor
