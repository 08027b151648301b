#include "isochor/show/comparison.h"

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor {
namespace {

double diagonal(std::span<const Vec3> positions) { return std::max(bounding_box(positions).diagonal().norm(), 1e-300); }

double size_at_rest(const WeldedCharacter& welded, Context& context) {
  return diagonal(play(welded, rest_pose(welded.skeleton()), Deformer::lbs, context).positions);
}

/// The volume of a glTF is that of the triangles that viewers draw. Vertices are the same.
Character drawn_by_viewers(const Loaded& loaded) {
  return loaded.as_read ? read_gltf(loaded.as_read->document, {.polygons = false}).character : loaded.character;
}

void compare_in_motion(std::vector<ClipPositionError> errors, double size, CharacterComparison& out) {
  for (ClipPositionError& clip : errors) {
    clip.max /= size;
    clip.mean /= size;
    out.worst_in_motion.max = std::max(out.worst_in_motion.max, clip.max);
    out.worst_in_motion.mean += clip.mean;
  }
  if (!errors.empty()) out.worst_in_motion.mean /= static_cast<double>(errors.size());
  out.weights_in_motion = std::move(errors);
}

/// In the units of the file.
std::vector<ClipComparison> shared_clips(const Loaded& a, const Loaded& b, const Correspondence& correspondence,
                                         int moments, Context& context) {
  const Character drawn_a = drawn_by_viewers(a), drawn_b = drawn_by_viewers(b);
  const WeldedCharacter played_a(drawn_a), played_b(drawn_b);
  std::vector<ClipComparison> clips;
  for (const Clip& clip : a.character.clips) {
    if (b.character.find_clip(clip.name) == nullptr) continue;
    clips.push_back(compare_clip(played_a, played_b, correspondence, clip.name, moments, context));
  }
  return clips;
}

void divide(ShapeDistance& distance, double size) {
  distance.max /= size;
  distance.mean /= size;
}

}  // namespace

CharacterComparison compare_characters(const Loaded& a, const Loaded& b, const ComparisonOptions& options,
                                       Context& context) {
  if (a.character.vertex_count() == 0 || b.character.vertex_count() == 0)
    throw_bad_input("both files need a mesh to be compared");
  context.progress("weld", 0);
  const WeldedCharacter welded_a(a.character);
  context.progress("weld", 0.4);
  const WeldedCharacter welded_b(b.character);
  context.progress("weld", 0.8);
  const Correspondence correspondence = correspond(welded_a, welded_b);
  context.progress("weld", 1);

  CharacterComparison out{.vertices_a = welded_a.surface().vertex_count(),
                          .vertices_b = welded_b.surface().vertex_count(),
                          .by = correspondence.kind};
  out.shape = shape_distance(correspondence, welded_a.surface().positions, welded_b.surface().positions);
  divide(out.shape, diagonal(welded_a.surface().positions));
  const double posed_size = size_at_rest(welded_a, context);
  out.weights = compare_weights(welded_a, welded_b, correspondence, options.prune, context);
  if (out.weights) {
    const double moving_size = a.character.clips.empty() ? size_at_rest(welded_b, context) : posed_size;
    compare_in_motion(compare_weights_in_motion(welded_a, welded_b, correspondence, options.moments, context),
                      moving_size, out);
  }
  out.clips = shared_clips(a, b, correspondence, options.moments, context);
  for (ClipComparison& clip : out.clips) divide(clip.distance, posed_size);
  return out;
}

}  // namespace isochor
