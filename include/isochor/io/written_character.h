#pragma once

/// A character as the glTF file to be written shows it: in single precision, vertices split where corners disagree,
/// polygons as the triangles that viewers draw, joints and clips that came from elsewhere added. What is baked is baked
/// on this one, so that the volume held is the one shown, and no rounding comes in between.
///
///   Loaded loaded = load_character("hero.glb", {}, context);
///   apply(bind(loaded.character, {}, context), loaded.character);
///   WrittenCharacter file = as_written(loaded);
///   const WeldedCharacter welded(file.character);
///   bake(hold_volume(welded, {}, context), welded, {}, file.source, context);
///   file.source.document.save("out.glb");

#include <filesystem>
#include <span>
#include <vector>

#include "isochor/deform/skinning.h"
#include "isochor/io/load.h"

namespace isochor {

struct WrittenCharacter {
  GltfSource source;
  Character character;  ///< read from `source`
  std::vector<Index>
      clip;           ///< by clip of the loaded character: its clip in `character`, or kNone where it moves nothing
  Problems problems;  ///< what glTF could not hold
};

/// A glTF keeps its own document, so that all else in it survives.
WrittenCharacter as_written(const Loaded& loaded);

/// Brings a document up to date with a character that was read from it and changed since: joints that were added, skins
/// and weights, clips. `clip` gets the clip of source.map for each clip of the character. Returns whether anything had
/// changed. Throws Error(unsupported) if something else has: vertices, faces, the joints of the file.
bool bring_up_to_date(GltfSource& source, const Character& character, std::vector<Index>& clip);

/// A character that stands still in one pose as .glb or .gltf: `parts` are the vertices of its parts in the world.
void save_still(const WrittenCharacter& file, std::span<const PosedPart> parts, const std::filesystem::path& path);
/// The same as OBJ, with its polygons: `parts` are those of `character`, as it was loaded.
void save_still_obj(const Character& character, std::span<const PosedPart> parts, const std::filesystem::path& path);

}  // namespace isochor
