#include "isochor/io/load.h"

#include <algorithm>
#include <fstream>

#include "gltf_impl.h"
#include "io/text.h"
#include "isochor/base/error.h"
#include "isochor/base/words.h"
#include "isochor/io/assimp_import.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/bvh.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"
#include "isochor/io/medit.h"
#include "isochor/io/obj.h"
#include "isochor/io/off.h"
#include "isochor/io/ply.h"
#include "isochor/io/rig_txt.h"
#include "isochor/io/skel.h"
#include "isochor/io/stl.h"
#include "isochor/io/tgf.h"
#include "isochor/io/written_character.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;

void check_readable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string name = "cannot read '" + path.string() + "': ";
  if (!fs::exists(status)) throw_io(name + "there is no such file");
  if (fs::is_directory(status)) throw_io(name + "it is a directory");
  if (fs::is_regular_file(status) && fs::file_size(path, error) == 0) throw_bad_input(name + "it is empty");
}

bool has_glb_magic(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  return file.read(magic, 4) && std::string_view(magic, 4) == "glTF";
}

bool is_known_to_assimp(std::string_view extension) {
  const auto known = assimp_extensions();
  return std::find(known.begin(), known.end(), extension) != known.end();
}

void load_gltf(Loaded& loaded, const LoadOptions& options) {
  GltfDocument document = GltfDocument::open(loaded.path);
  GltfReadOptions read = options.gltf;
  if (options.purpose != LoadPurpose::character) read.require_triangles = false;
  // A file without any mesh may be a skeleton by its nature.
  const bool meshless = gltf::count(document.impl().json, "meshes") == 0;
  if (meshless && gltf::count(document.impl().json, "skins") > 0) read.require_triangles = false;
  GltfCharacter result = read_gltf(document, read);
  std::size_t removed = 0, twins = 0;
  if (!options.keep_baked && (has_baked(result.character) || twin_count(result.character) > 0)) {
    removed = remove_baked_targets(document);
    twins = remove_twins(document);
    result = read_gltf(document, read);
  }
  loaded.character = std::move(result.character);
  if (twins > 0) {
    loaded.character.problems.push_back(
        {Severity::note, "gltf-twins", count_of(twins, "twin joint") + " of an earlier deform were taken out", {}, 1});
  }
  if (removed > 0) {
    loaded.character.problems.push_back({Severity::note,
                                         "gltf-baked",
                                         count_of(removed, "morph target") + " of an earlier deform were taken out",
                                         {},
                                         1});
  }
  loaded.files = document.external_files();
  loaded.as_read = GltfSource{std::move(document), std::move(result.map)};
}

Character load_rig_text(const fs::path& path) {
  RigText rig = read_rig_txt(path);
  Character character;
  character.skeleton = to_skeleton(rig);
  character.problems = std::move(rig.problems);
  return character;
}

/// Deforming joints and all above them; where nothing says which joints deform, all but the carriers of meshes.
Skeleton joints_alone(const Character& source) {
  const auto& joints = source.skeleton.joints;
  std::vector<bool> keep(joints.size(), false);
  for (std::size_t j = 0; j < joints.size(); ++j) keep[j] = joints[j].deforms;
  const bool known = source.skeleton.deforming_count() > 0;
  if (!known) {
    keep.assign(joints.size(), true);
    for (const Part& part : source.parts) {
      if (part.node != kNone) keep[static_cast<std::size_t>(part.node)] = false;
    }
  }
  const std::vector<bool> deforms = keep;
  for (std::size_t j = joints.size(); j-- > 0;) {
    if (keep[j] && joints[j].parent != kNone) keep[static_cast<std::size_t>(joints[j].parent)] = true;
  }
  Skeleton out;
  std::vector<Index> index(joints.size(), kNone);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!keep[j]) continue;
    index[j] = static_cast<Index>(out.size());
    Joint joint = joints[j];
    joint.deforms = deforms[j];
    if (joint.parent != kNone) joint.parent = index[static_cast<std::size_t>(joint.parent)];
    out.joints.push_back(std::move(joint));
  }
  return out;
}

void unbind(Character& character) {
  for (Joint& joint : character.skeleton.joints) joint.deforms = false;
  for (Part& part : character.parts) {
    part.skin = {};
    part.weights = {};
    part.unweighted = {};
  }
}

/// Returns the index of the first new joint.
Index append_skeleton(Character& character, const Skeleton& skeleton) {
  const auto first = static_cast<Index>(character.skeleton.size());
  for (Joint joint : skeleton.joints) {
    if (joint.parent != kNone) joint.parent += first;
    character.skeleton.joints.push_back(std::move(joint));
  }
  return first;
}

void attach_rig_text(Character& character, const fs::path& path) {
  const RigText rig = read_rig_txt(path);
  if (character.skeleton.joints.empty() && character.parts.size() == 1) return attach(rig, character);
  unbind(character);
  append_skeleton(character, to_skeleton(rig));
  if (rig.vertices.empty()) return;
  character.problems.push_back({Severity::note,
                                "rig-weights-ignored",
                                "the weights in " + path.filename().string() +
                                    " were left out: they count the vertices of a mesh in a file of its own",
                                {},
                                1});
}

Problems save_bvh(const Character& character, const fs::path& path) {
  constexpr double kFramesPerSecond = 30;
  const Clip still{};
  const Clip& clip = character.clips.empty() ? still : character.clips.front();
  write_file_atomically(path, format_bvh(character.skeleton, clip, 1 / kFramesPerSecond));
  if (character.clips.size() < 2) return {};
  return {{Severity::warning,
           "bvh-one-clip",
           "a BVH file holds one motion: of " + count_of(character.clips.size(), "clip") + " the first was written",
           {},
           static_cast<std::int64_t>(character.clips.size() - 1)}};
}

}  // namespace

Loaded load_character(const fs::path& path, const LoadOptions& options, Context& context) {
  const StageTimer timer(context, "load");
  check_readable(path);
  context.progress("load", 0);
  Loaded loaded;
  loaded.path = path;
  const std::string extension = text::extension_of(path);
  if (extension == "glb" || extension == "gltf" || has_glb_magic(path)) {
    load_gltf(loaded, options);
  } else if (extension == "obj") {
    loaded.character = read_obj(path, {.groups = options.groups, .opened = &loaded.files});
  } else if (extension == "bvh") {
    loaded.character = read_bvh(path);
  } else if (extension == "tgf") {
    loaded.character = read_tgf(path);
  } else if (extension == "skel") {
    loaded.character = read_skel(path);
  } else if (extension == "mesh") {
    loaded.character = read_medit(path);
  } else if (extension == "off") {
    loaded.character = read_off(path);
  } else if (extension == "ply") {
    loaded.character = read_ply(path);
  } else if (extension == "stl") {
    loaded.character = read_stl(path);
  } else if (extension == "txt") {
    loaded.character = load_rig_text(path);
  } else if (is_known_to_assimp(extension)) {
    loaded.character = read_assimp(path, options.assimp);
  } else {
    throw_unsupported("cannot read '" + path.string() + "': files of the kind '" + path.extension().string() +
                      "' are not known; a character may be .glb, .gltf, .fbx, .dae, .obj, .ply, .stl or .off");
  }
  if (loaded.character.name.empty()) loaded.character.name = path.stem().string();
  context.progress("load", 1);
  return loaded;
}

Problems save_character(const Character& character, const fs::path& path, Context& context) {
  const StageTimer timer(context, "save");
  context.progress("save", 0);
  const std::string extension = text::extension_of(path);
  if (extension == "glb" || extension == "gltf") {
    const GltfWritten written = write_gltf(character);
    written.source.document.save(path);
    return written.problems;
  }
  if (extension == "obj") {
    write_obj(path, character);
    return {};
  }
  if (extension == "txt") {
    write_rig_txt(path, to_rig_text(character));
    return {};
  }
  if (extension == "bvh") return save_bvh(character, path);
  throw_unsupported("cannot write '" + path.string() + "': the name must end in .glb, .gltf, .obj, .txt or .bvh");
}

Problems save_character(const Loaded& loaded, const fs::path& path, Context& context) {
  const std::string extension = text::extension_of(path);
  if (!loaded.as_read || (extension != "glb" && extension != "gltf")) {
    return save_character(loaded.character, path, context);
  }
  const StageTimer timer(context, "save");
  context.progress("save", 0);
  GltfSource source = *loaded.as_read;
  std::vector<Index> clips;
  bring_up_to_date(source, loaded.character, clips);
  source.document.save(path);
  return {};
}

void attach_skeleton(Character& character, const fs::path& path, Context& context) {
  check_readable(path);
  if (text::extension_of(path) == "txt") return attach_rig_text(character, path);
  const Loaded other =
      load_character(path, {.purpose = LoadPurpose::skeleton, .groups = {}, .gltf = {}, .assimp = {}}, context);
  const Skeleton skeleton = joints_alone(other.character);
  if (skeleton.deforming_count() == 0) throw_bad_input("'" + path.string() + "' holds no skeleton");
  unbind(character);
  append_skeleton(character, skeleton);
}

}  // namespace isochor
