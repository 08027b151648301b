#include "gltf_check.h"

#include <algorithm>
#include <array>
#include <limits>

namespace isochor::gltf {
namespace {

void check_top_arrays(const Json& root) {
  constexpr std::array kArrays = {"accessors", "animations", "buffers", "bufferViews", "cameras",
                                  "images",    "materials",  "meshes",  "nodes",       "samplers",
                                  "scenes",    "skins",      "textures"};
  for (const char* key : kArrays) {
    const Json* array = find(root, key);
    if (!array) continue;
    const bool good = array->is_array() && std::all_of(array->begin(), array->end(),
                                                       [](const Json& element) { return element.is_object(); });
    if (!good) throw_bad_input("'" + std::string(key) + "' in its JSON is not an array of objects");
    if (array->size() > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
      throw_bad_input("'" + std::string(key) + "' in its JSON has too many elements");
    }
  }
}

void check_version(const Json& root) {
  const Json* asset = find(root, "asset");
  if (!asset || !asset->is_object()) throw_bad_input("it has no 'asset', so it is not a glTF 2.0 file");
  const std::string version = get_string(*asset, "minVersion", get_string(*asset, "version"));
  const bool good = version == "2.0" || (version.substr(0, 2) == "2." && !find(*asset, "minVersion"));
  if (!good) throw_unsupported("it needs glTF version '" + version.substr(0, 20) + "', and we read 2.0");
}

/// Extensions that leave geometry, joints and node transforms as they are, or that we read.
bool is_harmless(std::string_view extension) {
  constexpr std::array<std::string_view, 4> kNames = {"KHR_mesh_quantization", "FB_ngon_encoding",
                                                      "KHR_animation_pointer", "GODOT_single_root"};
  constexpr std::array<std::string_view, 16> kPrefixes = {"KHR_materials_",  "KHR_texture_",
                                                          "KHR_lights_",     "KHR_xmp",
                                                          "KHR_node_",       "KHR_techniques_",
                                                          "EXT_materials_",  "EXT_texture_",
                                                          "EXT_lights_",     "MSFT_texture_",
                                                          "MSFT_packing_",   "ADOBE_materials_",
                                                          "GOOGLE_texture_", "AGI_",
                                                          "CESIUM_",         "VRM"};
  return std::find(kNames.begin(), kNames.end(), extension) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return extension.substr(0, prefix.size()) == prefix; });
}

void check_extensions(const Json& root) {
  const Json* required = find(root, "extensionsRequired");
  if (!required) return;
  if (!required->is_array()) throw_bad_input("'extensionsRequired' in its JSON is not an array");
  for (const Json& name : *required) {
    if (!name.is_string()) throw_bad_input("'extensionsRequired' in its JSON holds something that is not a name");
    const auto extension = name.get<std::string>();
    if (extension == "KHR_draco_mesh_compression" || extension == "EXT_meshopt_compression") {
      throw_unsupported("it is compressed with " + extension + "; please save it without compression");
    }
    if (!is_harmless(extension)) throw_unsupported("it requires the extension " + extension + ", which we do not know");
  }
}

/// With one parent at most a node, all nodes are reached from the parentless ones unless some form a cycle.
void check_nodes(const Json& root) {
  const std::size_t n = count(root, "nodes");
  std::vector<Index> parent(n, kNone);
  std::vector<std::vector<Index>> children(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Where where{"node", i};
    for (const Json& child : get_array(item(root, "nodes", i), "children", where)) {
      const Index c = as_index(child, n, "children", where);
      Index& known = parent[static_cast<std::size_t>(c)];
      if (known != kNone) {
        throw_bad_input("its node " + std::to_string(c) + " is a child of node " + std::to_string(known) +
                            " and of node " + std::to_string(i),
                        c);
      }
      known = static_cast<Index>(i);
      children[i].push_back(c);
    }
  }
  std::vector<Index> reached;
  for (std::size_t i = 0; i < n; ++i) {
    if (parent[i] == kNone) reached.push_back(static_cast<Index>(i));
  }
  std::vector<bool> seen(n, false);
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const auto node = static_cast<std::size_t>(reached[k]);
    seen[node] = true;
    reached.insert(reached.end(), children[node].begin(), children[node].end());
  }
  const auto lost = std::find(seen.begin(), seen.end(), false);
  if (lost != seen.end()) {
    const auto node = static_cast<Index>(lost - seen.begin());
    throw_bad_input("its node " + std::to_string(node) + " is its own ancestor", node);
  }
}

/// After this, edits may follow every reference between nodes, meshes, skins, scenes and channels.
void check_references(const Json& root) {
  const std::size_t nodes = count(root, "nodes");
  for (std::size_t i = 0; i < nodes; ++i) {
    const Where where{"node", i};
    get_index(item(root, "nodes", i), "mesh", count(root, "meshes"), where);
    get_index(item(root, "nodes", i), "skin", count(root, "skins"), where);
  }
  for (std::size_t i = 0; i < count(root, "skins"); ++i) {
    const Where where{"skin", i};
    for (const Json& joint : get_array(item(root, "skins", i), "joints", where))
      as_index(joint, nodes, "joints", where);
  }
  for (std::size_t i = 0; i < count(root, "scenes"); ++i) {
    const Where where{"scene", i};
    for (const Json& node : get_array(item(root, "scenes", i), "nodes", where)) as_index(node, nodes, "nodes", where);
  }
  if (const Json* scene = find(root, "scene")) as_index(*scene, count(root, "scenes"), "scene", {"document", 0});
}

void check_objects(const Json& array, const char* key, const Where& where) {
  if (std::all_of(array.begin(), array.end(), [](const Json& element) { return element.is_object(); })) return;
  throw_bad_input("'" + std::string(key) + "' of its " + where.str() + " holds something that is not an object");
}

void check_meshes(const Json& root) {
  const std::size_t accessors = count(root, "accessors");
  for (std::size_t i = 0; i < count(root, "meshes"); ++i) {
    const Where where{"mesh", i};
    const Json& primitives = get_array(item(root, "meshes", i), "primitives", where);
    check_objects(primitives, "primitives", where);
    for (const Json& primitive : primitives) {
      const Json& attributes = get_object(primitive, "attributes", where);
      for (const auto& [name, accessor] : attributes.items()) as_index(accessor, accessors, name.c_str(), where);
      check_objects(get_array(primitive, "targets", where), "targets", where);
    }
    get_number_list(item(root, "meshes", i), "weights", where);
  }
}

void check_animations(const Json& root) {
  for (std::size_t i = 0; i < count(root, "animations"); ++i) {
    const Where where{"animation", i};
    const Json& animation = item(root, "animations", i);
    const Json& channels = get_array(animation, "channels", where);
    const Json& samplers = get_array(animation, "samplers", where);
    check_objects(channels, "channels", where);
    check_objects(samplers, "samplers", where);
    for (const Json& channel : channels) {
      if (!get_index(channel, "sampler", samplers.size(), where)) {
        throw_bad_input("its " + where.str() + " has a channel without a sampler");
      }
      get_index(get_object(channel, "target", where), "node", count(root, "nodes"), where);
    }
    for (const Json& sampler : samplers) {
      const std::size_t accessors = count(root, "accessors");
      if (!get_index(sampler, "input", accessors, where) || !get_index(sampler, "output", accessors, where)) {
        throw_bad_input("its " + where.str() + " has a sampler without input or output");
      }
    }
  }
}

}  // namespace

void check_json(const Json& root) {
  if (!root.is_object()) throw_bad_input("its JSON is not an object");
  check_top_arrays(root);
  check_version(root);
  check_extensions(root);
  check_nodes(root);
  check_references(root);
  check_meshes(root);
  check_animations(root);
}

void check_views(const Impl& impl) {
  const std::size_t n = count(impl.json, "bufferViews");
  for (std::size_t i = 0; i < n; ++i) {
    const Where where{"buffer view", i};
    const Json& view = item(impl.json, "bufferViews", i);
    const auto buffer = get_index(view, "buffer", impl.buffers.size(), where);
    const auto length = get_unsigned(view, "byteLength", where);
    if (!buffer || !length) throw_bad_input("its " + where.str() + " has no buffer or no length");
    const std::uint64_t offset = get_unsigned(view, "byteOffset", where).value_or(0);
    const std::uint64_t size = impl.buffers[static_cast<std::size_t>(*buffer)].bytes.size();
    if (offset > size || *length > size - offset) {
      throw_bad_input("its " + where.str() + " reaches beyond the end of buffer " + std::to_string(*buffer));
    }
  }
}

}  // namespace isochor::gltf
