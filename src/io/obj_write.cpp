#include <Eigen/LU>
#include <algorithm>

#include "io/text.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/obj.h"

namespace isochor {

namespace {

template <class Vector>
void append_line(std::string& out, const char* keyword, const Vector& vector) {
  out += keyword;
  for (const auto value : vector) {
    out.push_back(' ');
    text::append_number(out, value);
  }
  out.push_back('\n');
}

/// Names stand at the end of a line: what would end it early or be read as something else is replaced.
std::string line_name(std::string_view name, std::string_view fallback) {
  std::string out(text::trim(name.empty() ? fallback : name));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || c == '#' || c == '\\') c = '_';
  }
  return out;
}

/// How many `v`, `vt` and `vn` lines the file has before a part: OBJ counts through the whole file.
struct Counts {
  std::int64_t vertices = 0;
  std::int64_t uvs = 0;
  std::int64_t normals = 0;
};

/// What the corners of one part refer to.
struct Layout {
  bool corner_uvs = false;
  bool vertex_uvs = false;
  bool corner_normals = false;
  bool vertex_normals = false;
};

Layout layout_of(const ObjPart& item, std::span<const Vec3> normals) {
  const Part& part = *item.part;
  Layout layout;
  layout.corner_uvs = part.corner_uvs.size() == part.surface.corners.size() && !part.corner_uvs.empty();
  layout.vertex_uvs = !layout.corner_uvs && part.uvs.size() == part.surface.vertex_count() && !part.uvs.empty();
  // Corner normals belong to the rest shape: a posed part brings its own normals by vertex.
  layout.corner_normals = item.normals.empty() && item.positions.empty() && !part.corner_normals.empty() &&
                          part.corner_normals.size() == part.surface.corners.size();
  layout.vertex_normals = !layout.corner_normals && !normals.empty();
  return layout;
}

void append_uv(std::string& out, const Vec2f& uv) { append_line(out, "vt", Vec2f(uv[0], 1 - uv[1])); }

void append_corner(std::string& out, std::int64_t v, std::int64_t uv, std::int64_t normal) {
  out.push_back(' ');
  text::append_number(out, v);
  if (uv < 0 && normal < 0) return;
  out.push_back('/');
  if (uv >= 0) text::append_number(out, uv);
  if (normal < 0) return;
  out.push_back('/');
  text::append_number(out, normal);
}

void append_faces(std::string& out, const Part& part, const Layout& layout, const Counts& first,
                  std::span<const Material> materials) {
  const Surface& surface = part.surface;
  Index current = kNone;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const Index material = part.face_material.size() == surface.face_count() ? part.face_material[f] : kNone;
    if (material != current && material >= 0 && static_cast<std::size_t>(material) < materials.size()) {
      out += "usemtl " + line_name(materials[material].name, "material" + std::to_string(material)) + "\n";
      current = material;
    }
    out.push_back('f');
    for (Index c = surface.face_begin[f]; c < surface.face_begin[f + 1]; ++c) {
      const std::int64_t v = surface.corners[c];
      append_corner(out, first.vertices + v + 1,
                    layout.corner_uvs   ? first.uvs + c + 1
                    : layout.vertex_uvs ? first.uvs + v + 1
                                        : -1,
                    layout.corner_normals   ? first.normals + c + 1
                    : layout.vertex_normals ? first.normals + v + 1
                                            : -1);
    }
    out.push_back('\n');
  }
}

void append_part(std::string& out, const ObjPart& item, Counts& counts, std::span<const Material> materials) {
  const Part& part = *item.part;
  const std::span<const Vec3> positions = item.positions.empty() ? part.surface.positions : item.positions;
  std::span<const Vec3> normals = item.normals;
  if (normals.empty() && item.positions.empty()) normals = part.normals;
  if (positions.size() != part.surface.vertex_count() || (!normals.empty() && normals.size() != positions.size())) {
    throw_bad_input("positions and normals to write must be as many as the part's vertices");
  }
  const Layout layout = layout_of(item, normals);

  out += "o " + line_name(part.name, "part") + "\n";
  for (const Vec3& p : positions) append_line(out, "v", p);
  if (layout.corner_uvs)
    std::for_each(part.corner_uvs.begin(), part.corner_uvs.end(), [&](auto& uv) { append_uv(out, uv); });
  if (layout.vertex_uvs) std::for_each(part.uvs.begin(), part.uvs.end(), [&](auto& uv) { append_uv(out, uv); });
  if (layout.corner_normals) {
    for (const Vec3f& n : part.corner_normals) append_line(out, "vn", n);
  }
  if (layout.vertex_normals) {
    for (const Vec3& n : normals) append_line(out, "vn", n);
  }
  append_faces(out, part, layout, counts, materials);

  const auto corners = static_cast<std::int64_t>(part.surface.corners.size());
  const auto vertices = static_cast<std::int64_t>(positions.size());
  counts.vertices += vertices;
  counts.uvs += layout.corner_uvs ? corners : layout.vertex_uvs ? vertices : 0;
  counts.normals += layout.corner_normals ? corners : layout.vertex_normals ? vertices : 0;
}

}  // namespace

std::string format_obj(std::span<const ObjPart> parts, std::span<const Material> materials,
                       std::string_view material_file) {
  std::string out = "# written by Isochor\n";
  if (material_file.empty()) {
    materials = {};
  } else {
    out += "mtllib " + std::string(material_file) + "\n";
  }
  Counts counts;
  for (const ObjPart& part : parts) append_part(out, part, counts, materials);
  return out;
}

std::string format_mtl(std::span<const Material> materials) {
  std::string out = "# written by Isochor\n";
  for (std::size_t m = 0; m < materials.size(); ++m) {
    const Material& material = materials[m];
    out += "newmtl " + line_name(material.name, "material" + std::to_string(m)) + "\n";
    append_line(out, "Kd", Eigen::Vector3f(material.base_color.head<3>()));
    append_line(out, "d", std::array{material.base_color[3]});
    append_line(out, "Pr", std::array{material.roughness});
    append_line(out, "Pm", std::array{material.metallic});
  }
  return out;
}

void write_obj(const std::filesystem::path& path, std::span<const ObjPart> parts, std::span<const Material> materials) {
  const bool uses_materials = !materials.empty() && std::any_of(parts.begin(), parts.end(), [](const ObjPart& item) {
    return !item.part->face_material.empty();
  });
  std::filesystem::path mtl = path;
  mtl.replace_extension(".mtl");
  FileTransaction files;
  if (uses_materials) files.add(mtl, format_mtl(materials));
  files.add(path, format_obj(parts, materials, uses_materials ? mtl.filename().string() : std::string()));
  files.commit();
}

void write_obj(const std::filesystem::path& path, const Character& character) {
  const auto global = global_transforms(character.skeleton, rest_pose(character.skeleton));
  std::vector<Part> placed = character.parts;
  for (Part& part : placed) {
    if (part.skinned() || part.node == kNone) continue;
    const Affine& at = global[part.node];
    const Mat3 turn = at.linear().inverse().transpose();
    for (Vec3& p : part.surface.positions) p = at * p;
    for (Vec3& n : part.normals) n = (turn * n).stableNormalized();
    for (Vec3f& n : part.corner_normals) n = (turn * n.cast<double>()).stableNormalized().cast<float>();
  }
  std::vector<ObjPart> parts;
  parts.reserve(character.parts.size());
  for (const Part& part : placed) parts.push_back({.part = &part, .positions = {}, .normals = {}});
  write_obj(path, parts, character.materials);
}

}  // namespace isochor
