#pragma once

/// Wavefront OBJ, read and written by our own code. assimp's importer gives up the file's vertex order and splits
/// vertices at seams; but plain-text rigs (rig.txt) name vertices by their place in the file, so that order is kept
/// here.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/character.h"

namespace isochor {

struct ObjReadOptions {
  /// Globs (* and ?): only faces of a group (`g`) or object (`o`) whose name matches one of them; empty: all faces.
  std::vector<std::string> groups;
  /// Removes vertices that no face uses. Off, so that a rig that counts vertices in file order still fits.
  bool drop_unused_vertices = false;
  std::vector<std::filesystem::path>* opened = nullptr;  ///< gets the material libraries that were read
};

/// Gives the text of a material library by the name it has in the file; nothing if there is none.
using MaterialLibrary = std::function<std::optional<std::string>(const std::string& name)>;

/// One part for the whole file: positions in file order, polygons as they are, `vn` and `vt` by corner, a material per
/// `usemtl` name with the `Kd` and `d` of its library. Material libraries are sought in the file's own folder only; one
/// that is missing or elsewhere is a note. Lines, points, curves and vertex colours are ignored. Faces with fewer than
/// three corners are skipped with a note. An index out of range is refused with the line's number.
Character read_obj(const std::filesystem::path& path, const ObjReadOptions& options = {});
Character parse_obj(std::string_view text, const ObjReadOptions& options = {}, const MaterialLibrary& library = {});

/// What write_obj() puts in the file for one part.
struct ObjPart {
  const Part* part = nullptr;
  std::span<const Vec3> positions;  ///< #V: as posed; empty: the part's own
  std::span<const Vec3> normals;    ///< #V: as posed; empty: the part's own, by corner if it has them
};

/// The OBJ text of some parts, each an `o`; numbers in their shortest form that reads back to the same double.
/// `material_file` is what `mtllib` names; no material is mentioned if it is empty.
std::string format_obj(std::span<const ObjPart> parts, std::span<const Material> materials,
                       std::string_view material_file = {});
std::string format_mtl(std::span<const Material> materials);

/// Writes the OBJ, and next to it an .mtl of the same stem if a part uses materials. Neither file is ever half
/// written.
void write_obj(const std::filesystem::path& path, std::span<const ObjPart> parts, std::span<const Material> materials);
/// The character's bind shape; parts without a skin where the rest pose puts them.
void write_obj(const std::filesystem::path& path, const Character& character);

}  // namespace isochor
