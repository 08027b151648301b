#include "isochor/io/obj.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

struct CornerRef {
  Index vertex = kNone;
  Index uv = kNone;
  Index normal = kNone;
};

/// The file as it stands, before indices are checked against what the whole file defines.
struct ObjFile {
  std::vector<Vec3> positions;
  std::vector<Vec2f> uvs;
  std::vector<Vec3f> normals;
  std::vector<CornerRef> corners;
  std::vector<Index> face_begin = {0};
  std::vector<Index> face_line;
  std::vector<Index> face_material;  // into materials, kNone before the first usemtl
  std::vector<std::string> materials;
  std::vector<std::string> libraries;
  std::string object;                    ///< the last object's name
  std::vector<std::string> group_names;  ///< of all groups and objects, for messages
  Index objects = 0;
  ProblemCollector small_faces;
};

class ObjParser {
 public:
  ObjParser(std::string_view text, const ObjReadOptions& options)
      : lines_(text, text::Lines::Continuation::backslash), options_(options) {}

  ObjFile parse() {
    std::string_view line;
    while (lines_.next(line)) {
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos || line[first] == '#') continue;
      statement(line);
    }
    return std::move(file_);
  }

 private:
  void statement(std::string_view rest) {
    const std::string_view word = text::take_word(rest);
    if (word == "v") {
      file_.positions.push_back(text::take_vec3(rest, lines_.number(), "a vertex"));
    } else if (word == "f" || word == "fo") {
      face(rest);
    } else if (word == "vn") {
      file_.normals.push_back(text::take_vec3(rest, lines_.number(), "a normal").cast<float>());
    } else if (word == "vt") {
      texture_coordinate(rest);
    } else if (word == "g") {
      group(rest);
    } else if (word == "o") {
      object(rest);
    } else if (word == "usemtl") {
      use_material(text::trim(rest));
    } else if (word == "mtllib") {
      file_.libraries.emplace_back(text::trim(rest));
    }
  }

  void texture_coordinate(std::string_view rest) {
    const auto u = static_cast<float>(text::take_finite(rest, lines_.number(), "a texture coordinate"));
    const std::string_view word = text::trim(rest);
    const auto v =
        word.empty() ? 0.0F : static_cast<float>(text::take_finite(rest, lines_.number(), "a texture coordinate"));
    file_.uvs.emplace_back(u, v);
  }

  void face(std::string_view rest) {
    if (!selected_) return;
    const std::size_t begin = file_.corners.size();
    for (std::string_view word = text::take_word(rest); !word.empty(); word = text::take_word(rest)) {
      if (word.front() == '#') break;
      file_.corners.push_back(corner(word));
    }
    if (file_.corners.size() < begin + 3) {
      file_.corners.resize(begin);
      file_.small_faces.add(lines_.number());
      return;
    }
    file_.face_begin.push_back(static_cast<Index>(file_.corners.size()));
    file_.face_line.push_back(lines_.number());
    file_.face_material.push_back(material_);
  }

  /// "v", "v/vt", "v//vn" or "v/vt/vn".
  CornerRef corner(std::string_view word) const {
    std::array<std::string_view, 3> field;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t slash = word.find('/');
      field[i] = word.substr(0, slash);
      if (slash == std::string_view::npos) break;
      word.remove_prefix(slash + 1);
    }
    CornerRef ref;
    ref.vertex = index(field[0], file_.positions.size(), "vertex");
    if (!field[1].empty()) ref.uv = index(field[1], file_.uvs.size(), "texture coordinate");
    if (!field[2].empty()) ref.normal = index(field[2], file_.normals.size(), "normal");
    return ref;
  }

  /// From 1, or negative from what has been defined so far. Positive ones may refer forward: checked at the end.
  Index index(std::string_view word, std::size_t defined, const char* what) const {
    const auto value = text::to_integer(word);
    if (!value) throw_at(lines_.number(), "a face has " + text::quoted(word) + " where an index should be");
    const std::int64_t zero_based = *value > 0 ? *value - 1 : static_cast<std::int64_t>(defined) + *value;
    if (*value == 0 || zero_based < 0 || zero_based > std::numeric_limits<Index>::max()) {
      throw_at(lines_.number(),
               "a face refers to " + std::string(what) + " " + std::to_string(*value) + ", which is not in the file");
    }
    return static_cast<Index>(zero_based);
  }

  bool wanted(std::string_view name) const {
    return std::any_of(options_.groups.begin(), options_.groups.end(),
                       [&](const std::string& glob) { return matches_glob(name, glob); });
  }

  void group(std::string_view rest) {
    bool any = false;
    group_wanted_ = false;
    for (std::string_view name = text::take_word(rest); !name.empty(); name = text::take_word(rest)) {
      any = true;
      group_wanted_ = group_wanted_ || wanted(name);
      remember(name);
    }
    if (!any) group_wanted_ = wanted("default");
    update_selection();
  }

  void object(std::string_view rest) {
    const std::string_view name = text::trim(rest);
    ++file_.objects;
    file_.object = name;
    object_wanted_ = wanted(name);
    remember(name);
    update_selection();
  }

  void remember(std::string_view name) {
    constexpr std::size_t kNamesInMessage = 8;
    if (file_.group_names.size() < kNamesInMessage &&
        std::find(file_.group_names.begin(), file_.group_names.end(), name) == file_.group_names.end()) {
      file_.group_names.emplace_back(name);
    }
  }

  void update_selection() { selected_ = options_.groups.empty() || group_wanted_ || object_wanted_; }

  void use_material(std::string_view name) {
    const auto [place, added] =
        material_index_.try_emplace(std::string(name), static_cast<Index>(file_.materials.size()));
    if (added) file_.materials.emplace_back(name);
    material_ = place->second;
  }

  text::Lines lines_;
  const ObjReadOptions& options_;
  ObjFile file_;
  std::map<std::string, Index> material_index_;
  Index material_ = kNone;
  bool group_wanted_ = false;
  bool object_wanted_ = false;
  bool selected_ = options_.groups.empty();
};

void check_indices(const ObjFile& file) {
  const auto vertices = static_cast<Index>(file.positions.size());
  const auto uvs = static_cast<Index>(file.uvs.size());
  const auto normals = static_cast<Index>(file.normals.size());
  for (std::size_t f = 0; f + 1 < file.face_begin.size(); ++f) {
    for (Index c = file.face_begin[f]; c < file.face_begin[f + 1]; ++c) {
      const CornerRef& ref = file.corners[c];
      const char* what = ref.vertex >= vertices                         ? "vertex"
                         : ref.uv >= uvs && ref.uv != kNone             ? "texture coordinate"
                         : ref.normal >= normals && ref.normal != kNone ? "normal"
                                                                        : nullptr;
      if (what == nullptr) continue;
      const Index index = ref.vertex >= vertices ? ref.vertex : ref.uv >= uvs ? ref.uv : ref.normal;
      throw_at(file.face_line[f], "a face refers to " + std::string(what) + " " +
                                      std::to_string(index + std::int64_t{1}) + ", which is not in the file");
    }
  }
}

/// Corner attributes where every corner has one. Those of a part of the faces only are dropped with a note: what the
/// author meant for the others is not known.
void fill_corner_attributes(const ObjFile& file, Part& part, Problems& problems) {
  std::size_t with_uv = 0;
  std::size_t with_normal = 0;
  for (const CornerRef& ref : file.corners) {
    with_uv += ref.uv != kNone ? 1 : 0;
    with_normal += ref.normal != kNone ? 1 : 0;
  }
  const std::size_t all = file.corners.size();
  if (with_uv == all) {
    part.corner_uvs.reserve(all);
    // OBJ counts v from the bottom of the picture; Part, like glTF, from its top.
    for (const CornerRef& ref : file.corners)
      part.corner_uvs.emplace_back(file.uvs[ref.uv][0], 1 - file.uvs[ref.uv][1]);
  } else if (with_uv > 0) {
    problems.push_back({Severity::note,
                        "partial-uvs",
                        "some faces have no texture coordinates: all are left out",
                        {},
                        static_cast<std::int64_t>(all - with_uv)});
  }
  if (with_normal == all) {
    part.corner_normals.reserve(all);
    for (const CornerRef& ref : file.corners) part.corner_normals.push_back(file.normals[ref.normal]);
  } else if (with_normal > 0) {
    problems.push_back({Severity::note,
                        "partial-normals",
                        "some faces have no normals: all are left out",
                        {},
                        static_cast<std::int64_t>(all - with_normal)});
  }
}

void drop_unused_vertices(Surface& surface) {
  std::vector<Index> renamed(surface.positions.size(), kNone);
  for (const Index v : surface.corners) renamed[v] = 0;
  Index next = 0;
  for (std::size_t v = 0; v < renamed.size(); ++v) {
    if (renamed[v] == kNone) continue;
    renamed[v] = next;
    surface.positions[next++] = surface.positions[v];
  }
  surface.positions.resize(next);
  for (Index& v : surface.corners) v = renamed[v];
}

struct MtlReader {
  std::map<std::string, Material> materials;

  void parse(std::string_view bytes) {
    text::Lines lines(bytes);
    std::string_view rest;
    Material* current = nullptr;
    while (lines.next(rest)) {
      const std::string_view word = text::take_word(rest);
      if (word == "newmtl") {
        const std::string name(text::trim(rest));
        current = &materials[name];
        current->name = name;
      } else if (current != nullptr) {
        property(*current, word, rest);
      }
    }
  }

  static void property(Material& material, std::string_view word, std::string_view rest) {
    const auto number = [&rest](float fallback) {
      const auto value = text::to_double(text::take_word(rest));
      return value && std::isfinite(*value) ? static_cast<float>(std::clamp(*value, 0.0, 1.0)) : fallback;
    };
    Eigen::Vector4f& color = material.base_color;
    if (word == "Kd") {
      for (int i = 0; i < 3; ++i) color[i] = number(color[i]);
    } else if (word == "d") {
      color[3] = number(1);
    } else if (word == "Tr") {
      color[3] = 1 - number(0);
    } else if (word == "Pr") {
      material.roughness = number(material.roughness);
    } else if (word == "Pm") {
      material.metallic = number(material.metallic);
    }
  }
};

void read_materials(const ObjFile& file, const MaterialLibrary& library, Character& character) {
  MtlReader reader;
  for (const std::string& name : file.libraries) {
    const auto bytes = library ? library(name) : std::nullopt;
    if (bytes) {
      reader.parse(*bytes);
    } else {
      character.problems.push_back({Severity::note,
                                    "material-library-missing",
                                    "the material library " + text::quoted(name) +
                                        " is not in the file's folder: its materials have a default colour",
                                    {},
                                    1});
    }
  }
  for (const std::string& name : file.materials) {
    const auto found = reader.materials.find(name);
    character.materials.push_back(found != reader.materials.end() ? found->second : Material{.name = name});
  }
}

/// Faces before the first usemtl get a material of their own, so that every face has one, or none has.
void assign_materials(const ObjFile& file, Character& character, Part& part) {
  if (file.materials.empty()) return;
  part.face_material = file.face_material;
  if (std::find(part.face_material.begin(), part.face_material.end(), kNone) == part.face_material.end()) return;
  const auto index = static_cast<Index>(character.materials.size());
  character.materials.push_back(Material{.name = "default"});
  std::replace(part.face_material.begin(), part.face_material.end(), kNone, index);
}

void check_not_empty(const ObjFile& file, const ObjReadOptions& options) {
  if (file.positions.empty()) throw_bad_input("the OBJ has no vertex");
  if (file.face_begin.size() > 1) return;
  if (options.groups.empty()) throw_bad_input("the OBJ has no face");
  std::string names;
  for (const std::string& name : file.group_names) names += (names.empty() ? "" : ", ") + text::quoted(name);
  throw_bad_input("no face is in a group that was asked for; the file's groups are " +
                  (names.empty() ? "not named" : names));
}

/// The library's file, where its name stays inside `folder`, links resolved.
std::optional<std::filesystem::path> find_library(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path relative(name);
  if (name.empty() || relative.is_absolute()) return std::nullopt;
  std::error_code error;
  const auto inside = std::filesystem::canonical(folder, error);
  if (error) return std::nullopt;
  const auto file = std::filesystem::canonical(folder / relative, error);
  if (error || !std::filesystem::is_regular_file(file, error)) return std::nullopt;
  const auto mismatch = std::mismatch(inside.begin(), inside.end(), file.begin(), file.end());
  if (mismatch.first != inside.end()) return std::nullopt;
  return file;
}

}  // namespace

Character parse_obj(std::string_view text, const ObjReadOptions& options, const MaterialLibrary& library) {
  ObjFile file = ObjParser(text, options).parse();
  check_not_empty(file, options);
  check_indices(file);

  Character character;
  Part part;
  part.name = file.objects == 1 ? file.object : "";
  part.surface.positions = std::move(file.positions);
  part.surface.face_begin = std::move(file.face_begin);
  part.surface.corners.reserve(file.corners.size());
  for (const CornerRef& ref : file.corners) part.surface.corners.push_back(ref.vertex);
  fill_corner_attributes(file, part, character.problems);
  read_materials(file, library, character);
  assign_materials(file, character, part);
  if (options.drop_unused_vertices) drop_unused_vertices(part.surface);
  file.small_faces.report(
      character.problems, Severity::note, "small-faces",
      "{} face{|s} with fewer than three corners {was|were} left out (the numbers are lines of the file)");
  character.parts.push_back(std::move(part));
  return character;
}

Character read_obj(const std::filesystem::path& path, const ObjReadOptions& options) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const MaterialLibrary library = [&](const std::string& name) -> std::optional<std::string> {
    const auto file = find_library(folder, name);
    if (!file) return std::nullopt;
    if (options.opened != nullptr) options.opened->push_back(*file);
    const std::vector<std::uint8_t> bytes = read_file(*file, text::kMaxBytes);
    return std::string(bytes.begin(), bytes.end());
  };
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_obj(bytes, options, library);
    character.name = path.stem().string();
    if (character.parts[0].name.empty()) character.parts[0].name = character.name;
    return character;
  });
}

}  // namespace isochor
