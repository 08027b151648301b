#include "isochor/io/gltf_edit.h"

#include <algorithm>
#include <cmath>

#include "gltf_edit_tools.h"
#include "gltf_keys.h"

namespace isochor {
namespace {

using namespace gltf;

std::vector<Index> joint_nodes(const GltfSource& source, const Skin& skin) {
  std::vector<Index> nodes;
  for (const Index joint : skin.joints) {
    const bool known = joint >= 0 && at(joint) < source.map.node_of_joint.size();
    if (!known || source.map.node_of_joint[at(joint)] == kNone) {
      throw_bad_input("the skin '" + skin.name + "' uses a joint that is not in the document");
    }
    nodes.push_back(source.map.node_of_joint[at(joint)]);
  }
  return nodes;
}

/// Whether the document's skin says the same, inverse bind matrices compared as the file has them.
bool is_same_skin(const Impl& impl, const Json& json, const std::vector<Index>& nodes, const Skin& skin) {
  if (find(json, "joints") == nullptr || json["joints"] != Json(nodes)) return false;
  const Json* accessor = find(json, "inverseBindMatrices");
  const std::vector<double> known = accessor ? read_doubles(impl, accessor->get<Index>()) : std::vector<double>{};
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    const Eigen::Matrix4d there = accessor ? Eigen::Matrix4d(Eigen::Map<const Eigen::Matrix4d>(known.data() + 16 * j))
                                           : Eigen::Matrix4d(Eigen::Matrix4d::Identity());
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 3; ++r) {
        if (static_cast<float>(there(r, c)) != static_cast<float>(skin.inverse_bind[j](r, c))) return false;
      }
    }
  }
  return true;
}

/// The skin goes into the part's own entry where no other node uses that, otherwise into a new one.
void write_skin(GltfSource& source, GltfPartSource& part, const Skin& skin) {
  Impl& impl = source.document.impl();
  const std::vector<Index> nodes = joint_nodes(source, skin);
  if (part.skin != kNone && is_same_skin(impl, item(impl.json, "skins", at(part.skin)), nodes, skin)) return;
  const Json& all = items(impl.json, "nodes");
  const auto users = std::count_if(all.begin(), all.end(), [&](const Json& node) {
    const Json* used = find(node, "skin");
    return part.skin != kNone && used && *used == part.skin;
  });
  if (users != 1) {
    part.skin = push(impl.json, "skins", Json::object());
    if (!skin.name.empty()) item(impl.json, "skins", at(part.skin))["name"] = skin.name;
  }
  const Index matrices = append_inverse_binds(impl, skin.inverse_bind);
  Json& json = item(impl.json, "skins", at(part.skin));
  json["inverseBindMatrices"] = matrices;
  json["joints"] = nodes;
  json.erase("skeleton");
  item(impl.json, "nodes", at(part.node))["skin"] = part.skin;
  ensure_common_root(impl, nodes);
  grow_map(source);
}

void check_binding(GltfSource& source, Index part, const Skin& skin, const SkinWeights& weights) {
  const GltfPartSource& entry = part_of(source, part);
  const std::string name = describe_part(source, part);
  if (skin.joints.empty() || skin.joints.size() != skin.inverse_bind.size()) {
    throw_bad_input("the new skin of " + name + " has no joints, or not as many inverse bind matrices");
  }
  if (weights.vertex_count() != vertex_count(entry)) {
    throw_bad_input("the new weights of " + name + " are for " + std::to_string(weights.vertex_count()) +
                    " vertices, but it has " + std::to_string(vertex_count(entry)));
  }
  const Problems problems = validate(weights, static_cast<Index>(skin.joints.size()), 1e-3);
  if (!problems.empty()) throw_bad_input("the new weights of " + name + " cannot be used: " + problems[0].sentence);
}

/// glTF allows no animation of a node with a matrix: such a node gets the same transform in parts.
void make_animatable(Json& node, const Channel& channel) {
  const Json* matrix = find(node, "matrix");
  if (!matrix || channel.path == ChannelPath::morph_weights) return;
  const auto m = matrix->get<std::vector<double>>();
  Affine affine = Affine::Identity();
  affine.matrix().topRows<3>() = Eigen::Map<const Eigen::Matrix4d>(m.data()).topRows<3>();
  const Transform transform = to_transform(affine);
  if (!transform.shear.isIdentity(1e-5)) {
    throw_unsupported("cannot animate the node '" + get_string(node, "name") + "': its matrix has shear");
  }
  node.erase("matrix");
  set_transform(node, transform);
}

void check_clip(const GltfSource& source, const Clip& clip) {
  for (const Channel& channel : clip.channels) {
    const std::size_t parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
    const bool good = channel.joint >= 0 && at(channel.joint) < source.map.node_of_joint.size() && channel.width > 0 &&
                      channel.values.size() == channel.times.size() * parts * at(channel.width);
    if (!good) throw_bad_input("the clip '" + clip.name + "' has a channel that does not fit the document");
    std::vector<double> times = channel.times, values = channel.values;
    if (!all_finite(values) || keep_increasing(times, values) > 0) {
      throw_bad_input("the clip '" + clip.name + "' has times that do not increase, or values that are not finite");
    }
  }
}

std::size_t target_count(const Json& mesh) {
  const Json* targets = find(mesh["primitives"][0], "targets");
  return targets ? targets->size() : 0;
}

std::vector<Index> channel_nodes(GltfSource& source, const Channel& channel) {
  std::vector<Index> nodes;
  if (channel.path != ChannelPath::morph_weights) {
    const Index node = source.map.node_of_joint[at(channel.joint)];
    if (node != kNone) nodes.push_back(node);
    return nodes;
  }
  for (const GltfPartSource& part : source.map.parts) {
    if (part.node == kNone || part.joint != channel.joint) continue;
    if (target_count(mesh_of(source, part)) == at(channel.width)) nodes.push_back(part.node);
  }
  return nodes;
}

}  // namespace

void add_joints(GltfSource& source, const Skeleton& skeleton) {
  GltfDocument edited = source.document;
  GltfMap map = source.map;
  Json& root = edited.impl().json;
  const std::size_t known = map.node_of_joint.size();
  if (skeleton.size() < known) throw_bad_input("the skeleton has fewer joints than the document");
  std::vector<Index> roots;
  for (std::size_t j = known; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.rest.shear.isIdentity(1e-6)) {
      throw_unsupported("cannot add the joint '" + joint.name + "' to a glTF: its rest transform has shear");
    }
    Json node = {{"name", joint.name}};
    set_transform(node, joint.rest);
    if (joint.tail) node["extras"] = {{"tail", {joint.tail->x(), joint.tail->y(), joint.tail->z()}}};
    const Index index = push(root, "nodes", std::move(node));
    map.node_of_joint.push_back(index);
    map.joint_of_node.resize(at(index) + 1, kNone);
    map.joint_of_node[at(index)] = static_cast<Index>(j);
    if (joint.parent == kNone) {
      roots.push_back(index);
    } else {
      Json& parent = item(root, "nodes", at(map.node_of_joint[at(joint.parent)]));
      if (!find(parent, "children")) parent["children"] = Json::array();
      parent["children"].push_back(index);
    }
  }
  if (!roots.empty() && find(root, "scenes")) {
    const Json* chosen = find(root, "scene");
    Json& scene = root["scenes"][chosen ? chosen->get<std::size_t>() : 0];
    if (!find(scene, "nodes")) scene["nodes"] = Json::array();
    for (const Index index : roots) scene["nodes"].push_back(index);
  }
  source.document = std::move(edited);
  source.map = std::move(map);
}

void replace_weights(GltfSource& source, Index part, const Skin& skin, const SkinWeights& weights) {
  check_binding(source, part, skin, weights);
  joint_nodes(source, skin);
  refuse_points_and_lines(source, part, "bind");
  GltfPartSource& entry = part_of(source, part);
  isolate_mesh(source, entry);
  if (entry.skin == kNone) hoist_to_root(source, entry);
  write_skin(source, entry, skin);
  Impl& impl = source.document.impl();
  for_each_range(
      source, entry,
      [&](const GltfPrimitiveSource& range) {
        Json attributes = Json::object();
        append_weights(impl, weights, vertices_of(range), attributes);
        return attributes;
      },
      [](Json& primitive, const Json& attributes) {
        erase_weights(primitive["attributes"]);
        for (const auto& [name, accessor] : attributes.items()) primitive["attributes"][name] = accessor;
      });
}

void remove_skin(GltfSource& source, Index part) {
  GltfPartSource& entry = part_of(source, part);
  if (entry.skin == kNone) return;
  isolate_mesh(source, entry);
  for (const GltfPrimitiveSource& range : entry.primitives) {
    erase_weights(mesh_of(source, entry)["primitives"][at(range.primitive)]["attributes"]);
  }
  item(source.document.impl().json, "nodes", at(entry.node)).erase("skin");
  entry.skin = kNone;
}

Index add_clip(GltfSource& source, const Clip& clip) {
  check_clip(source, clip);
  Impl& impl = source.document.impl();
  for (const Channel& channel : clip.channels) {
    for (const Index node : channel_nodes(source, channel))
      make_animatable(item(impl.json, "nodes", at(node)), channel);
  }
  Problems problems;
  const Index animation = append_animation(
      impl, clip, [&](const Channel& channel) { return channel_nodes(source, channel); }, problems);
  if (animation == kNone) throw_bad_input("the clip '" + clip.name + "' moves nothing in the document");
  source.map.animation_of_clip.push_back(animation);
  return static_cast<Index>(source.map.animation_of_clip.size() - 1);
}

void remove_clips_except(GltfSource& source, std::span<const Index> keep) {
  Json& root = source.document.impl().json;
  std::vector<bool> stays(count(root, "animations"), true);
  std::vector<Index> kept;
  for (std::size_t c = 0; c < source.map.animation_of_clip.size(); ++c) {
    const Index animation = source.map.animation_of_clip[c];
    if (animation == kNone) continue;
    if (std::find(keep.begin(), keep.end(), static_cast<Index>(c)) != keep.end()) {
      kept.push_back(animation);
    } else {
      stays[at(animation)] = false;
    }
  }
  if (std::find(stays.begin(), stays.end(), false) != stays.end()) {
    const std::vector<Index> index = filter(root, "animations", stays);
    for (Index& animation : kept) animation = index[at(animation)];
  }
  source.map.animation_of_clip = std::move(kept);
}

}  // namespace isochor
