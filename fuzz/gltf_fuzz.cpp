/// Any bytes as a glTF: refused with an Error, or a character that validates, writes and edits without harm.

#include <cstdint>
#include <span>

#include "isochor/base/error.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"

namespace {

using namespace isochor;

void edit(const GltfDocument& document, const GltfCharacter& read) {
  const Character& character = read.character;
  GltfSource source{document, read.map};
  std::vector<PosedPart> posed;
  for (const Part& part : character.parts) {
    posed.push_back(pose_part(character, part, rest_pose(character.skeleton), Deformer::lbs, Context(1)));
  }
  if (!character.clips.empty() && !character.parts.empty()) {
    MorphTarget frame{"frame", std::vector<Vec3>(character.parts[0].surface.vertex_count(), Vec3::Ones()), {}};
    MorphFrames frames{0, {0.5}, {frame}};
    add_morph_frames(source, 0, std::span(&frames, 1));
    add_clip(source, character.clips[0]);
  }
  make_still(source, posed);
  GltfDocument::parse(source.document.to_glb());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const GltfDocument document = GltfDocument::parse({data, size});
    GltfDocument::parse(document.to_glb());
    const GltfCharacter read = read_gltf(document, {.require_triangles = false, .memory = 16});
    validate(read.character);
    if (read.character.vertex_count() > 1000) return 0;
    write_gltf(read.character);
    edit(document, read);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
