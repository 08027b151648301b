#include <algorithm>
#include <cmath>

#include "gltf_baked.h"
#include "gltf_edit_tools.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace {

using namespace gltf;

void check_posed(GltfSource& source, std::span<const PosedPart> posed) {
  if (posed.size() != source.map.parts.size()) {
    throw_bad_input("the pose is for " + std::to_string(posed.size()) + " parts, but the document has " +
                    std::to_string(source.map.parts.size()));
  }
  for (std::size_t p = 0; p < posed.size(); ++p) {
    const auto part = static_cast<Index>(p);
    const std::size_t n = vertex_count(part_of(source, part));
    const bool fits = posed[p].positions.size() == n && (posed[p].normals.empty() || posed[p].normals.size() == n);
    if (!fits) throw_bad_input("the pose of " + describe_part(source, part) + " has another number of vertices");
    const bool finite = std::all_of(posed[p].positions.begin(), posed[p].positions.end(),
                                    [](const Vec3& x) { return x.cwiseAbs().maxCoeff() <= 3e38; });
    if (!finite) throw_bad_input("the pose of " + describe_part(source, part) + " is not finite");
    refuse_points_and_lines(source, part, "freeze");
  }
}

/// The nodes whose motion moves a part: its own, the joints of its skin, and all above them.
std::vector<bool> driving_nodes(const GltfSource& source) {
  const Json& root = source.document.impl().json;
  const std::vector<Index> parent = node_parents(root);
  std::vector<bool> drives(parent.size(), false);
  const auto mark = [&](Index node) {
    for (; node != kNone && !drives[at(node)]; node = parent[at(node)]) drives[at(node)] = true;
  };
  for (const GltfPartSource& part : source.map.parts) {
    mark(part.node);
    if (part.skin == kNone) continue;
    for (const Json& joint : item(root, "skins", at(part.skin))["joints"]) mark(joint.get<Index>());
  }
  return drives;
}

void remove_channels(GltfSource& source, const std::vector<bool>& drives) {
  Json& root = source.document.impl().json;
  if (!find(root, "animations")) return;
  std::vector<bool> keep;
  for (Json& animation : root["animations"]) {
    Json* channels = find(animation, "channels");
    const std::size_t before = channels ? channels->size() : 0;
    if (channels) {
      std::erase_if(channels->get_ref<Json::array_t&>(), [&](const Json& channel) {
        const Json* target = find(channel, "target");
        const Json* node = target ? find(*target, "node") : nullptr;
        return node && drives[node->get<std::size_t>()];
      });
    }
    const std::size_t after = channels ? channels->size() : 0;
    if (after != before && after != 0) drop_unused_samplers(animation);
    keep.push_back(after != 0 || before == 0);
  }
  const std::vector<Index> index = filter(root, "animations", keep);
  for (Index& animation : source.map.animation_of_clip) {
    if (animation != kNone) animation = index[at(animation)];
  }
}

/// Skins that no node uses any more are removed; those that were unused before stay.
void remove_skins(GltfSource& source, const std::vector<bool>& candidates) {
  Json& root = source.document.impl().json;
  std::vector<bool> keep(count(root, "skins"), true);
  for (std::size_t s = 0; s < keep.size(); ++s) keep[s] = !candidates[s];
  for (const Json& node : items(root, "nodes")) {
    if (const Json* skin = find(node, "skin")) keep[skin->get<std::size_t>()] = true;
  }
  if (keep.empty()) return;
  const std::vector<Index> index = filter(root, "skins", keep);
  for (Json& node : root["nodes"]) {
    if (Json* skin = find(node, "skin")) *skin = index[skin->get<std::size_t>()];
  }
}

/// Tangents turn with their normals by the shortest rotation; the sign of the bitangent stays.
std::vector<float> turn_tangents(const std::vector<double>& tangents, std::span<const Vec3> before,
                                 std::span<const Vec3> after) {
  std::vector<float> out;
  for (std::size_t v = 0; 4 * v < tangents.size(); ++v) {
    Vec3 tangent(tangents.data() + 4 * v);
    if (before[v].norm() > 0 && after[v].norm() > 0) tangent = turn_between(before[v], after[v]) * tangent;
    const double norm = tangent.norm();
    tangent = norm > 0 && std::isfinite(norm) ? Vec3(tangent / norm) : Vec3::UnitX();
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(tangent[k]));
    out.push_back(tangents[4 * v + 3] < 0 ? -1.0f : 1.0f);
  }
  return out;
}

/// The still attributes of a vertex range.
Json still_attributes(GltfSource& source, const GltfPartSource& part, const GltfPrimitiveSource& range,
                      const PosedPart& posed) {
  Impl& impl = source.document.impl();
  const std::vector<Index> vertices = vertices_of(range);
  const Json old = mesh_of(source, part)["primitives"][at(range.primitive)]["attributes"];
  Json out = Json::object();
  out["POSITION"] = append_floats(impl, "VEC3", to_floats(posed.positions, vertices), Usage::vertex, Bounds::with);
  if (!range.has_normals || posed.normals.empty()) return out;
  out["NORMAL"] = append_floats(impl, "VEC3", to_unit_floats(posed.normals, vertices), Usage::vertex);
  if (const Json* tangent = find(old, "TANGENT")) {
    const std::vector<double> before = read_doubles(impl, old["NORMAL"].get<Index>(), 3, "NORMAL");
    const std::vector<double> tangents = read_doubles(impl, tangent->get<Index>(), 4, "TANGENT");
    if (tangents.size() / 4 != vertices.size()) throw_bad_input("TANGENT has another count than POSITION");
    std::vector<Vec3> from, to;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      from.emplace_back(before.data() + 3 * v);
      to.push_back(posed.normals[at(vertices[v])]);
    }
    out["TANGENT"] = append_floats(impl, "VEC4", turn_tangents(tangents, from, to), Usage::vertex);
  }
  return out;
}

void erase_target_names(Json& mesh) {
  Json* extras = find(mesh, "extras");
  if (!extras || !extras->is_object()) return;
  extras->erase("targetNames");
  if (extras->empty()) mesh.erase("extras");
}

void freeze(GltfSource& source, GltfPartSource& part, const PosedPart& posed) {
  isolate_mesh(source, part);
  for_each_range(
      source, part, [&](const GltfPrimitiveSource& range) { return still_attributes(source, part, range, posed); },
      [](Json& primitive, const Json& attributes) {
        erase_weights(primitive["attributes"]);
        for (const auto& [name, accessor] : attributes.items()) primitive["attributes"][name] = accessor;
        primitive.erase("targets");
      });
  Json& mesh = mesh_of(source, part);
  mesh.erase("weights");
  erase_target_names(mesh);
  unmark_baked(mesh);
  hoist_to_root(source, part);
  Json& node = item(source.document.impl().json, "nodes", at(part.node));
  node.erase("weights");
  node.erase("skin");
  part.skin = kNone;
}

}  // namespace

void make_still(GltfSource& source, std::span<const PosedPart> posed) {
  check_posed(source, posed);
  GltfSource edited = source;
  std::vector<bool> skins(count(edited.document.impl().json, "skins"), false);
  for (const GltfPartSource& part : edited.map.parts) {
    if (part.skin != kNone) skins[at(part.skin)] = true;
  }
  remove_channels(edited, driving_nodes(edited));
  for (std::size_t p = 0; p < posed.size(); ++p) freeze(edited, edited.map.parts[p], posed[p]);
  remove_skins(edited, skins);
  source = std::move(edited);
}

}  // namespace isochor
