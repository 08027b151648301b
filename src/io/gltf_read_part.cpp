#include <algorithm>
#include <cmath>
#include <map>

#include "gltf_baked.h"
#include "gltf_reader.h"
#include "isochor/mesh/surface.h"

namespace isochor::gltf {
namespace {

constexpr Index kTriangles = 4, kFan = 6;  // 5 is a strip

/// The accessors of a primitive that make its vertices.
struct VertexSource {
  Index position = kNone;
  Index normal = kNone;
  std::vector<Index> joints, weights;            // one per set
  std::vector<std::pair<Index, Index>> targets;  // POSITION and NORMAL of each

  /// Primitives with the same key have the same vertices.
  std::vector<Index> key() const {
    std::vector<Index> out = {position, normal, static_cast<Index>(joints.size())};
    out.insert(out.end(), joints.begin(), joints.end());
    out.insert(out.end(), weights.begin(), weights.end());
    for (const auto& [p, n] : targets) out.insert(out.end(), {p, n});
    return out;
  }
};

[[noreturn]] void throw_lonely_set(const Where& where, std::size_t set) {
  throw_bad_input("its " + where.str() + " has one of JOINTS_" + std::to_string(set) + " and WEIGHTS_" +
                  std::to_string(set) + " without the other");
}

VertexSource find_vertices(const Json& root, const Json& primitive, const Where& where) {
  const std::size_t accessors = count(root, "accessors");
  const Json& attributes = get_object(primitive, "attributes", where);
  VertexSource source;
  source.position = get_index(attributes, "POSITION", accessors, where).value_or(kNone);
  source.normal = get_index(attributes, "NORMAL", accessors, where).value_or(kNone);
  for (std::size_t set = 0;; ++set) {
    const std::string joints_name = "JOINTS_" + std::to_string(set), weights_name = "WEIGHTS_" + std::to_string(set);
    const auto joints = get_index(attributes, joints_name.c_str(), accessors, where);
    const auto weights = get_index(attributes, weights_name.c_str(), accessors, where);
    if (!joints && !weights) break;
    if (!joints || !weights) throw_lonely_set(where, set);
    source.joints.push_back(*joints);
    source.weights.push_back(*weights);
  }
  for (const Json& target : get_array(primitive, "targets", where)) {
    source.targets.emplace_back(get_index(target, "POSITION", accessors, where).value_or(kNone),
                                get_index(target, "NORMAL", accessors, where).value_or(kNone));
  }
  return source;
}

/// Gathers the primitives of one mesh node into a part.
class PartReader {
 public:
  PartReader(Reader& reader, Index node, Index mesh)
      : reader_(reader),
        impl_(reader.impl),
        mesh_(item(impl_.json, "meshes", static_cast<std::size_t>(mesh))),
        where_{"mesh", static_cast<std::size_t>(mesh)} {
    const Json& json = item(impl_.json, "nodes", static_cast<std::size_t>(node));
    part_.name = get_string(json, "name");
    if (part_.name.empty()) part_.name = get_string(mesh_, "name");
    if (part_.name.empty()) part_.name = "mesh_" + std::to_string(mesh);
    source_.node = node;
    source_.mesh = mesh;
    source_.joint = part_.node = reader.map.joint_of_node[static_cast<std::size_t>(node)];
  }

  void read_primitives(bool skinned) {
    const Json& primitives = get_array(mesh_, "primitives", where_);
    for (std::size_t p = 0; p < primitives.size(); ++p) read_primitive(primitives[p], static_cast<Index>(p), skinned);
    finish();
  }

  void bind(const Skin& skin, Index skin_index, Index fallback) {
    reader_.budget.charge(skin.joints.size(), 160);
    part_.skin = skin;
    source_.skin = skin_index;
    check_joints();
    part_.weights = std::move(raw_);
    Problems problems = repair(part_.weights, static_cast<Index>(skin.joints.size()), fallback, &part_.unweighted);
    for (Problem& problem : problems) {
      problem.sentence = "part '" + part_.name + "': " + problem.sentence;
      reader_.character.problems.push_back(std::move(problem));
    }
  }

  bool has_weights() const { return has_weights_; }
  bool empty() const { return source_.primitives.empty(); }

  void read_morph_weights(const Json& node, std::size_t node_index) {
    if (part_.morphs.empty()) return;
    std::vector<double> weights = get_number_list(node, "weights", {"node", node_index});
    if (weights.empty()) weights = get_number_list(mesh_, "weights", where_);
    weights.resize(part_.morphs.size(), 0.0);
    part_.morph_weights = std::move(weights);
  }

  void commit() {
    reader_.character.parts.push_back(std::move(part_));
    reader_.map.parts.push_back(std::move(source_));
  }

  const std::string& name() const { return part_.name; }

 private:
  void read_primitive(const Json& primitive, Index index, bool skinned) {
    reader_.budget.charge(1, 1024);
    const Index mode = get_index(primitive, "mode", 7, where_).value_or(kTriangles);
    if (mode < kTriangles) {
      reader_.problem(Severity::note, "gltf-points-lines",
                      "part '" + part_.name + "': primitive " + std::to_string(index) +
                          " is made of points or lines and was left out");
      return;
    }
    const VertexSource source = find_vertices(impl_.json, primitive, where_);
    if (source.position == kNone) {
      reader_.problem(
          Severity::warning, "gltf-no-position",
          "part '" + part_.name + "': primitive " + std::to_string(index) + " has no positions and was left out");
      return;
    }
    if (find_extension(primitive, "KHR_draco_mesh_compression") &&
        !find(item(impl_.json, "accessors", static_cast<std::size_t>(source.position)), "bufferView")) {
      throw_unsupported("it is compressed with KHR_draco_mesh_compression; please save it without compression");
    }
    const auto [known, is_new] = ranges_.try_emplace(source.key());
    GltfPrimitiveSource& range = known->second;
    if (is_new) range = read_vertices(source, skinned);
    range.primitive = index;
    GltfPrimitiveSource& added = source_.primitives.emplace_back(range);
    read_uvs(primitive, range);
    added.first_face = static_cast<Index>(part_.surface.face_count());
    read_faces(primitive, mode, range);
    added.face_count = static_cast<Index>(part_.surface.face_count()) - added.first_face;
  }

  std::vector<Vec3> read_vectors(Index accessor, const char* use, std::size_t expected) {
    const std::vector<double> values = read_doubles(impl_, accessor, 3, use);
    if (expected != kAny && values.size() != 3 * expected) {
      throw_bad_input("its " + where_.str() + " has " + std::to_string(expected) + " positions and " +
                      std::to_string(values.size() / 3) + " of " + use);
    }
    std::vector<Vec3> out(values.size() / 3);
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = Vec3(values.data() + 3 * v);
    return out;
  }

  GltfPrimitiveSource read_vertices(const VertexSource& source, bool skinned) {
    const std::size_t n = resolve_accessor(impl_, source.position).info.count;
    const std::size_t first = part_.surface.vertex_count();
    reader_.budget.charge(n, 120 + 80 * source.joints.size());
    const std::vector<Vec3> positions = read_vectors(source.position, "POSITION", kAny);
    for (std::size_t v = 0; v < n; ++v) {
      if (positions[v].allFinite()) continue;
      throw_bad_input(describe_mesh(impl_.json, source_.mesh) +
                          " has a position that is not a finite number at vertex " + std::to_string(v),
                      static_cast<Index>(v));
    }
    part_.surface.positions.insert(part_.surface.positions.end(), positions.begin(), positions.end());
    read_normals(source, first, n);
    read_targets(source, first, n);
    if (skinned) read_weights(source, n);
    return {.first_vertex = static_cast<Index>(first),
            .vertex_count = static_cast<Index>(n),
            .has_normals = source.normal != kNone};
  }

  void read_normals(const VertexSource& source, std::size_t first, std::size_t n) {
    has_normals_.resize(first + n, false);
    if (source.normal == kNone) return;
    part_.normals.resize(first, Vec3::Zero());
    const std::vector<Vec3> normals = read_vectors(source.normal, "NORMAL", n);
    for (std::size_t v = 0; v < n; ++v) {
      const double norm = normals[v].norm();
      const bool good = std::isfinite(norm) && norm > 0;
      if (!good) bad_normals_.add(static_cast<Index>(first + v));
      has_normals_[first + v] = good;
      part_.normals.push_back(good ? normals[v] : Vec3::Zero());
    }
  }

  void read_targets(const VertexSource& source, std::size_t first, std::size_t n) {
    if (source.targets.size() > part_.morphs.size()) {
      const std::size_t old = part_.morphs.size();
      part_.morphs.resize(source.targets.size());
      reader_.budget.charge(part_.morphs.size() - old, sizeof(MorphTarget) + 24 * first);
      for (std::size_t t = old; t < part_.morphs.size(); ++t) part_.morphs[t].positions.resize(first, Vec3::Zero());
    }
    reader_.budget.charge(part_.morphs.size(), 48 * n);
    for (std::size_t t = 0; t < part_.morphs.size(); ++t) {
      MorphTarget& morph = part_.morphs[t];
      const auto [position, normal] = t < source.targets.size() ? source.targets[t] : std::pair(kNone, kNone);
      append_target(morph.positions, position, first, n, "morph target POSITION");
      if (normal != kNone || !morph.normals.empty())
        append_target(morph.normals, normal, first, n, "morph target NORMAL");
    }
  }

  void append_target(std::vector<Vec3>& out, Index accessor, std::size_t first, std::size_t n, const char* use) {
    out.resize(first, Vec3::Zero());
    if (accessor == kNone) {
      out.resize(first + n, Vec3::Zero());
      return;
    }
    const std::vector<Vec3> values = read_vectors(accessor, use, n);
    for (const Vec3& value : values) {
      if (!value.allFinite()) bad_targets_.add(static_cast<Index>(out.size()));
      out.push_back(value.allFinite() ? value : Vec3::Zero());
    }
  }

  void read_weights(const VertexSource& source, std::size_t n) {
    has_weights_ |= !source.joints.empty();
    std::vector<std::vector<std::uint32_t>> joints;
    std::vector<std::vector<double>> weights;
    for (std::size_t set = 0; set < source.joints.size(); ++set) {
      joints.push_back(read_unsigned(impl_, source.joints[set], 4, "JOINTS"));
      weights.push_back(read_doubles(impl_, source.weights[set], 4, "WEIGHTS"));
      if (joints.back().size() != 4 * n || weights.back().size() != 4 * n) {
        throw_bad_input("its " + where_.str() + " has " + std::to_string(n) + " positions, but JOINTS_" +
                        std::to_string(set) + " or WEIGHTS_" + std::to_string(set) + " of another count");
      }
    }
    std::vector<Influence> row;
    for (std::size_t v = 0; v < n; ++v) {
      row.clear();
      for (std::size_t k = 0; k < 4 * joints.size(); ++k) {
        const double weight = weights[k / 4][4 * v + k % 4];
        const std::uint32_t joint = joints[k / 4][4 * v + k % 4];
        if (weight != 0) row.push_back({static_cast<Index>(std::min(joint, std::uint32_t{INT32_MAX})), weight});
      }
      raw_.add_row(row);
    }
  }

  void check_joints() const {
    const auto limit = static_cast<Index>(part_.skin.joints.size());
    for (std::size_t v = 0; v < raw_.vertex_count(); ++v) {
      for (const Influence& influence : raw_.row(v)) {
        if (influence.joint < limit) continue;
        throw_bad_input(describe_mesh(impl_.json, source_.mesh) + " refers at vertex " + std::to_string(v) +
                            " to joint " + std::to_string(influence.joint) + " of a skin with " + std::to_string(limit),
                        static_cast<Index>(v));
      }
    }
  }

  void read_uvs(const Json& primitive, const GltfPrimitiveSource& range) {
    const Json& attributes = get_object(primitive, "attributes", where_);
    const auto accessor = get_index(attributes, "TEXCOORD_0", count(impl_.json, "accessors"), where_);
    if (!accessor) return;
    const std::vector<double> values = read_doubles(impl_, *accessor, 2, "TEXCOORD_0");
    if (values.size() != 2 * static_cast<std::size_t>(range.vertex_count)) {
      throw_bad_input("its " + where_.str() + " has TEXCOORD_0 of another count than its positions");
    }
    part_.uvs.resize(part_.surface.vertex_count(), Vec2f::Zero());
    for (std::size_t v = 0; 2 * v < values.size(); ++v) {
      const Vec2f uv(static_cast<float>(values[2 * v]), static_cast<float>(values[2 * v + 1]));
      if (uv.allFinite()) part_.uvs[static_cast<std::size_t>(range.first_vertex) + v] = uv;
    }
  }

  std::vector<Index> read_corners(const Json& primitive, const GltfPrimitiveSource& range) {
    std::vector<Index> corners;
    const auto accessor = get_index(primitive, "indices", count(impl_.json, "accessors"), where_);
    const std::size_t n =
        accessor ? resolve_accessor(impl_, *accessor).info.count : static_cast<std::size_t>(range.vertex_count);
    reader_.budget.charge(n, 32);
    if (!accessor) {
      for (Index v = 0; v < range.vertex_count; ++v) corners.push_back(range.first_vertex + v);
      return corners;
    }
    for (const std::uint32_t index : read_unsigned(impl_, *accessor, 1, "indices")) {
      if (index >= static_cast<std::uint32_t>(range.vertex_count)) {
        throw_bad_input(describe_mesh(impl_.json, source_.mesh) + " has an index " + std::to_string(index) +
                        " beyond its " + std::to_string(range.vertex_count) + " vertices");
      }
      corners.push_back(range.first_vertex + static_cast<Index>(index));
    }
    return corners;
  }

  void read_faces(const Json& primitive, Index mode, const GltfPrimitiveSource& range) {
    const std::vector<Index> corners = read_corners(primitive, range);
    const std::size_t before = part_.surface.face_count();
    if (mode == kTriangles) {
      if (corners.size() % 3 != 0) {
        reader_.problem(Severity::warning, "gltf-incomplete-triangle",
                        "part '" + part_.name + "': a primitive ends inside a triangle, which was left out");
      }
      add_triangles(corners, reader_.options.polygons && find_extension(primitive, "FB_ngon_encoding") != nullptr);
    } else {
      add_strip_or_fan(corners, mode);
    }
    const auto material = get_index(primitive, "material", count(impl_.json, "materials"), where_);
    part_.face_material.resize(before, kNone);
    part_.face_material.resize(part_.surface.face_count(), material.value_or(kNone));
  }

  /// FB_ngon_encoding: triangles in a row that begin with the same vertex, each continuing the fan, are one polygon.
  void add_triangles(const std::vector<Index>& corners, bool polygons) {
    std::vector<Index> face;
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
      if (polygons && !face.empty() && face.front() == corners[i] && face.back() == corners[i + 1]) {
        face.push_back(corners[i + 2]);
        continue;
      }
      if (!face.empty()) part_.surface.add_face(face);
      face.assign(corners.begin() + static_cast<std::ptrdiff_t>(i),
                  corners.begin() + static_cast<std::ptrdiff_t>(i + 3));
    }
    if (!face.empty()) part_.surface.add_face(face);
  }

  /// glTF 2.0, section 3.7.2.1. Triangles with a repeated vertex only lead a strip to its next place.
  void add_strip_or_fan(const std::vector<Index>& corners, Index mode) {
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
      const Index a = mode == kFan ? corners[i + 1] : corners[i];
      const Index b = mode == kFan ? corners[i + 2] : corners[i + 1 + i % 2];
      const Index c = mode == kFan ? corners[0] : corners[i + 2 - i % 2];
      if (a != b && b != c && c != a) part_.surface.add_face({a, b, c});
    }
  }

  /// Arrays that only some primitives had are filled to the part's size.
  void finish() {
    const std::size_t n = part_.surface.vertex_count();
    if (!part_.normals.empty()) fill_normals();
    if (!part_.uvs.empty()) part_.uvs.resize(n, Vec2f::Zero());
    for (MorphTarget& morph : part_.morphs) {
      morph.positions.resize(n, Vec3::Zero());
      if (!morph.normals.empty()) morph.normals.resize(n, Vec3::Zero());
    }
    const auto& materials = part_.face_material;
    if (std::all_of(materials.begin(), materials.end(), [](Index m) { return m == kNone; }))
      part_.face_material.clear();
    name_targets();
    bad_normals_.report(reader_.character.problems, Severity::warning, "gltf-normals",
                        "part '" + part_.name + "': {} normals were not usable and were computed from the faces");
    bad_targets_.report(reader_.character.problems, Severity::warning, "gltf-morph-not-finite",
                        "part '" + part_.name + "': {} offsets of morph targets were not finite and were set to zero");
  }

  void fill_normals() {
    part_.normals.resize(part_.surface.vertex_count(), Vec3::Zero());
    if (std::find(has_normals_.begin(), has_normals_.end(), false) == has_normals_.end()) return;
    const std::vector<Vec3> computed = vertex_normals(part_.surface);
    for (std::size_t v = 0; v < computed.size(); ++v) {
      if (!has_normals_[v]) part_.normals[v] = computed[v];
    }
  }

  void name_targets() {
    const Json* extras = find(mesh_, "extras");
    const Json* names = extras ? find(*extras, "targetNames") : nullptr;
    for (std::size_t t = 0; t < part_.morphs.size(); ++t) {
      const bool named = names && names->is_array() && t < names->size() && (*names)[t].is_string();
      part_.morphs[t].name = named ? (*names)[t].get<std::string>() : "target_" + std::to_string(t);
    }
    const BakedTargets baked = baked_targets(mesh_);
    for (std::size_t t = baked.first; t < std::min(baked.first + baked.count, part_.morphs.size()); ++t) {
      part_.morphs[t].baked = true;
    }
  }

  static constexpr std::size_t kAny = static_cast<std::size_t>(-1);

  Reader& reader_;
  const Impl& impl_;
  const Json& mesh_;
  Where where_;
  Part part_;
  GltfPartSource source_;
  std::map<std::vector<Index>, GltfPrimitiveSource> ranges_;
  std::vector<bool> has_normals_;  // #V
  bool has_weights_ = false;
  SkinWeights raw_;  // #V rows where the part is skinned
  ProblemCollector bad_normals_, bad_targets_;
};

}  // namespace

std::string describe_mesh(const Json& root, Index mesh) {
  const std::string name = get_string(item(root, "meshes", static_cast<std::size_t>(mesh)), "name");
  return "its mesh " + std::to_string(mesh) + (name.empty() ? "" : " '" + name.substr(0, 100) + "'");
}

void read_part(Reader& reader, Index node, const std::vector<Skin>& skins, const std::vector<Index>& fallback_joints) {
  const Json& root = reader.impl.json;
  const Where where{"node", static_cast<std::size_t>(node)};
  const Json& json = item(root, "nodes", where.index);
  const Index mesh = *get_index(json, "mesh", count(root, "meshes"), where);
  const auto skin = get_index(json, "skin", skins.size(), where);
  PartReader part(reader, node, mesh);
  part.read_primitives(skin.has_value());
  if (part.empty()) return;
  if (skin && part.has_weights()) {
    part.bind(skins[static_cast<std::size_t>(*skin)], *skin, fallback_joints[static_cast<std::size_t>(*skin)]);
  } else if (skin) {
    reader.problem(Severity::warning, "gltf-skin-without-weights",
                   "part '" + part.name() + "' has a skin but no weights; it moves with its node");
  }
  part.read_morph_weights(json, where.index);
  part.commit();
}

}  // namespace isochor::gltf
