#pragma once

/// Any file that we know, by its content or its extension, as a character; and back.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/io/assimp_import.h"
#include "isochor/io/gltf_read.h"
#include "isochor/rig/character.h"

namespace isochor {

/// What the file is wanted for.
enum class LoadPurpose {
  character,  ///< a mesh; files that are a skeleton or a motion by their nature load as that
  skeleton,   ///< joints; a mesh is not needed
  motion,     ///< joints and clips; a mesh is not needed
};
template <>
struct EnumNames<LoadPurpose> {
  static constexpr std::array names{"character", "skeleton", "motion"};
};

struct LoadOptions {
  LoadPurpose purpose = LoadPurpose::character;
  /// OBJ: only faces of groups that match one of these globs; empty: all.
  std::vector<std::string> groups;
  /// glTF: whether morph targets and twin joints that bake() made are kept, as for a file that is looked at or compared
  /// as it plays. Otherwise they are taken out of the character and its document, so that it can be bound, posed and
  /// baked anew; a note among the character's problems says so.
  bool keep_baked = false;
  GltfReadOptions gltf;
  AssimpOptions assimp;
};

struct Loaded {
  Character character;
  /// If the file is a glTF: its document as it was read. It knows nothing of what changed in `character` since:
  /// save_character() and as_written() bring a copy of it up to date.
  std::optional<GltfSource> as_read;
  std::filesystem::path path;
  std::vector<std::filesystem::path> files;  ///< others that belong to it: buffers, images, material libraries
};

/// .glb and .gltf (also under other names, by content), .obj, .ply, .stl, .off, .mesh (MEDIT), .bvh, .tgf, .skel, .txt
/// (rig.txt), and FBX and COLLADA through assimp. Throws Error with one sentence for a missing file, a directory, an
/// empty file, an unknown kind, or a broken one.
Loaded load_character(const std::filesystem::path& path, const LoadOptions& options, Context& context);

/// Writes .glb or .gltf, .obj (the bind shape), .txt (joints and weights as rig.txt, vertices counted part after part)
/// or .bvh (joints and the first clip, 30 frames per second), by the extension. Returns what the format could not hold.
Problems save_character(const Character& character, const std::filesystem::path& path, Context& context);
/// The same; a glTF that came from a glTF keeps its document, with the joints, skins, weights and clips that the
/// character has now (bring_up_to_date()). All else in the document survives.
Problems save_character(const Loaded& loaded, const std::filesystem::path& path, Context& context);

/// Gives the character the skeleton of another file of any kind that load_character() takes; a rig.txt brings its
/// weights if it is for this mesh. Joints that the character has already stay, and stay first, as plain nodes; if it
/// was bound to them, it is unbound. The new joints come after them, so that add_joints() can put them into a glTF.
void attach_skeleton(Character& character, const std::filesystem::path& path, Context& context);

}  // namespace isochor
