#include "io/assimp_scene.h"

#include <assimp/material.h>

#include <algorithm>
#include <cmath>

#include "io/text.h"

namespace isochor {

namespace {

constexpr std::size_t kMaxNodes = 1'000'000;
/// assimp's documentation: what to take where a file does not say.
constexpr double kDefaultTicksPerSecond = 25;

struct Key {
  double time = 0;
  std::array<double, 4> value{};
};

/// Finite keys, in order of time, the last one of equal times.
template <class AiKey, class Convert>
std::vector<Key> clean_keys(const AiKey* keys, unsigned count, double ticks_per_second, Convert&& convert) {
  std::vector<Key> result;
  if (keys == nullptr) return result;
  result.reserve(count);
  for (unsigned k = 0; k < count; ++k) {
    Key key;
    key.time = keys[k].mTime / ticks_per_second;
    if (std::isfinite(key.time) && convert(keys[k].mValue, key.value)) result.push_back(key);
  }
  std::stable_sort(result.begin(), result.end(), [](const Key& a, const Key& b) { return a.time < b.time; });
  std::size_t kept = 0;
  for (const Key& key : result) {
    if (kept > 0 && result[kept - 1].time == key.time) --kept;
    result[kept++] = key;
  }
  result.resize(kept);
  return result;
}

bool to_vector(const aiVector3D& v, std::array<double, 4>& out) {
  out = {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z), 0};
  return std::isfinite(out[0]) && std::isfinite(out[1]) && std::isfinite(out[2]);
}

bool to_rotation(const aiQuaternion& q, std::array<double, 4>& out) {
  Quat rotation(static_cast<double>(q.w), static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z));
  const double norm = rotation.norm();
  if (!std::isfinite(norm) || norm < 1e-12) return false;
  rotation.normalize();
  out = {rotation.x(), rotation.y(), rotation.z(), rotation.w()};
  return true;
}

void add_channel(Clip& clip, Index joint, ChannelPath path, const std::vector<Key>& keys) {
  if (keys.empty()) return;
  Channel channel;
  channel.joint = joint;
  channel.path = path;
  channel.width = path == ChannelPath::rotation ? 4 : 3;
  const std::array<double, 4>* last = nullptr;
  for (const Key& key : keys) {
    double sign = 1;
    if (path == ChannelPath::rotation && last != nullptr) {
      const double* before = channel.values.data() + channel.values.size() - 4;
      double dot = 0;
      for (int i = 0; i < 4; ++i) dot += before[i] * key.value[static_cast<std::size_t>(i)];
      if (dot < 0) sign = -1;
    }
    channel.times.push_back(key.time);
    for (Index i = 0; i < channel.width; ++i) channel.values.push_back(sign * key.value[static_cast<std::size_t>(i)]);
    last = &key.value;
  }
  clip.channels.push_back(std::move(channel));
}

Clip read_animation(const aiAnimation& animation, const AssimpNodes& nodes, ProblemCollector& lost) {
  Clip clip;
  clip.name = assimp_name(animation.mName);
  const double ticks = animation.mTicksPerSecond > 0 ? animation.mTicksPerSecond : kDefaultTicksPerSecond;
  for (unsigned c = 0; c < animation.mNumChannels; ++c) {
    const aiNodeAnim* node = animation.mChannels[c];
    if (node == nullptr) continue;
    const auto joint = nodes.joint.find(assimp_name(node->mNodeName));
    if (joint == nodes.joint.end()) {
      lost.add(static_cast<Index>(c));
      continue;
    }
    add_channel(clip, joint->second, ChannelPath::translation,
                clean_keys(node->mPositionKeys, node->mNumPositionKeys, ticks, to_vector));
    add_channel(clip, joint->second, ChannelPath::rotation,
                clean_keys(node->mRotationKeys, node->mNumRotationKeys, ticks, to_rotation));
    add_channel(clip, joint->second, ChannelPath::scale,
                clean_keys(node->mScalingKeys, node->mNumScalingKeys, ticks, to_vector));
  }
  return clip;
}

Material read_material(const aiMaterial& source) {
  Material material;
  aiString name;
  if (source.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS) material.name = assimp_name(name);
  aiColor4D color;
  if (source.Get(AI_MATKEY_COLOR_DIFFUSE, color) == aiReturn_SUCCESS) {
    material.base_color = {color.r, color.g, color.b, color.a};
  }
  float opacity = 1;
  if (source.Get(AI_MATKEY_OPACITY, opacity) == aiReturn_SUCCESS) material.base_color[3] = opacity;
  for (float& value : material.base_color) value = std::isfinite(value) ? std::clamp(value, 0.0F, 1.0F) : 1.0F;
  return material;
}

}  // namespace

std::string assimp_name(const aiString& name) {
  const std::size_t length = std::min<std::size_t>(name.length, MAXLEN - 1);
  return {name.data, length};
}

Affine assimp_matrix(const aiMatrix4x4& matrix) {
  Affine result = Affine::Identity();
  for (unsigned row = 0; row < 3; ++row) {
    for (unsigned column = 0; column < 4; ++column) {
      result(row, column) = static_cast<double>(matrix[row][column]);
    }
  }
  return result;
}

AssimpNodes read_nodes(const aiScene& scene, Skeleton& skeleton) {
  AssimpNodes result;
  struct Open {
    const aiNode* node;
    Index parent;
  };
  std::vector<Open> open = {{scene.mRootNode, kNone}};
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    if (node == nullptr) continue;
    if (skeleton.joints.size() >= kMaxNodes) throw_unsupported("the file has more than a million nodes");
    const auto index = static_cast<Index>(skeleton.joints.size());
    const Affine local = assimp_matrix(node->mTransformation);
    if (!local.matrix().allFinite()) throw_bad_input("a node's transform is not finite", index);
    Joint joint;
    joint.name = assimp_name(node->mName);
    joint.parent = parent;
    joint.rest = to_transform(local);
    // The file's matrices are in single precision: what is left over of that is no shear.
    if (joint.rest.shear.isIdentity(1e-5)) joint.rest.shear.setIdentity();
    joint.deforms = false;
    result.nodes.push_back(node);
    result.joint.try_emplace(joint.name, index);
    skeleton.joints.push_back(std::move(joint));
    // In reverse, so that the first child comes next.
    for (unsigned c = node->mNumChildren; c-- > 0;) open.push_back({node->mChildren[c], index});
  }
  return result;
}

void read_assimp_materials(const aiScene& scene, Character& character) {
  std::vector<Index> renamed(scene.mNumMaterials, kNone);
  for (Part& part : character.parts) {
    for (Index& material : part.face_material) {
      if (material < 0 || static_cast<unsigned>(material) >= scene.mNumMaterials ||
          scene.mMaterials[material] == nullptr) {
        throw_bad_input("a mesh refers to a material that is not in the file");
      }
      if (renamed[material] == kNone) {
        renamed[material] = static_cast<Index>(character.materials.size());
        character.materials.push_back(read_material(*scene.mMaterials[material]));
      }
      material = renamed[material];
    }
  }
}

void read_animations(const aiScene& scene, const AssimpNodes& nodes, Character& character) {
  ProblemCollector lost;
  for (unsigned a = 0; a < scene.mNumAnimations; ++a) {
    if (scene.mAnimations[a] == nullptr) continue;
    Clip clip = read_animation(*scene.mAnimations[a], nodes, lost);
    if (clip.name.empty()) clip.name = "clip" + std::to_string(a);
    if (!clip.channels.empty()) character.clips.push_back(std::move(clip));
  }
  lost.report(character.problems, Severity::warning, "channels-without-node",
              "{} animation channel{|s} move{s|} nodes that are not in the file: {it is|they are} left out");
}

}  // namespace isochor
