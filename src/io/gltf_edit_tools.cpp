#include "gltf_edit_tools.h"

#include <algorithm>
#include <numeric>

namespace isochor::gltf {
namespace {

/// Whether anything but the part's own mesh depends on the node: children, a camera, extensions, a skin's joint.
bool has_other_use(const Json& root, Index index) {
  const Json& node = item(root, "nodes", at(index));
  if (find(node, "children") || find(node, "camera") || find(node, "extensions")) return true;
  for (const Json& skin : items(root, "skins")) {
    const Json* joints = find(skin, "joints");
    if (joints && std::find(joints->begin(), joints->end(), index) != joints->end()) return true;
    const Json* top = find(skin, "skeleton");
    if (top && *top == index) return true;
  }
  return false;
}

bool has_transform(const Json& node) {
  return find(node, "matrix") || find(node, "translation") || find(node, "rotation") || find(node, "scale");
}

template <class Visit>
void for_each_channel(Json& root, Visit&& visit) {
  if (!find(root, "animations")) return;
  for (Json& animation : root["animations"]) {
    if (!find(animation, "channels")) continue;
    for (Json& channel : animation["channels"]) {
      if (Json* target = find(channel, "target")) visit(*target);
    }
  }
}

bool is_moved(Json& root, Index node) {
  bool moved = false;
  for_each_channel(root, [&](const Json& target) {
    const Json* at_node = find(target, "node");
    moved |= at_node && *at_node == node && get_string(target, "path") != "weights";
  });
  return moved;
}

/// Lists `node` as a root in all scenes that show `tree`.
void add_to_scenes(Json& root, Index tree, Index node) {
  if (!find(root, "scenes")) return;
  for (Json& scene : root["scenes"]) {
    Json* nodes = find(scene, "nodes");
    if (nodes && std::find(nodes->begin(), nodes->end(), tree) != nodes->end()) nodes->push_back(node);
  }
}

Index tree_of(const std::vector<Index>& parent, Index node) {
  while (parent[at(node)] != kNone) node = parent[at(node)];
  return node;
}

void move_node_to_root(Json& root, Index index, const std::vector<Index>& parent) {
  Json& node = item(root, "nodes", at(index));
  for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
  if (parent[at(index)] == kNone) return;
  Json& above = item(root, "nodes", at(parent[at(index)]));
  std::erase_if(above["children"].get_ref<Json::array_t&>(), [&](const Json& child) { return child == index; });
  if (above["children"].empty()) above.erase("children");
  add_to_scenes(root, tree_of(parent, index), index);
}

Index move_mesh_to_new_node(Json& root, Index index, const std::vector<Index>& parent) {
  Json fresh = Json::object();
  Json& node = item(root, "nodes", at(index));
  for (const char* key : {"name", "mesh", "skin", "weights"}) {
    if (const Json* value = find(node, key)) fresh[key] = *value;
  }
  for (const char* key : {"mesh", "skin", "weights"}) node.erase(key);
  const Index created = push(root, "nodes", std::move(fresh));
  add_to_scenes(root, tree_of(parent, index), created);
  for_each_channel(root, [&](Json& target) {
    const Json* at_node = find(target, "node");
    if (at_node && *at_node == index && get_string(target, "path") == "weights") target["node"] = created;
  });
  return created;
}

}  // namespace

GltfPartSource& part_of(GltfSource& source, Index part) {
  if (part < 0 || at(part) >= source.map.parts.size() || source.map.parts[at(part)].node == kNone) {
    throw_bad_input("the document has no part " + std::to_string(part));
  }
  return source.map.parts[at(part)];
}

std::string describe_part(const GltfSource& source, Index part) {
  const GltfPartSource& entry = source.map.parts[at(part)];
  const std::string name = get_string(item(source.document.impl().json, "nodes", at(entry.node)), "name");
  return "part " + std::to_string(part) + (name.empty() ? "" : " '" + name + "'");
}

std::size_t vertex_count(const GltfPartSource& part) {
  Index end = 0;
  for (const GltfPrimitiveSource& primitive : part.primitives) {
    end = std::max(end, primitive.first_vertex + primitive.vertex_count);
  }
  return at(end);
}

std::vector<Index> vertices_of(const GltfPrimitiveSource& primitive) {
  std::vector<Index> vertices(at(primitive.vertex_count));
  std::iota(vertices.begin(), vertices.end(), primitive.first_vertex);
  return vertices;
}

Json& mesh_of(GltfSource& source, const GltfPartSource& part) {
  return item(source.document.impl().json, "meshes", at(part.mesh));
}

void isolate_mesh(GltfSource& source, GltfPartSource& part) {
  Json& root = source.document.impl().json;
  const Json& nodes = items(root, "nodes");
  const auto users = std::count_if(nodes.begin(), nodes.end(), [&](const Json& node) {
    const Json* mesh = find(node, "mesh");
    return mesh && *mesh == part.mesh;
  });
  if (users < 2) return;
  Json copy = mesh_of(source, part);
  part.mesh = push(root, "meshes", std::move(copy));
  item(root, "nodes", at(part.node))["mesh"] = part.mesh;
}

void hoist_to_root(GltfSource& source, GltfPartSource& part) {
  Json& root = source.document.impl().json;
  const std::vector<Index> parent = node_parents(root);
  const bool in_place = parent[at(part.node)] == kNone && !has_transform(item(root, "nodes", at(part.node))) &&
                        !is_moved(root, part.node);
  if (in_place) return;
  if (has_other_use(root, part.node) || is_moved(root, part.node)) {
    part.node = move_mesh_to_new_node(root, part.node, parent);
    grow_map(source);
  } else {
    move_node_to_root(root, part.node, parent);
  }
}

void grow_map(GltfSource& source) {
  source.map.joint_of_node.resize(count(source.document.impl().json, "nodes"), kNone);
}

void erase_weights(Json& attributes) {
  std::vector<std::string> names;
  for (const auto& [name, accessor] : attributes.items()) {
    if (name.rfind("JOINTS_", 0) == 0 || name.rfind("WEIGHTS_", 0) == 0) names.push_back(name);
  }
  for (const std::string& name : names) attributes.erase(name);
}

void refuse_points_and_lines(GltfSource& source, Index part, const char* what) {
  const GltfPartSource& entry = part_of(source, part);
  if (mesh_of(source, entry)["primitives"].size() != entry.primitives.size()) {
    throw_unsupported("cannot " + std::string(what) + " " + describe_part(source, part) +
                      ": its mesh has points or lines beside its triangles");
  }
}

std::vector<Index> filter(Json& root, const char* key, const std::vector<bool>& keep) {
  std::vector<Index> index(keep.size(), kNone);
  Json kept = Json::array();
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    index[i] = static_cast<Index>(kept.size());
    kept.push_back(std::move(root[key][i]));
  }
  if (kept.empty()) {
    root.erase(key);
  } else {
    root[key] = std::move(kept);
  }
  return index;
}

void drop_unused_samplers(Json& animation) {
  Json& channels = animation["channels"];
  std::vector<bool> used(animation["samplers"].size(), false);
  for (const Json& channel : channels) used[channel["sampler"].get<std::size_t>()] = true;
  const std::vector<Index> index = filter(animation, "samplers", used);
  for (Json& channel : channels) channel["sampler"] = index[channel["sampler"].get<std::size_t>()];
}

}  // namespace isochor::gltf
