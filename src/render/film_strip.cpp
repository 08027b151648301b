#include "isochor/render/film_strip.h"

#include "isochor/base/error.h"
#include "isochor/render/sheet.h"

namespace isochor {
namespace {

/// The parts as the pose has them. By the medial all are posed at once; the others one by one.
std::vector<PosedPart> parts_at(const Character& character, const Pose& pose, const StripOptions& options,
                                const MedialOf* medial, const Context& context) {
  if (options.deformer == Deformer::medial) {
    return play(medial->welded, pose, {Deformer::medial, &medial->medial.rig}, context).parts;
  }
  std::vector<PosedPart> parts;
  for (const Part& part : character.parts) {
    parts.push_back(options.bind_pose && part.skinned() ? PosedPart{part.surface.positions, part.normals}
                                                        : pose_part(character, part, pose, options.deformer, context));
  }
  return parts;
}

Scene scene_at(const Character& character, const Pose& pose, const StripOptions& options, const MedialOf* medial,
               std::vector<std::size_t>& crossings, const Context& context) {
  Scene scene;
  if (options.complex) {
    scene = moved_medial_scene(medial->welded, medial->medial, &pose, *options.complex);
  } else {
    const std::vector<PosedPart> parts = parts_at(character, pose, options, medial, context);
    scene = scene_of(character, parts);
    if (options.crossings) crossings.push_back(add_crossings(scene, character, parts));
    if (!options.weights_of.empty()) show_weights(scene, character, options.weights_of);
  }
  if (options.bones) add_bones(scene, character.skeleton, pose);
  return scene;
}

}  // namespace

Strip render_strip(const Character& character, std::span<const StripMoment> moments, const StripOptions& options,
                   const RenderOptions& picture, Context& context, const std::optional<MedialOf>& medial) {
  if (!medial && (options.complex || options.deformer == Deformer::medial)) {
    throw_bad_input("pictures by the medial need its rig: prepare_medial()");
  }
  Strip strip;
  RenderOptions each = picture;
  if (options.complex) each.back_faces = BackFaces::same;
  std::vector<Scene> scenes;
  Box box;
  for (const StripMoment& moment : moments) {
    scenes.push_back(scene_at(character, moment.pose, options, medial ? &*medial : nullptr, strip.crossings, context));
    box.extend(scene_box(scenes.back()));
  }
  const bool several = scenes.size() > 1;
  if (several && !options.follow) each.view_box = box;

  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    context.progress("render", static_cast<double>(i) / static_cast<double>(scenes.size()));
    Image image = options.views.empty() ? render(scenes[i], each, context).image
                                        : render_views(scenes[i], options.views, each, context);
    tiles.push_back({std::move(image), several ? moments[i].label : ""});
  }
  context.progress("render", 1);
  strip.image = tiles.size() == 1 ? std::move(tiles[0].image) : compose(tiles);
  return strip;
}

}  // namespace isochor
