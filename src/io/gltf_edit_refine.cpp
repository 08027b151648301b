#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "gltf_edit_tools.h"
#include "gltf_write_mesh.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace {

using namespace gltf;

/// The vertices of one range of a part: those that it had, and the new ones between them.
struct RefinedRange {
  Index first_vertex = 0;                 // in the part as it was
  std::vector<Index> vertices;            // of the refined part, in the order in which they are written
  std::vector<Index> parent_begin = {0};  // by new vertex of the range, into parents
  std::vector<Index> parents;             // places in `vertices`

  std::size_t old_count() const { return vertices.size() - (parent_begin.size() - 1); }
};

/// By vertex of the refined part: its range, and its place there.
struct RangePlaces {
  std::vector<RefinedRange> ranges;
  std::vector<Index> range, place;
};

RangePlaces find_places(const GltfPartSource& part, std::size_t old_count, const PartRefinement& how) {
  RangePlaces out;
  out.range.assign(old_count + how.new_count(), kNone);
  out.place.assign(out.range.size(), kNone);
  const auto add = [&](std::size_t vertex, Index range) {
    RefinedRange& to = out.ranges[at(range)];
    out.range[vertex] = range;
    out.place[vertex] = static_cast<Index>(to.vertices.size());
    to.vertices.push_back(static_cast<Index>(vertex));
  };
  for (const GltfPrimitiveSource& primitive : part.primitives) {
    const bool known = std::any_of(out.ranges.begin(), out.ranges.end(), [&](const RefinedRange& range) {
      return range.first_vertex == primitive.first_vertex;
    });
    if (known) continue;
    out.ranges.emplace_back().first_vertex = primitive.first_vertex;
    for (Index k = 0; k < primitive.vertex_count; ++k) {
      add(at(primitive.first_vertex + k), static_cast<Index>(out.ranges.size() - 1));
    }
  }
  for (std::size_t n = 0; n < how.new_count(); ++n) {
    const auto parents = how.parents_of(n);
    const Index range = out.range[at(parents[0])];
    add(old_count + n, range);
    RefinedRange& to = out.ranges[at(range)];
    for (const Index p : parents) to.parents.push_back(out.place[at(p)]);
    to.parent_begin.push_back(static_cast<Index>(to.parents.size()));
  }
  return out;
}

/// How values at new vertices are made from those of their parents.
enum class Blend { mean, unit, tangent, first };

Blend blend_of(const std::string& name, const GltfAccessorInfo& info) {
  if (name == "NORMAL") return Blend::unit;
  if (name == "TANGENT" && info.components == 4) return Blend::tangent;
  const bool fraction = info.component_type == 5126 || info.normalized;
  return fraction ? Blend::mean : Blend::first;
}

/// Scales the first three components to unit length; zero takes those of the parent.
void make_unit(double* value, const double* parent) {
  const double length = Eigen::Map<const Vec3>(value).norm();
  for (int k = 0; k < 3; ++k) value[k] = length > 0 && std::isfinite(length) ? value[k] / length : parent[k];
}

/// The values of an accessor, and those of the range's new vertices after them.
std::vector<double> blend_values(std::vector<double> values, std::size_t width, const RefinedRange& range,
                                 Blend blend) {
  const std::size_t added = range.parent_begin.size() - 1;
  values.reserve(values.size() + added * width);
  for (std::size_t n = 0; n < added; ++n) {
    const auto begin = at(range.parent_begin[n]), end = at(range.parent_begin[n + 1]);
    std::vector<double> value(width, 0.0);
    const double* parent = values.data() + at(range.parents[begin]) * width;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        value[k] += values[at(range.parents[i]) * width + k] / static_cast<double>(end - begin);
      }
    }
    if (blend == Blend::first) value.assign(parent, parent + width);
    if (blend == Blend::unit || blend == Blend::tangent) make_unit(value.data(), parent);
    if (blend == Blend::tangent) value[3] = parent[3];
    values.insert(values.end(), value.begin(), value.end());
  }
  return values;
}

const char* type_of_width(int components) {
  switch (components) {
    case 1:
      return "SCALAR";
    case 2:
      return "VEC2";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    default:
      return nullptr;
  }
}

std::vector<float> as_floats(std::span<const double> values) {
  std::vector<float> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(static_cast<float>(value));
  return out;
}

/// Rewrites the accessors of a part's primitives. Primitives that share an accessor share the new one.
class AccessorRefiner {
 public:
  AccessorRefiner(Impl& impl, const Part& refined, const RangePlaces& places)
      : impl_(impl), refined_(refined), places_(places) {}

  Json attributes(const Json& old, Index range) {
    Json out = Json::object();
    for (const auto& [name, accessor] : old.items()) {
      if (name.rfind("JOINTS_", 0) == 0 || name.rfind("WEIGHTS_", 0) == 0) continue;
      out[name] = name == "POSITION" ? positions(range) : carried(name, accessor.get<Index>(), range);
    }
    if (refined_.skinned()) out.update(weights(range));
    return out;
  }

  Json target(const Json& old, Index range) {
    Json out = Json::object();
    for (const auto& [name, accessor] : old.items()) out[name] = offsets(name, accessor.get<Index>(), range);
    return out;
  }

 private:
  const RefinedRange& range_of(Index range) const { return places_.ranges[at(range)]; }

  Index positions(Index range) {
    const auto [known, is_new] = positions_.try_emplace(range, kNone);
    if (is_new) {
      known->second = append_floats(impl_, "VEC3", to_floats(refined_.surface.positions, range_of(range).vertices),
                                    Usage::vertex, Bounds::with);
    }
    return known->second;
  }

  const Json& weights(Index range) {
    const auto [known, is_new] = weights_.try_emplace(range, Json::object());
    if (is_new) append_weights(impl_, refined_.weights, range_of(range).vertices, known->second);
    return known->second;
  }

  std::vector<double> values(const std::string& name, Index accessor, Index range, Blend blend) const {
    const RefinedRange& of = range_of(range);
    std::vector<double> values = read_doubles(impl_, accessor);
    const auto width = at(static_cast<Index>(resolve_accessor(impl_, accessor).info.components));
    if (values.size() != width * of.old_count()) throw_bad_input(name + " has another count than POSITION");
    return blend_values(std::move(values), width, of, blend);
  }

  Index carried(const std::string& name, Index accessor, Index range) {
    const auto [known, is_new] = carried_.try_emplace({accessor, range}, kNone);
    if (!is_new) return known->second;
    const GltfAccessorInfo info = resolve_accessor(impl_, accessor).info;
    const char* type = type_of_width(info.components);
    if (!type) throw_unsupported("the attribute " + name + " holds matrices, which cannot be refined");
    const auto floats = as_floats(values(name, accessor, range, blend_of(name, info)));
    return known->second = append_floats(impl_, type, floats, Usage::vertex);
  }

  Index offsets(const std::string& name, Index accessor, Index range) {
    const auto [known, is_new] = offsets_.try_emplace({accessor, range}, kNone);
    if (!is_new) return known->second;
    const GltfAccessorInfo info = resolve_accessor(impl_, accessor).info;
    const auto floats = as_floats(values("the morph target's " + name, accessor, range, Blend::mean));
    const Bounds bounds = name == "POSITION" ? Bounds::with : Bounds::without;
    known->second = info.components == 3
                        ? append_offsets(impl_, floats, bounds)
                        : append_floats(impl_, type_of_width(info.components), floats, Usage::vertex, bounds);
    return known->second;
  }

  Impl& impl_;
  const Part& refined_;
  const RangePlaces& places_;
  std::map<Index, Index> positions_;                  // by range
  std::map<Index, Json> weights_;                     // by range
  std::map<std::pair<Index, Index>, Index> carried_;  // by accessor and range
  std::map<std::pair<Index, Index>, Index> offsets_;  // the same of morph targets
};

/// The refined faces of a primitive.
std::vector<Index> faces_of(const GltfPrimitiveSource& primitive, const PartRefinement& how) {
  const auto begin = std::lower_bound(how.face_source.begin(), how.face_source.end(), primitive.first_face);
  const auto end = std::lower_bound(begin, how.face_source.end(), primitive.first_face + primitive.face_count);
  std::vector<Index> faces(static_cast<std::size_t>(end - begin));
  std::iota(faces.begin(), faces.end(), static_cast<Index>(begin - how.face_source.begin()));
  return faces;
}

std::vector<std::uint32_t> triangle_indices(const Surface& surface, std::span<const Index> faces,
                                            std::span<const Index> of_corner) {
  std::vector<std::uint32_t> indices;
  for (const Index f : faces) {
    for (Index c = surface.face_begin[at(f)]; c < surface.face_begin[at(f) + 1]; ++c) {
      indices.push_back(static_cast<std::uint32_t>(of_corner[at(c)]));
    }
  }
  return indices;
}

void set_faces(Impl& impl, Json& primitive, std::span<const std::uint32_t> indices, std::size_t vertices) {
  const Index accessor = append_indices(impl, indices, vertices);
  primitive["indices"] = accessor;
  primitive.erase("mode");
  Json* extensions = find(primitive, "extensions");
  if (!extensions) return;
  extensions->erase("KHR_draco_mesh_compression");
  if (extensions->empty()) primitive.erase("extensions");
}

}  // namespace

void refine_part(GltfSource& source, Index part, const Part& refined, const PartRefinement& how) {
  if (how.new_count() == 0) return;
  const std::size_t old_count = vertex_count(part_of(source, part));
  if (old_count + how.new_count() != refined.surface.vertex_count() ||
      how.face_source.size() != refined.surface.face_count()) {
    throw_bad_input("the refined form of " + describe_part(source, part) + " does not fit it");
  }
  GltfSource edited = source;
  GltfPartSource& entry = part_of(edited, part);
  isolate_mesh(edited, entry);
  Impl& impl = edited.document.impl();
  const RangePlaces places = find_places(entry, old_count, how);
  std::vector<Index> of_corner;
  of_corner.reserve(refined.surface.corners.size());
  for (const Index v : refined.surface.corners) of_corner.push_back(places.place[at(v)]);
  AccessorRefiner refiner(impl, refined, places);
  for (GltfPrimitiveSource& primitive : entry.primitives) {
    const Index range = places.range[at(primitive.first_vertex)];
    const std::vector<Index> faces = faces_of(primitive, how);
    Json json = mesh_of(edited, entry)["primitives"][at(primitive.primitive)];
    json["attributes"] = refiner.attributes(json["attributes"], range);
    if (Json* targets = find(json, "targets")) {
      for (Json& target : *targets) target = refiner.target(target, range);
    }
    ProblemCollector torn;
    const auto indices = find_extension(json, "FB_ngon_encoding")
                             ? cut_into_fans(refined.surface, faces, of_corner, torn)
                             : triangle_indices(refined.surface, faces, of_corner);
    set_faces(impl, json, indices, places.ranges[at(range)].vertices.size());
    mesh_of(edited, entry)["primitives"][at(primitive.primitive)] = std::move(json);
  }
  source = std::move(edited);
}

}  // namespace isochor
