#include "isochor/io/refined_file.h"

#include <algorithm>

#include "isochor/io/gltf_edit.h"
#include "isochor/io/written_character.h"
#include "read_again.h"

namespace isochor {
namespace {

/// The clips that the caller knows, in their order, as the document has them. `clip` has the number of each among
/// `animations`.
std::vector<Clip> clips_as_read(std::vector<Clip> clips, std::span<const Index> clip, std::span<const Index> animations,
                                const GltfCharacter& read) {
  const auto& known = read.map.animation_of_clip;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    const auto found = clip[c] == kNone ? known.end() : std::find(known.begin(), known.end(), animations[clip[c]]);
    if (found != known.end()) clips[c] = read.character.clips[static_cast<std::size_t>(found - known.begin())];
  }
  return clips;
}

}  // namespace

void take_refined(const RefinedCharacter& refined, Loaded& loaded) {
  if (!loaded.as_read) {
    loaded.character = refined.character;
    return;
  }
  GltfSource source = *loaded.as_read;
  std::vector<Index> clip;
  bring_up_to_date(source, loaded.character, clip);
  const std::vector<Index> animations = source.map.animation_of_clip;
  source.map = read_gltf(source.document, read_again({.polygons = true})).map;
  for (std::size_t p = 0; p < refined.parts.size(); ++p) {
    refine_part(source, static_cast<Index>(p), refined.character.parts[p], refined.parts[p]);
  }
  GltfCharacter read = read_gltf(source.document, read_again({.polygons = true}));
  std::vector<Clip> clips = clips_as_read(std::move(loaded.character.clips), clip, animations, read);
  loaded.character = std::move(read.character);
  loaded.character.clips = std::move(clips);
  source.map = std::move(read.map);
  loaded.as_read = std::move(source);
}

}  // namespace isochor
