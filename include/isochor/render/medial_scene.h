#pragma once

/// Pictures of the medial complex: its triangles, segments as rods, points as dots, coloured by the radius of their
/// balls or by the joints that move them; in the shape that the skin was bound in, or as a pose moves it.

#include "isochor/base/context.h"
#include "isochor/bind/prepare_medial.h"
#include "isochor/medial/complex.h"
#include "isochor/render/render.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

enum class MedialColor {
  radius,  ///< of the balls
  joint,   ///< each joint in a colour of its own, blended by how much it moves them
};
template <>
struct EnumNames<MedialColor> {
  static constexpr std::array names{"radius", "joint"};
};

struct MedialPicture {
  MedialColor color = MedialColor::radius;
  int resolution = 128;  ///< a power of two from 8 to 256
  MedialOptions medial;
};

/// What the scene shows: the complex, and how far its balls are from the skin.
struct MedialScene {
  Scene scene;
  Medial medial;
  double mean_error = 0;  ///< of the vertices of the skin, relative to the diagonal of its box
  double max_error = 0;
};

/// The complex of the bind shape, coloured by radius, whatever the colour of the options: no joint is asked. The
/// view box of the picture becomes that of the skin. Throws Error(bad_input) if there is no mesh or the resolution is
/// no power of two from 8 to 256.
MedialScene medial_scene(const WeldedCharacter& welded, const MedialPicture& options, RenderOptions& picture,
                         Context& context);

/// The complex as the joints move it in a pose; in the shape that was bound if there is none. Radii are those at bind
/// time. It is drawn with back faces as front faces: RenderOptions::back_faces.
Scene moved_medial_scene(const WeldedCharacter& welded, const PreparedMedial& medial, const Pose* pose,
                         MedialColor color);

}  // namespace isochor
