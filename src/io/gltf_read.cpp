#include "isochor/io/gltf_read.h"

#include <algorithm>
#include <cmath>

#include "gltf_reader.h"
#include "gltf_twins.h"

namespace isochor {
namespace gltf {
namespace {

Transform read_transform(const Json& json, std::size_t node, ProblemCollector& not_unit) {
  const Where where{"node", node};
  if (const auto m = get_numbers(json, "matrix", 16, where)) {
    Affine matrix = Affine::Identity();
    matrix.matrix().topRows<3>() = Eigen::Map<const Eigen::Matrix4d>(m->data()).topRows<3>();
    return to_transform(matrix);
  }
  Transform transform;
  if (const auto t = get_numbers(json, "translation", 3, where)) transform.translation = Vec3(t->data());
  if (const auto s = get_numbers(json, "scale", 3, where)) transform.scale = Vec3(s->data());
  if (const auto r = get_numbers(json, "rotation", 4, where)) {
    const Quat q((*r)[3], (*r)[0], (*r)[1], (*r)[2]);
    // Rounded to floats, a unit quaternion is left as it is, so that other readers of the file see the same rotation.
    const double norm = q.norm();
    if (std::abs(norm - 1) < 1e-4) {
      transform.rotation = q;
    } else {
      not_unit.add(static_cast<Index>(node));
      if (norm > 1e-150 && std::isfinite(norm)) transform.rotation = Quat(q.coeffs() / norm);
    }
  }
  return transform;
}

std::optional<Vec3> read_tail(const Json& node) {
  const Json* extras = find(node, "extras");
  const Json* tail = extras ? find(*extras, "tail") : nullptr;
  if (!tail || !tail->is_array() || tail->size() != 3) return std::nullopt;
  Vec3 out;
  for (int k = 0; k < 3; ++k) {
    if (!(*tail)[static_cast<std::size_t>(k)].is_number()) return std::nullopt;
    out[k] = (*tail)[static_cast<std::size_t>(k)].get<double>();
  }
  return out;
}

std::vector<Index> parents_of(const Json& root) {
  std::vector<Index> parent(count(root, "nodes"), kNone);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    for (const Json& child : get_array(item(root, "nodes", i), "children", {"node", i})) {
      parent[child.get<std::size_t>()] = static_cast<Index>(i);
    }
  }
  return parent;
}

std::vector<Index> scene_roots(Reader& reader, const std::vector<Index>& parent) {
  const Json& root = reader.impl.json;
  const std::size_t scenes = count(root, "scenes");
  std::vector<Index> roots;
  if (scenes == 0) {
    for (std::size_t i = 0; i < parent.size(); ++i) {
      if (parent[i] == kNone) roots.push_back(static_cast<Index>(i));
    }
    return roots;
  }
  const Json* chosen = find(root, "scene");
  const Index scene = chosen ? as_index(*chosen, scenes, "scene", {"document", 0}) : 0;
  const Where where{"scene", static_cast<std::size_t>(scene)};
  std::vector<bool> seen(parent.size(), false);
  for (const Json& node : get_array(item(root, "scenes", where.index), "nodes", where)) {
    const Index index = as_index(node, parent.size(), "nodes", where);
    if (parent[static_cast<std::size_t>(index)] != kNone) {
      throw_bad_input("its " + where.str() + " lists node " + std::to_string(index) + ", which is not a root", index);
    }
    if (!seen[static_cast<std::size_t>(index)]) roots.push_back(index);
    seen[static_cast<std::size_t>(index)] = true;
  }
  if (scenes > 1) {
    reader.problem(Severity::note, "gltf-scenes",
                   "the file has " + std::to_string(scenes) + " scenes; scene " + std::to_string(scene) + " was read");
  }
  return roots;
}

/// A skin whose joints are node indices still.
struct NodeSkin {
  Skin skin;
  Index root = kNone;
};

std::vector<Affine> read_inverse_binds(Reader& reader, const Json& json, std::size_t joints, const Where& where) {
  std::vector<Affine> out(joints, Affine::Identity());
  const auto accessor = get_index(json, "inverseBindMatrices", count(reader.impl.json, "accessors"), where);
  if (!accessor) return out;
  const std::vector<double> m = read_doubles(reader.impl, *accessor, 16, "inverse bind matrices");
  if (m.size() / 16 < joints) {
    throw_bad_input("its " + where.str() + " has " + std::to_string(joints) + " joints and " +
                    std::to_string(m.size() / 16) + " inverse bind matrices");
  }
  if (!std::all_of(m.begin(), m.end(), [](double x) { return std::isfinite(x); })) {
    throw_bad_input("its " + where.str() + " has an inverse bind matrix that is not finite");
  }
  for (std::size_t j = 0; j < joints; ++j) {
    out[j].matrix().topRows<3>() = Eigen::Map<const Eigen::Matrix4d>(m.data() + 16 * j).topRows<3>();
  }
  return out;
}

std::vector<NodeSkin> read_skins(Reader& reader) {
  const Json& root = reader.impl.json;
  const std::size_t nodes = count(root, "nodes");
  std::vector<NodeSkin> skins(count(root, "skins"));
  for (std::size_t s = 0; s < skins.size(); ++s) {
    const Where where{"skin", s};
    const Json& json = item(root, "skins", s);
    Skin& skin = skins[s].skin;
    skin.name = get_string(json, "name", "skin_" + std::to_string(s));
    for (const Json& joint : get_array(json, "joints", where)) {
      skin.joints.push_back(as_index(joint, nodes, "joints", where));
    }
    if (skin.joints.empty()) throw_bad_input("its " + where.str() + " has no joints");
    reader.budget.charge(skin.joints.size(), 512);
    skin.inverse_bind = read_inverse_binds(reader, json, skin.joints.size(), where);
    skins[s].root = get_index(json, "skeleton", nodes, where).value_or(kNone);
  }
  return skins;
}

/// The nodes to read, parents first: the scene, then trees outside it that hold joints of skins in use.
std::vector<Index> nodes_in_order(Reader& reader, const std::vector<NodeSkin>& skins) {
  const Json& root = reader.impl.json;
  const std::vector<Index> parent = parents_of(root);
  std::vector<bool> seen(parent.size(), false);
  std::vector<Index> order;
  const auto add_tree = [&](Index tree) {
    std::vector<Index> open = {tree};
    while (!open.empty()) {
      const Index node = open.back();
      open.pop_back();
      seen[static_cast<std::size_t>(node)] = true;
      order.push_back(node);
      const Json& json = item(root, "nodes", static_cast<std::size_t>(node));
      const Json& children = get_array(json, "children", {"node", static_cast<std::size_t>(node)});
      for (std::size_t k = children.size(); k-- > 0;) open.push_back(children[k].get<Index>());
    }
  };
  for (const Index tree : scene_roots(reader, parent)) add_tree(tree);
  // A skeleton file may have a skin that no node uses: then all skins count.
  std::vector<bool> used(skins.size(), false);
  for (const Index node : order) {
    const Where where{"node", static_cast<std::size_t>(node)};
    if (const auto skin = get_index(item(root, "nodes", where.index), "skin", skins.size(), where)) used[*skin] = true;
  }
  if (std::find(used.begin(), used.end(), true) == used.end()) used.assign(skins.size(), true);
  for (std::size_t s = 0; s < skins.size(); ++s) {
    if (!used[s]) continue;
    for (Index node : skins[s].skin.joints) {
      if (seen[static_cast<std::size_t>(node)]) continue;
      while (parent[static_cast<std::size_t>(node)] != kNone) node = parent[static_cast<std::size_t>(node)];
      add_tree(node);
    }
  }
  return order;
}

void read_skeleton(Reader& reader, const std::vector<Index>& order) {
  const Json& root = reader.impl.json;
  GltfMap& map = reader.map;
  map.node_of_joint = order;
  map.joint_of_node.assign(count(root, "nodes"), kNone);
  const std::vector<Index> parent = parents_of(root);
  reader.budget.charge(order.size(), sizeof(Joint) + 256);
  ProblemCollector not_unit;
  for (std::size_t j = 0; j < order.size(); ++j) {
    const auto node = static_cast<std::size_t>(order[j]);
    map.joint_of_node[node] = static_cast<Index>(j);
    const Json& json = item(root, "nodes", node);
    Joint joint;
    joint.name = get_string(json, "name");
    if (joint.name.empty()) joint.name = "node_" + std::to_string(node);
    if (parent[node] != kNone) joint.parent = map.joint_of_node[static_cast<std::size_t>(parent[node])];
    joint.rest = read_transform(json, node, not_unit);
    joint.deforms = false;
    joint.tail = read_tail(json);
    joint.twin = is_twin(json);
    reader.character.skeleton.joints.push_back(std::move(joint));
  }
  not_unit.report(reader.character.problems, Severity::warning, "gltf-rotation",
                  "{} node{|s} had rotations that are not of unit length; they were normalised");
}

/// Joints become skeleton indices and are marked as deforming. Skins outside the scene are left empty.
std::vector<Skin> adopt_skins(Reader& reader, std::vector<NodeSkin>& skins, std::vector<Index>& fallback) {
  std::vector<Skin> out;
  for (NodeSkin& source : skins) {
    Index first = 0;
    for (std::size_t j = 0; j < source.skin.joints.size(); ++j) {
      const Index node = source.skin.joints[j];
      if (node == source.root) first = static_cast<Index>(j);
      source.skin.joints[j] = reader.map.joint_of_node[static_cast<std::size_t>(node)];
    }
    const auto& joints = source.skin.joints;
    if (std::find(joints.begin(), joints.end(), kNone) == joints.end()) {
      for (const Index joint : joints) reader.character.skeleton.joints[static_cast<std::size_t>(joint)].deforms = true;
    }
    fallback.push_back(first);
    out.push_back(std::move(source.skin));
  }
  return out;
}

void read_materials(Reader& reader) {
  const Json& root = reader.impl.json;
  for (std::size_t i = 0; i < count(root, "materials"); ++i) {
    const Where where{"material", i};
    const Json& json = item(root, "materials", i);
    const Json& pbr = get_object(json, "pbrMetallicRoughness", where);
    Material material;
    material.name = get_string(json, "name", "material_" + std::to_string(i));
    material.base_color.setOnes();
    if (const auto color = get_numbers(pbr, "baseColorFactor", 4, where)) {
      for (int k = 0; k < 4; ++k) material.base_color[k] = static_cast<float>((*color)[static_cast<std::size_t>(k)]);
    }
    material.metallic = static_cast<float>(get_number(pbr, "metallicFactor", where).value_or(1.0));
    material.roughness = static_cast<float>(get_number(pbr, "roughnessFactor", where).value_or(1.0));
    const Json* sides = find(json, "doubleSided");
    material.double_sided = sides && sides->is_boolean() && sides->get<bool>();
    reader.character.materials.push_back(std::move(material));
  }
}

void check_triangles(const Reader& reader) {
  std::size_t faces = 0;
  for (const Part& part : reader.character.parts) faces += part.surface.face_count();
  if (faces > 0) return;
  throw_bad_input(count(reader.impl.json, "meshes") == 0 ? "it has no mesh" : "it has no triangle in its scene");
}

GltfCharacter read(const Impl& impl, const GltfReadOptions& options) {
  check_ranges(options);
  const double memory = options.memory * 1048576.0 + 256.0 * static_cast<double>(total_bytes(impl));
  Reader reader{impl, options, Budget(memory), {}, {}};
  reader.character.name = impl.path.stem().string();

  std::vector<NodeSkin> node_skins = read_skins(reader);
  read_skeleton(reader, nodes_in_order(reader, node_skins));
  std::vector<Index> fallback;
  const std::vector<Skin> skins = adopt_skins(reader, node_skins, fallback);
  read_materials(reader);
  for (const Index node : reader.map.node_of_joint) {
    if (find(item(impl.json, "nodes", static_cast<std::size_t>(node)), "mesh"))
      read_part(reader, node, skins, fallback);
  }
  if (options.require_triangles) check_triangles(reader);
  read_clips(reader);
  return {std::move(reader.character), std::move(reader.map)};
}

}  // namespace

void Budget::charge(std::size_t count, std::size_t bytes_each) {
  left_ -= static_cast<double>(count) * static_cast<double>(bytes_each);
  if (left_ < 0) {
    throw_unsupported("it unfolds to more than " + std::to_string(static_cast<std::int64_t>(total_ / 1048576.0)) +
                      " MiB, as it uses the same data many times over");
  }
}

void Reader::problem(Severity severity, std::string code, std::string sentence, std::vector<Index> elements) {
  const auto n = static_cast<std::int64_t>(std::max<std::size_t>(elements.size(), 1));
  character.problems.push_back({severity, std::move(code), std::move(sentence), std::move(elements), n});
}

}  // namespace gltf

GltfCharacter read_gltf(const GltfDocument& document, const GltfReadOptions& options) {
  return gltf::in_file(document.impl().name, [&] { return gltf::read(document.impl(), options); });
}

}  // namespace isochor
