#include "isochor/io/obj.h"

#include <fstream>

#include "isochor/base/error.h"
#include "support/data.h"
#include "support/files.h"

namespace isochor {
namespace {

using test::shared_data;
using test::TempFolder;

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string obj_refusal(std::string_view text, const ObjReadOptions& options = {}) {
  try {
    parse_obj(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const char* const kSquareAndTriangle = R"(# a square and a triangle
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 2 0 0.5
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
f 1/1/1 2/2/1 3/3/1 4/4/1
f -4/2/1 -1/3/1 -3/4/-1
)";

// Positions keep the file's order and polygons their corners; vn and vt go to the corners, v counted from the top.
TEST(Obj, KeepsOrderPolygonsAndCornerAttributes) {
  const Character character = parse_obj(kSquareAndTriangle);
  ASSERT_EQ(character.parts.size(), 1U);
  const Part& part = character.parts[0];
  EXPECT_EQ(part.surface.positions[4], Vec3(2, 0, 0.5));
  EXPECT_EQ(part.surface.corners, (std::vector<Index>{0, 1, 2, 3, 1, 4, 2}));
  EXPECT_EQ(part.surface.face_begin, (std::vector<Index>{0, 4, 7}));
  ASSERT_EQ(part.corner_uvs.size(), 7U);
  EXPECT_EQ(part.corner_uvs[0], Vec2f(0, 1));
  EXPECT_EQ(part.corner_uvs[5], Vec2f(1, 0));
  ASSERT_EQ(part.corner_normals.size(), 7U);
  EXPECT_EQ(part.corner_normals[6], Vec3f(0, 0, 1));
  EXPECT_TRUE(character.problems.empty());
}

// Windows line ends, joined lines, comments behind a face, vertex colours and unknown statements do not matter.
TEST(Obj, ReadsWhatToolsWrite) {
  const Character character = parse_obj(
      "v 0 0 0 0.1 0.2 0.3\r\nv 1 \\\r\n 0 0\r\n\tv +0.0 1e0 -0\r\ns off\r\nl 1 2\r\ncurv 0 1 1\r\nf 1 2 \\\r\n3 # "
      "end\r\n");
  EXPECT_EQ(character.parts[0].surface.positions[1], Vec3(1, 0, 0));
  EXPECT_EQ(character.parts[0].surface.corners, (std::vector<Index>{0, 1, 2}));
}

// Indices may refer forward: some writers put faces before vertices.
TEST(Obj, IndicesMayReferForward) {
  EXPECT_EQ(parse_obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0").parts[0].surface.face_count(), 1U);
}

// Faces with fewer than three corners are left out, with a note that names the line.
TEST(Obj, SmallFacesAreNoted) {
  const Character character = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 1 2 3\nf\n");
  EXPECT_EQ(character.parts[0].surface.face_count(), 1U);
  ASSERT_EQ(character.problems.size(), 1U);
  EXPECT_EQ(character.problems[0].code, "small-faces");
  EXPECT_EQ(character.problems[0].elements, (std::vector<Index>{4, 6}));
}

// Broken files are refused with one sentence that names the line.
TEST(Obj, RefusesBrokenFiles) {
  const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_NE(obj_refusal(triangle + "f 1 2 4").find("line 4: a face refers to vertex 4"), std::string::npos);
  EXPECT_NE(obj_refusal(triangle + "f 1 2 -4").find("line 4"), std::string::npos);
  EXPECT_NE(obj_refusal(triangle + "f 0 1 2").find("line 4"), std::string::npos);
  EXPECT_NE(obj_refusal(triangle + "f 1 2 99999999999").find("line 4"), std::string::npos);
  EXPECT_NE(obj_refusal(triangle + "f 1/1 2/1 3/1").find("texture coordinate 1"), std::string::npos);
  EXPECT_NE(obj_refusal(triangle + "f 1//1 2//1 3//1").find("normal 1"), std::string::npos);
  EXPECT_NE(obj_refusal(triangle + "f a b c").find("\"a\""), std::string::npos);
  EXPECT_NE(obj_refusal("v 0 nan 0").find("line 1: a vertex has a number that is not finite"), std::string::npos);
  EXPECT_NE(obj_refusal("v 0 1e999 0").find("not finite"), std::string::npos);
  EXPECT_NE(obj_refusal("v 0 0").find("too few"), std::string::npos);
  EXPECT_NE(obj_refusal("v 0 x 0").find("\"x\""), std::string::npos);
  EXPECT_NE(obj_refusal(triangle).find("no face"), std::string::npos);
  EXPECT_NE(obj_refusal("").find("no vertex"), std::string::npos);
}

// A file cut off anywhere is read or refused, never worse.
TEST(Obj, TruncatedAnywhere) {
  const std::string text = kSquareAndTriangle;
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      parse_obj(std::string_view(text).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// Groups and objects are chosen by glob; vertices keep their numbers unless unused ones are to go.
TEST(Obj, ChoosesGroups) {
  const char* text =
      "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
      "g helper-left\nf 1 2 3\ng body skin\nf 2 3 4\no hat\ng\nf 3 5 4\n";
  const Character body = parse_obj(text, {.groups = {"bo?y"}});
  EXPECT_EQ(body.parts[0].surface.corners, (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(body.parts[0].surface.vertex_count(), 5U);
  const Character small = parse_obj(text, {.groups = {"hat", "skin"}, .drop_unused_vertices = true});
  EXPECT_EQ(small.parts[0].surface.corners, (std::vector<Index>{0, 1, 2, 1, 3, 2}));
  EXPECT_EQ(small.parts[0].surface.positions[3], Vec3(1, 1, 0));
  EXPECT_NE(obj_refusal(text, {.groups = {"leg*"}}).find("\"helper-left\""), std::string::npos);
}

// Materials take Kd and d from the library beside the file; a missing one is a note and gives a default colour.
TEST(Obj, ReadsMaterials) {
  TempFolder folder;
  write_text(folder / "a.obj",
             "mtllib my materials.mtl\nmtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl red\nf 1 2 "
             "3\nusemtl blue\nf 3 2 1\n");
  write_text(folder / "my materials.mtl", "newmtl red\nKd 1 0.25 0\nd 0.5\nnewmtl unused\nKd 0 0 1\n");
  const Character character = read_obj(folder / "a.obj");
  ASSERT_EQ(character.materials.size(), 3U);
  EXPECT_EQ(character.materials[0].base_color, Eigen::Vector4f(1, 0.25F, 0, 0.5F));
  EXPECT_EQ(character.materials[1].base_color, Material{}.base_color);
  EXPECT_EQ(character.parts[0].face_material, (std::vector<Index>{2, 0, 1}));
  ASSERT_EQ(character.problems.size(), 1U);
  EXPECT_EQ(character.problems[0].code, "material-library-missing");
  EXPECT_EQ(character.problems[0].severity, Severity::note);
}

// A material library outside the file's folder is not opened, by whatever road.
TEST(Obj, LibraryMayNotLeaveTheFolder) {
  TempFolder folder;
  write_text(folder / "secret.mtl", "newmtl m\nKd 1 0 0\n");
  const std::string geometry = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
  std::filesystem::create_directories(folder / "in");
  std::filesystem::create_symlink(folder / "secret.mtl", folder.path() / "in" / "link.mtl");
  for (const std::string& name : {std::string("../secret.mtl"), std::string("./x/../../secret.mtl"),
                                  (folder / "secret.mtl").string(), std::string("link.mtl")}) {
    write_text(folder.path() / "in" / "a.obj", std::string("mtllib ").append(name).append("\n").append(geometry));
    const Character character = read_obj(folder.path() / "in" / "a.obj");
    EXPECT_EQ(character.materials[0].base_color, Material{}.base_color) << name;
    EXPECT_EQ(character.problems.size(), 1U) << name;
  }
}

// A missing file and a folder are refused.
TEST(Obj, RefusesWhatIsNoFile) {
  TempFolder folder;
  EXPECT_THROW(read_obj(folder / "none.obj"), Error);
  EXPECT_THROW(read_obj(folder.path()), Error);
}

// What is written reads back the same: positions to the last bit, polygons, corner attributes, materials.
TEST(Obj, RoundTrip) {
  TempFolder folder;
  Character character = parse_obj(kSquareAndTriangle);
  character.parts[0].name = "shape";
  character.parts[0].surface.positions[0] = {0.1, 1.0 / 3.0, 1e-17};
  character.materials = {Material{.name = "skin", .base_color = {0.1F, 0.2F, 0.3F, 0.5F}}, Material{.name = "cloth"}};
  character.parts[0].face_material = {1, 0};
  Part second = character.parts[0];
  second.name = "other";
  second.corner_uvs.clear();
  character.parts.push_back(second);
  write_obj(folder / "out.obj", character);

  const Character back = read_obj(folder / "out.obj");
  const Surface& surface = back.parts[0].surface;
  ASSERT_EQ(surface.vertex_count(), 10U);
  for (std::size_t v = 0; v < 10; ++v) EXPECT_EQ(surface.positions[v], character.parts[v / 5].surface.positions[v % 5]);
  EXPECT_EQ(surface.face(3)[1], 5 + 4);
  EXPECT_EQ(back.parts[0].corner_normals[13], Vec3f(0, 0, 1));
  ASSERT_EQ(back.materials.size(), 2U);
  EXPECT_EQ(back.materials[back.parts[0].face_material[1]].base_color, character.materials[0].base_color);

  character.parts.pop_back();
  write_obj(folder / "one.obj", character);
  const Character one = read_obj(folder / "one.obj");
  EXPECT_EQ(one.parts[0].name, "shape");
  EXPECT_EQ(one.parts[0].corner_uvs, character.parts[0].corner_uvs);
  EXPECT_EQ(one.parts[0].surface.corners, character.parts[0].surface.corners);
}

// Without materials no .mtl is written and none is mentioned; posed positions and normals replace the part's own.
TEST(Obj, WritesPosedParts) {
  TempFolder folder;
  Character character = parse_obj(kSquareAndTriangle);
  const std::vector<Vec3> positions(5, Vec3(1, 2, 3));
  const std::vector<Vec3> normals(5, Vec3(0, 1, 0));
  const ObjPart posed{.part = &character.parts[0], .positions = positions, .normals = normals};
  write_obj(folder / "posed.obj", std::span(&posed, 1), character.materials);
  EXPECT_FALSE(std::filesystem::exists(folder / "posed.mtl"));
  const std::string text = test::read_text(folder / "posed.obj");
  EXPECT_EQ(text.find("mtl"), std::string::npos);
  const Character back = parse_obj(text);
  EXPECT_EQ(back.parts[0].surface.positions[2], Vec3(1, 2, 3));
  EXPECT_EQ(back.parts[0].corner_normals[0], Vec3f(0, 1, 0));
  const ObjPart wrong{.part = &character.parts[0], .positions = std::span(positions).first(2), .normals = {}};
  EXPECT_THROW(format_obj(std::span(&wrong, 1), {}), Error);
}

// Names that would break the file are made harmless.
TEST(Obj, WritesHarmlessNames) {
  Character character = parse_obj(kSquareAndTriangle);
  character.parts[0].name = "a\nv 1 2 3\nb \\";
  const ObjPart item{.part = &character.parts[0], .positions = {}, .normals = {}};
  EXPECT_EQ(parse_obj(format_obj(std::span(&item, 1), {})).parts[0].surface.vertex_count(), 5U);
}

// The real files have the counts that their index states.
TEST(Obj, RealFiles) {
  SKIP_WITHOUT_SHARED_DATA();
  const auto counts = [](const char* file, const ObjReadOptions& options = {}) {
    const Surface surface = read_obj(shared_data() / file, options).parts.at(0).surface;
    return std::pair(surface.vertex_count(), surface.face_count());
  };
  using Counts = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(counts("rohmer-girafe/mesh.obj"), Counts(1673, 1656));
  EXPECT_EQ(counts("makehuman/base.obj"), Counts(19158, 18486));
  EXPECT_EQ(counts("makehuman/base.obj", {.groups = {"body"}, .drop_unused_vertices = true}), Counts(13380, 13378));
  EXPECT_EQ(counts("armadillo/armadillo-43k.obj"), Counts(43243, 86482));
  EXPECT_EQ(counts("libigl-arm/arm.obj"), Counts(8311, 16618));
}

}  // namespace
}  // namespace isochor
