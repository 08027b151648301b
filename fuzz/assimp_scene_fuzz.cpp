// Scenes as assimp could hand them out, broken in any way that leaves its arrays as long as they say: made into a sound
// character, or refused.
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

#include "io/assimp_parse.h"
#include "io/character_stream.h"
#include "isochor/base/error.h"
#include "small_character.h"

namespace {

using isochor::fuzz::Bytes;

float scene_number(Bytes& bytes) {
  constexpr std::array<float, 6> kOdd = {std::numeric_limits<float>::quiet_NaN(),
                                         std::numeric_limits<float>::infinity(),
                                         -std::numeric_limits<float>::infinity(),
                                         3e38F,
                                         1e-40F,
                                         0};
  const std::uint8_t b = bytes.next();
  return b >= 250 ? kOdd[b - 250U] : (static_cast<float>(b) - 120) / 40;
}

aiVector3D scene_vector(Bytes& bytes) {
  const float x = scene_number(bytes), y = scene_number(bytes);
  return {x, y, scene_number(bytes)};
}

void set_name(Bytes& bytes, aiString& name) {
  constexpr std::array<const char*, 6> kNames = {"a", "b", "c", "", "a_end", "Head"};
  name.Set(kNames[static_cast<std::size_t>(bytes.below(kNames.size()))]);
}

aiMatrix4x4 scene_matrix(Bytes& bytes) {
  aiMatrix4x4 matrix;
  if (bytes.flag()) return matrix;
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned j = 0; j < 4; ++j) matrix[i][j] = scene_number(bytes);
  }
  return matrix;
}

aiNode* scene_node(Bytes& bytes, int depth) {
  auto* node = new aiNode;
  set_name(bytes, node->mName);
  node->mTransformation = scene_matrix(bytes);
  node->mNumMeshes = static_cast<unsigned>(bytes.below(3));
  node->mMeshes = node->mNumMeshes == 0 ? nullptr : new unsigned[node->mNumMeshes];
  for (unsigned m = 0; m < node->mNumMeshes; ++m) node->mMeshes[m] = static_cast<unsigned>(bytes.below(3));
  node->mNumChildren = depth > 3 ? 0 : static_cast<unsigned>(bytes.below(3));
  node->mChildren = node->mNumChildren == 0 ? nullptr : new aiNode*[node->mNumChildren];
  for (unsigned c = 0; c < node->mNumChildren; ++c) {
    node->mChildren[c] = scene_node(bytes, depth + 1);
    node->mChildren[c]->mParent = node;
  }
  return node;
}

aiBone* scene_bone(Bytes& bytes, unsigned vertices) {
  auto* bone = new aiBone;
  set_name(bytes, bone->mName);
  bone->mOffsetMatrix = scene_matrix(bytes);
  bone->mNumWeights = static_cast<unsigned>(bytes.below(6));
  bone->mWeights = new aiVertexWeight[bone->mNumWeights];
  for (unsigned w = 0; w < bone->mNumWeights; ++w) {
    bone->mWeights[w] = {static_cast<unsigned>(bytes.below(vertices + 1)), scene_number(bytes)};
  }
  return bone;
}

aiMesh* scene_mesh(Bytes& bytes) {
  auto* mesh = new aiMesh;
  set_name(bytes, mesh->mName);
  mesh->mMaterialIndex = bytes.next();
  mesh->mNumVertices = static_cast<unsigned>(bytes.below(10));
  mesh->mVertices = new aiVector3D[mesh->mNumVertices];
  for (unsigned v = 0; v < mesh->mNumVertices; ++v) mesh->mVertices[v] = scene_vector(bytes);
  if (bytes.flag()) {
    mesh->mNormals = new aiVector3D[mesh->mNumVertices];
    for (unsigned v = 0; v < mesh->mNumVertices; ++v) mesh->mNormals[v] = scene_vector(bytes);
  }
  if (bytes.flag()) {
    mesh->mTextureCoords[0] = new aiVector3D[mesh->mNumVertices];
    for (unsigned v = 0; v < mesh->mNumVertices; ++v) mesh->mTextureCoords[0][v] = scene_vector(bytes);
  }
  mesh->mNumFaces = static_cast<unsigned>(bytes.below(6));
  mesh->mFaces = new aiFace[mesh->mNumFaces];
  for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
    aiFace& face = mesh->mFaces[f];
    face.mNumIndices = static_cast<unsigned>(bytes.below(6));
    face.mIndices = new unsigned[face.mNumIndices];
    for (unsigned c = 0; c < face.mNumIndices; ++c) {
      face.mIndices[c] = static_cast<unsigned>(bytes.below(mesh->mNumVertices + 1));
    }
  }
  mesh->mNumBones = static_cast<unsigned>(bytes.below(4));
  mesh->mBones = mesh->mNumBones == 0 ? nullptr : new aiBone*[mesh->mNumBones];
  for (unsigned b = 0; b < mesh->mNumBones; ++b) mesh->mBones[b] = scene_bone(bytes, mesh->mNumVertices);
  return mesh;
}

aiAnimation* scene_animation(Bytes& bytes) {
  auto* animation = new aiAnimation;
  set_name(bytes, animation->mName);
  animation->mTicksPerSecond = scene_number(bytes);
  animation->mNumChannels = static_cast<unsigned>(bytes.below(3));
  animation->mChannels = animation->mNumChannels == 0 ? nullptr : new aiNodeAnim*[animation->mNumChannels];
  for (unsigned c = 0; c < animation->mNumChannels; ++c) {
    auto* channel = animation->mChannels[c] = new aiNodeAnim;
    set_name(bytes, channel->mNodeName);
    channel->mNumPositionKeys = static_cast<unsigned>(bytes.below(4));
    channel->mPositionKeys = new aiVectorKey[channel->mNumPositionKeys];
    for (unsigned k = 0; k < channel->mNumPositionKeys; ++k) {
      const double time = scene_number(bytes);
      channel->mPositionKeys[k] = {time, scene_vector(bytes)};
    }
    channel->mNumRotationKeys = static_cast<unsigned>(bytes.below(4));
    channel->mRotationKeys = new aiQuatKey[channel->mNumRotationKeys];
    for (unsigned k = 0; k < channel->mNumRotationKeys; ++k) {
      const double time = scene_number(bytes);
      const aiVector3D v = scene_vector(bytes);
      channel->mRotationKeys[k] = {time, aiQuaternion(scene_number(bytes), v.x, v.y, v.z)};
    }
    channel->mNumScalingKeys = 0;
  }
  return animation;
}

std::unique_ptr<aiScene> scene_of(Bytes& bytes) {
  auto scene = std::make_unique<aiScene>();
  scene->mRootNode = scene_node(bytes, 0);
  scene->mNumMeshes = static_cast<unsigned>(bytes.below(4));
  scene->mMeshes = new aiMesh*[scene->mNumMeshes];
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) scene->mMeshes[m] = scene_mesh(bytes);
  scene->mNumAnimations = static_cast<unsigned>(bytes.below(3));
  scene->mAnimations = new aiAnimation*[scene->mNumAnimations];
  for (unsigned a = 0; a < scene->mNumAnimations; ++a) scene->mAnimations[a] = scene_animation(bytes);
  scene->mNumMaterials = static_cast<unsigned>(bytes.below(3));
  scene->mMaterials = new aiMaterial*[scene->mNumMaterials];
  for (unsigned m = 0; m < scene->mNumMaterials; ++m) {
    scene->mMaterials[m] = new aiMaterial;
    const aiVector3D v = scene_vector(bytes);
    const aiColor4D color(v.x, v.y, v.z, scene_number(bytes));
    scene->mMaterials[m]->AddProperty(&color, 1, AI_MATKEY_COLOR_DIFFUSE);
  }
  return scene;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const char* kind = bytes.flag() ? "fbx" : "dae";
  const auto scene = scene_of(bytes);
  try {
    if (!isochor::is_sound(isochor::to_character(*scene, kind))) std::abort();
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken scene deserves
  }
  return 0;
}
