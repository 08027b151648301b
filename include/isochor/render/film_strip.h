#pragma once

/// Moments of a character side by side, all seen from one place: a clip at a glance.
///
///   std::vector<StripMoment> moments;
///   for (const double time : even_times(clip, 5)) moments.push_back({sample(clip, character.skeleton, time),
///   clip.name}); write_png(render_strip(character, moments, {}, {}, context).image, "walk.png");

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isochor/render/character_scene.h"
#include "isochor/render/medial_scene.h"

namespace isochor {

struct StripMoment {
  Pose pose;
  std::string label;  ///< below the picture, where there are several
};

/// A rig made by prepare_medial() for this welded character.
struct MedialOf {
  const WeldedCharacter& welded;
  const PreparedMedial& medial;
};

struct StripOptions {
  Deformer deformer = Deformer::lbs;
  bool bind_pose = false;              ///< skins in the shape that they were bound in, whatever the pose
  bool bones = false;                  ///< the skeleton over the skin
  bool crossings = false;              ///< lines where skin passes through skin, see add_crossings()
  bool follow = false;                 ///< each moment is framed by itself, not all from one place
  std::string weights_of = {};         ///< colours of weights, see show_weights(); empty: of materials
  std::optional<MedialColor> complex;  ///< the medial complex in place of the skin
  std::vector<View> views = {};        ///< several of each moment; empty: the camera's
};

struct Strip {
  Image image;
  std::vector<std::size_t> crossings;  ///< by moment: pairs of faces, if they were asked for
};

/// One moment is a picture of its own. `medial` is needed if the deformer is medial or the complex is drawn; otherwise
/// Error(bad_input). Stages in the context: those of render().
Strip render_strip(const Character& character, std::span<const StripMoment> moments, const StripOptions& options,
                   const RenderOptions& picture, Context& context, const std::optional<MedialOf>& medial = {});

}  // namespace isochor
