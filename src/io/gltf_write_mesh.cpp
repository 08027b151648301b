#include "gltf_write_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "gltf_baked.h"
#include "isochor/mesh/surface.h"

namespace isochor::gltf {
namespace {

/// glTF has attributes by vertex alone: vertices are split where their corners disagree.
struct SplitVertices {
  std::vector<Index> vertex;     // #out: the part's vertex
  std::vector<Index> of_corner;  // #C: the vertex written
  std::vector<Vec3> normals;     // #out, or empty
  std::vector<Vec2f> uvs;        // #out, or empty
};

struct Variant {
  Vec3 normal = Vec3::Zero();
  Vec2f uv = Vec2f::Zero();
  bool operator==(const Variant& other) const { return normal == other.normal && uv == other.uv; }
};

/// What the corners (or the vertex) of a part have.
class VariantSource {
 public:
  VariantSource(const Part& part, const GltfWriteOptions& options) : part_(part) {
    const bool missing = part.corner_normals.empty() && part.normals.empty();
    if (missing && options.missing_normals == MissingNormals::smooth) computed_ = vertex_normals(part.surface);
  }
  bool has_normals() const { return !part_.corner_normals.empty() || !part_.normals.empty() || !computed_.empty(); }
  bool has_uvs() const { return !part_.corner_uvs.empty() || !part_.uvs.empty(); }
  bool by_corner() const { return !part_.corner_normals.empty() || !part_.corner_uvs.empty(); }

  Variant at_vertex(std::size_t v) const {
    Variant out;
    if (!part_.normals.empty()) out.normal = part_.normals[v];
    if (part_.normals.empty() && !computed_.empty()) out.normal = computed_[v];
    if (!part_.uvs.empty()) out.uv = part_.uvs[v];
    return out;
  }
  Variant at_corner(std::size_t c) const {
    Variant out = at_vertex(at(part_.surface.corners[c]));
    if (!part_.corner_normals.empty()) out.normal = part_.corner_normals[c].cast<double>();
    if (!part_.corner_uvs.empty()) out.uv = part_.corner_uvs[c];
    return clean(out);
  }
  /// Not-a-number never equals itself and has no place in a file.
  static Variant clean(Variant v) {
    if (!v.normal.allFinite()) v.normal.setZero();
    if (!v.uv.allFinite()) v.uv.setZero();
    return v;
  }

 private:
  const Part& part_;
  std::vector<Vec3> computed_;
};

SplitVertices split_vertices(const Part& part, const GltfWriteOptions& options) {
  const VariantSource source(part, options);
  const Surface& surface = part.surface;
  const std::size_t n = surface.vertex_count();
  // Vertices have few variants: a short list for each, in the order of their corners.
  std::vector<std::vector<Variant>> variants(n);
  std::vector<Index> which(surface.corners.size(), 0);
  if (source.by_corner()) {
    for (std::size_t c = 0; c < surface.corners.size(); ++c) {
      auto& list = variants[at(surface.corners[c])];
      const Variant variant = source.at_corner(c);
      const auto known = std::find(list.begin(), list.end(), variant);
      which[c] = static_cast<Index>(known - list.begin());
      if (known == list.end()) list.push_back(variant);
    }
  }
  SplitVertices out;
  std::vector<Index> first(n);
  for (std::size_t v = 0; v < n; ++v) {
    if (variants[v].empty()) variants[v].push_back(VariantSource::clean(source.at_vertex(v)));
    first[v] = static_cast<Index>(out.vertex.size());
    for (const Variant& variant : variants[v]) {
      out.vertex.push_back(static_cast<Index>(v));
      if (source.has_normals()) out.normals.push_back(variant.normal);
      if (source.has_uvs()) out.uvs.push_back(variant.uv);
    }
  }
  for (std::size_t c = 0; c < surface.corners.size(); ++c) {
    out.of_corner.push_back(first[at(surface.corners[c])] + which[c]);
  }
  return out;
}

/// Cuts faces into triangles such that FB_ngon_encoding can put them together again: the triangles of a polygon are a
/// fan about its first vertex, and the next face begins with another one.
class FanCutter {
 public:
  FanCutter(const Surface& surface, std::span<const Index> of_corner, ProblemCollector& torn)
      : surface_(surface), of_corner_(of_corner), torn_(torn) {}

  void add_face(std::size_t f) {
    const auto begin = at(surface_.face_begin[f]);
    const std::size_t n = surface_.face(f).size();
    if (n < 3) return;
    std::vector<std::uint32_t> corner(n);
    for (std::size_t k = 0; k < n; ++k) corner[k] = static_cast<std::uint32_t>(of_corner_[begin + k]);
    const std::size_t apex = choose_apex(surface_.face(f), corner);
    if (apex == n) return add_ears(f, corner);
    for (std::size_t k = 1; k + 1 < n; ++k) {
      indices_.insert(indices_.end(), {corner[apex], corner[(apex + k) % n], corner[(apex + k + 1) % n]});
    }
    last_apex_ = corner[apex];
  }

  std::vector<std::uint32_t> take() { return std::move(indices_); }

 private:
  Vec3 position(std::span<const Index> face, std::size_t k) const {
    return surface_.positions[at(face[k % face.size()])];
  }

  /// The corner whose fan keeps all triangles on the polygon's side; for a quad the end of the shorter good diagonal.
  /// face.size() where there is none.
  std::size_t choose_apex(std::span<const Index> face, const std::vector<std::uint32_t>& corner) const {
    const std::size_t n = face.size();
    const Vec3 origin = position(face, 0);
    Vec3 newell = Vec3::Zero();
    for (std::size_t k = 0; k < n; ++k) newell += (position(face, k) - origin).cross(position(face, k + 1) - origin);
    std::size_t best = n;
    double best_length = 0;
    for (std::size_t apex = 0; apex < n; ++apex) {
      if (corner[apex] == last_apex_) continue;
      if (n > 3 && !is_good_fan(face, apex, newell)) continue;
      const double length = n == 4 ? (position(face, apex) - position(face, apex + 2)).squaredNorm() : 0;
      if (best == n || length < best_length) {
        best = apex;
        best_length = length;
      }
    }
    return best;
  }

  bool is_good_fan(std::span<const Index> face, std::size_t apex, const Vec3& newell) const {
    const Vec3 p = position(face, apex);
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      if ((position(face, apex + k) - p).cross(position(face, apex + k + 1) - p).dot(newell) < 0) return false;
    }
    return true;
  }

  /// No corner sees the whole polygon, or all its corners are the last apex: plain triangles.
  void add_ears(std::size_t f, const std::vector<std::uint32_t>& corner) {
    Surface one;
    for (std::size_t k = 0; k < corner.size(); ++k) {
      one.positions.push_back(position(surface_.face(f), k));
      one.corners.push_back(static_cast<Index>(k));
    }
    one.face_begin = {0, static_cast<Index>(corner.size())};
    for (std::array<Index, 3> triangle : triangulate(one).triangles) {
      for (int turn = 0; turn < 2 && corner[at(triangle[0])] == last_apex_; ++turn) {
        std::rotate(triangle.begin(), triangle.begin() + 1, triangle.end());
      }
      for (const Index k : triangle) indices_.push_back(corner[at(k)]);
      last_apex_ = corner[at(triangle[0])];
    }
    if (corner.size() > 3) torn_.add(static_cast<Index>(f));
  }

  static constexpr std::uint32_t kNoApex = 0xffffffff;
  const Surface& surface_;
  std::span<const Index> of_corner_;
  ProblemCollector& torn_;
  std::vector<std::uint32_t> indices_;
  std::uint32_t last_apex_ = kNoApex;
};

std::vector<std::uint32_t> plain_triangles(const Part& part, const SplitVertices& split, std::span<const Index> faces) {
  std::vector<std::uint32_t> indices;
  for (const Index f : faces) {
    const auto begin = at(part.surface.face_begin[at(f)]);
    if (part.surface.face(at(f)).size() != 3) continue;
    for (std::size_t k = 0; k < 3; ++k) indices.push_back(static_cast<std::uint32_t>(split.of_corner[begin + k]));
  }
  return indices;
}

/// Faces by material, materials in the order in which they first appear.
std::vector<std::pair<Index, std::vector<Index>>> faces_by_material(const Part& part) {
  std::vector<std::pair<Index, std::vector<Index>>> groups;
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    const Index material = part.face_material.empty() ? kNone : part.face_material[f];
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == material; });
    if (group == groups.end()) group = groups.insert(group, {material, {}});
    group->second.push_back(static_cast<Index>(f));
  }
  return groups;
}

Json append_attributes(Impl& impl, const Part& part, const SplitVertices& split) {
  Json attributes = Json::object();
  attributes["POSITION"] =
      append_floats(impl, "VEC3", to_floats(part.surface.positions, split.vertex), Usage::vertex, Bounds::with);
  if (!split.normals.empty()) {
    std::vector<Index> all(split.normals.size());
    std::iota(all.begin(), all.end(), 0);
    attributes["NORMAL"] = append_floats(impl, "VEC3", to_unit_floats(split.normals, all), Usage::vertex);
  }
  if (!split.uvs.empty()) {
    std::vector<float> uvs;
    for (const Vec2f& uv : split.uvs) uvs.insert(uvs.end(), {uv.x(), uv.y()});
    attributes["TEXCOORD_0"] = append_floats(impl, "VEC2", uvs, Usage::vertex);
  }
  if (part.skinned()) append_weights(impl, part.weights, split.vertex, attributes);
  return attributes;
}

Json append_targets(Impl& impl, const Part& part, const SplitVertices& split) {
  const bool normals = !split.normals.empty() && std::any_of(part.morphs.begin(), part.morphs.end(),
                                                             [](const MorphTarget& m) { return !m.normals.empty(); });
  Json targets = Json::array();
  for (const MorphTarget& morph : part.morphs) {
    Json target = Json::object();
    target["POSITION"] = append_offsets(impl, to_floats(morph.positions, split.vertex), Bounds::with);
    if (normals) {
      // Some viewers want the same attributes in all targets of a primitive.
      const std::vector<float> none(3 * split.vertex.size(), 0.0f);
      target["NORMAL"] =
          append_offsets(impl, morph.normals.empty() ? none : to_floats(morph.normals, split.vertex), Bounds::without);
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

bool has_polygons(const Surface& surface) {
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    if (surface.face(f).size() > 3) return true;
  }
  return false;
}

void declare_extension(Json& root, const char* name) {
  Json* used = find(root, "extensionsUsed");
  if (!used) used = &(root["extensionsUsed"] = Json::array());
  if (std::find(used->begin(), used->end(), name) == used->end()) used->push_back(name);
}

void check_faces(const Part& part, const std::string& name) {
  const auto n = static_cast<Index>(part.surface.vertex_count());
  for (const Index corner : part.surface.corners) {
    if (corner < 0 || corner >= n) throw_bad_input(name + " has a face with a vertex that does not exist");
  }
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    // Above the range of floats a position would become infinite in the file.
    if (!(part.surface.positions[v].cwiseAbs().maxCoeff() <= 3e38)) {
      throw_bad_input(name + " has a position that is not a finite number at vertex " + std::to_string(v),
                      static_cast<Index>(v));
    }
  }
}

}  // namespace

void check_arrays(const Part& part) {
  const std::string name = "the part '" + part.name + "'";
  const std::size_t n = part.surface.vertex_count(), c = part.surface.corners.size();
  const auto fits = [](std::size_t size, std::size_t expected) { return size == 0 || size == expected; };
  bool good = fits(part.normals.size(), n) && fits(part.uvs.size(), n) && fits(part.corner_normals.size(), c) &&
              fits(part.corner_uvs.size(), c) && fits(part.face_material.size(), part.surface.face_count()) &&
              part.skin.joints.size() == part.skin.inverse_bind.size();
  if (part.skinned()) good = good && part.weights.vertex_count() == n;
  for (const MorphTarget& morph : part.morphs)
    good = good && morph.positions.size() == n && fits(morph.normals.size(), n);
  if (!good) throw_bad_input(name + " has arrays that do not fit its vertices or faces");
  check_faces(part, name);
}

std::vector<std::uint32_t> cut_into_fans(const Surface& surface, std::span<const Index> faces,
                                         std::span<const Index> of_corner, ProblemCollector& torn) {
  FanCutter cutter(surface, of_corner, torn);
  for (const Index f : faces) cutter.add_face(at(f));
  return cutter.take();
}

WrittenMesh append_mesh(Impl& impl, const Part& part, const GltfWriteOptions& options, Problems& problems) {
  SplitVertices split = split_vertices(part, options);
  const bool polygons = has_polygons(part.surface);
  const Json attributes = append_attributes(impl, part, split);
  const Json targets = append_targets(impl, part, split);
  ProblemCollector torn;
  Json primitives = Json::array();
  for (const auto& [material, faces] : faces_by_material(part)) {
    Json primitive = {{"attributes", attributes}};
    const auto indices =
        polygons ? cut_into_fans(part.surface, faces, split.of_corner, torn) : plain_triangles(part, split, faces);
    if (indices.empty()) continue;
    primitive["indices"] = append_indices(impl, indices, split.vertex.size());
    if (material != kNone) primitive["material"] = material;
    if (!targets.empty()) primitive["targets"] = targets;
    if (polygons) primitive["extensions"] = {{"FB_ngon_encoding", Json::object()}};
    primitives.push_back(std::move(primitive));
  }
  if (polygons) declare_extension(impl.json, "FB_ngon_encoding");
  torn.report(problems, Severity::note, "gltf-polygon-torn",
              "{} concave polygon{|s} of the part '" + part.name + "' {was|were} written as triangles");
  const auto primitive_count = static_cast<Index>(primitives.size());
  Json mesh = {{"name", part.name}, {"primitives", std::move(primitives)}};
  if (!part.morphs.empty()) {
    mesh["weights"] = part.morph_weights;
    mesh["weights"].get_ref<Json::array_t&>().resize(part.morphs.size(), 0.0);
    for (const MorphTarget& morph : part.morphs) mesh["extras"]["targetNames"].push_back(morph.name);
    const auto is_baked = [](const MorphTarget& morph) { return morph.baked; };
    const auto first = std::find_if(part.morphs.begin(), part.morphs.end(), is_baked);
    const auto end = std::find_if_not(first, part.morphs.end(), is_baked);
    if (first != end) {
      mark_baked(mesh, {.first = static_cast<std::size_t>(first - part.morphs.begin()),
                        .count = static_cast<std::size_t>(end - first)});
    }
  }
  return {push(impl.json, "meshes", std::move(mesh)), primitive_count, std::move(split.vertex)};
}

}  // namespace isochor::gltf
