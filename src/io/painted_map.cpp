#include "isochor/io/painted_map.h"

#include <algorithm>
#include <set>

#include "gltf_impl.h"

namespace isochor {
namespace {

void collect(const EffectSettings& settings, std::set<std::string>& names) {
  if (settings.effect == Effect::painted) names.insert(settings.map);
  for (const EffectSettings& map : settings.maps) collect(map, names);
}

/// The accessor of a painted map in a primitive, or kNone.
Index find_attribute(const GltfDocument& document, Index mesh, Index primitive, const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  const gltf::Json& root = document.impl().json;
  const auto& primitives = gltf::get_array(gltf::item(root, "meshes", mesh), "primitives", {"mesh", std::size_t(mesh)});
  const auto& attributes = gltf::get_object(primitives[primitive], "attributes", {"mesh", std::size_t(mesh)});
  for (const std::string& key : {"_" + name, "_" + upper, name}) {
    if (key.empty() || key.front() != '_') continue;
    const auto accessor =
        gltf::get_index(attributes, key.c_str(), document.accessor_count(), {"mesh", std::size_t(mesh)});
    if (accessor) return *accessor;
  }
  return kNone;
}

PaintedMap read_map(const GltfSource& source, const WholeSurface& whole, const std::string& name) {
  std::vector<double> by_source(static_cast<std::size_t>(whole.part_begin.back()), 0.0);
  bool found = false;
  for (std::size_t p = 0; p < source.map.parts.size() && p + 1 < whole.part_begin.size(); ++p) {
    const GltfPartSource& part = source.map.parts[p];
    for (const GltfPrimitiveSource& primitive : part.primitives) {
      const Index accessor = find_attribute(source.document, part.mesh, primitive.primitive, name);
      if (accessor == kNone) continue;
      found = true;
      const GltfAccessorInfo info = source.document.accessor(accessor);
      const Index first = whole.part_begin[p] + primitive.first_vertex;
      if (info.count != static_cast<std::size_t>(primitive.vertex_count) ||
          first + primitive.vertex_count > whole.part_begin[p + 1]) {
        throw_bad_input("the painted map " + name + " does not have one value for each vertex of its mesh");
      }
      const std::vector<double> values = source.document.read_accessor(accessor);
      for (Index v = 0; v < primitive.vertex_count; ++v) {
        by_source[first + v] = values[static_cast<std::size_t>(v) * static_cast<std::size_t>(info.components)];
      }
    }
  }
  if (!found) {
    throw_bad_input("the volume settings name the painted map " + name + ", but no mesh has a vertex attribute _" +
                    name);
  }
  PaintedMap map{name, {}};
  map.values.reserve(whole.weld.first_source.size());
  for (const Index v : whole.weld.first_source) map.values.push_back(by_source[v]);
  return map;
}

}  // namespace

std::vector<PaintedMap> read_painted_maps(const GltfSource& source, const WholeSurface& whole,
                                          const VolumeSettings& settings) {
  std::set<std::string> names;
  collect(settings.otherwise, names);
  for (const JointEffect& entry : settings.effects) collect(entry.effect, names);
  std::vector<PaintedMap> maps;
  maps.reserve(names.size());
  for (const std::string& name : names) maps.push_back(read_map(source, whole, name));
  return maps;
}

}  // namespace isochor
