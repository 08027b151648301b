#include "io/assimp_parse.h"

#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>

#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>

#include "io/assimp_guard.h"
#include "io/assimp_scene.h"
#include "io/text.h"

namespace isochor {

namespace {

/// Shows assimp one file in memory and nothing else: no file of the user's disk is opened because another names it.
class OneFile : public Assimp::IOSystem {
 public:
  OneFile(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  bool Exists(const char* file) const override { return name_ == file; }  // NOLINT(readability-identifier-naming)
  char getOsSeparator() const override { return '/'; }                    // NOLINT(readability-identifier-naming)
  Assimp::IOStream* Open(const char* file, const char*) override {        // NOLINT(readability-identifier-naming)
    if (!Exists(file)) return nullptr;
    return new Assimp::MemoryIOStream(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size());
  }
  void Close(Assimp::IOStream* file) override { delete file; }  // NOLINT(readability-identifier-naming)

 private:
  std::string_view bytes_;
  std::string name_;
};

void configure(Assimp::Importer& importer) {
  // Otherwise every FBX node falls apart into a chain of helper nodes, one for each of its pivots and pre-rotations.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_TEXTURES, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_CAMERAS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_LIGHTS, false);
}

/// assimp's reasons are for programmers and may quote the file: one line of printable characters is passed on.
std::string reason(const char* text) {
  std::string out;
  for (const char c : std::string_view(text).substr(0, 200)) out.push_back(c >= ' ' && c < 127 ? c : ' ');
  return std::string(text::trim(out));
}

const aiScene& import(Assimp::Importer& importer, const std::string& name) {
  const aiScene* scene = nullptr;
  try {
    scene = importer.ReadFile(name, 0);
  } catch (const std::exception& error) {
    throw_bad_input("the file is broken or of an unknown kind (" + reason(error.what()) + ")");
  }
  if (scene == nullptr || scene->mRootNode == nullptr) {
    throw_bad_input("the file is broken or of an unknown kind (" + reason(importer.GetErrorString()) + ")");
  }
  return *scene;
}

/// FBX says how many centimetres its unit has; elsewhere lengths are in metres, as in glTF. COLLADA's unit and up axis
/// assimp applies itself.
void apply_fbx_units(const aiScene& scene, Character& character) {
  double centimetres = 1;
  if (scene.mMetaData != nullptr) {
    float single = 1;
    if (scene.mMetaData->Get("UnitScaleFactor", centimetres)) {
    } else if (scene.mMetaData->Get("UnitScaleFactor", single)) {
      centimetres = static_cast<double>(single);
    }
  }
  if (!(centimetres > 1e-9 && centimetres < 1e9)) centimetres = 1;
  const double metres = centimetres / 100;
  Transform& root = character.skeleton.joints[0].rest;
  root.scale *= metres;
  root.translation *= metres;
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.joint != 0 || channel.path == ChannelPath::rotation) continue;
      for (double& value : channel.values) value *= metres;
    }
  }
  character.problems.push_back(
      {Severity::note, "fbx-units", "lengths are brought from the file's unit to metres at the topmost node", {}, 1});
}

/// The end of a bone is often a node without weights below the last joint ("Head_end"): it is that joint's tail.
void find_tails(Skeleton& skeleton) {
  std::vector<int> children(skeleton.size());
  std::vector<Index> only(skeleton.size(), kNone);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (parent == kNone) continue;
    ++children[parent];
    only[parent] = static_cast<Index>(j);
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    Joint& joint = skeleton.joints[j];
    if (!joint.deforms || children[j] != 1 || skeleton.joints[only[j]].deforms || children[only[j]] != 0) continue;
    joint.tail = skeleton.joints[only[j]].rest.translation;
  }
}

void check_content(const Character& character) {
  if (!character.parts.empty() || !character.clips.empty() || character.skeleton.size() > 1) return;
  throw_bad_input("the file holds no mesh, no skeleton and no animation");
}

}  // namespace

Character parse_with_assimp(std::string_view bytes, std::string_view extension) {
  check_before_assimp(bytes, extension);
  const std::string name = "model." + std::string(extension);
  Assimp::Importer importer;
  importer.SetIOHandler(new OneFile(bytes, name));  // the importer owns it
  configure(importer);
  return to_character(import(importer, name), extension);
}

Character to_character(const aiScene& scene, std::string_view extension) {
  Character character;
  AssimpNodes nodes = read_nodes(scene, character.skeleton);
  read_meshes(scene, nodes, character);
  read_assimp_materials(scene, character);
  read_animations(scene, nodes, character);
  check_content(character);
  if (extension == "fbx") apply_fbx_units(scene, character);
  find_tails(character.skeleton);
  return character;
}

}  // namespace isochor
