#include "isochor/io/assimp_import.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "helpers.h"
#include "io/assimp_parse.h"
#include "io/character_stream.h"
#include "isochor/base/error.h"
#include "isochor/deform/skinning.h"
#include "isochor/io/obj.h"
#include "support/data.h"
#include "support/files.h"

namespace isochor {
namespace {

using test::expect_no_error;
using test::shared_data;
using test::TempFolder;

std::string refusal(std::string_view bytes, std::string_view extension) {
  try {
    parse_assimp(bytes, extension);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// --- COLLADA
// ----------------------------------------------------------------------------------------------------------

/// A strip of two quads along y, half of it bound to each of two joints; the upper joint turns by 90° about z in two
/// seconds. Centimetres, z up.
std::string strip_dae() {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="red-fx"><profile_COMMON><technique sid="common"><lambert>
 <diffuse><color>1 0.5 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="red" name="red"><instance_effect url="#red-fx"/></material></library_materials>
<library_geometries><geometry id="strip" name="strip"><mesh>
 <source id="pos"><float_array id="pos-a" count="18">0 0 0 1 0 0 0 1 0 1 1 0 0 2 0 1 2 0</float_array>
  <technique_common><accessor source="#pos-a" count="6" stride="3">
   <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <source id="nor"><float_array id="nor-a" count="3">0 0 1</float_array>
  <technique_common><accessor source="#nor-a" count="1" stride="3">
   <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <vertices id="ver"><input semantic="POSITION" source="#pos"/></vertices>
 <polylist material="red" count="2"><input semantic="VERTEX" source="#ver" offset="0"/>
  <input semantic="NORMAL" source="#nor" offset="1"/><vcount>4 4</vcount><p>0 0 1 0 3 0 2 0 2 0 3 0 5 0 4 0</p></polylist>
</mesh></geometry></library_geometries>
<library_controllers><controller id="skin"><skin source="#strip">
 <bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
 <source id="jn"><Name_array id="jn-a" count="2">lower upper</Name_array>
  <technique_common><accessor source="#jn-a" count="2" stride="1"><param name="JOINT" type="name"/></accessor></technique_common></source>
 <source id="ibm"><float_array id="ibm-a" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1  1 0 0 0 0 1 0 -1 0 0 1 0 0 0 0 1</float_array>
  <technique_common><accessor source="#ibm-a" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
 <source id="w"><float_array id="w-a" count="3">1 0.5 0.25</float_array>
  <technique_common><accessor source="#w-a" count="3" stride="1"><param name="WEIGHT" type="float"/></accessor></technique_common></source>
 <joints><input semantic="JOINT" source="#jn"/><input semantic="INV_BIND_MATRIX" source="#ibm"/></joints>
 <vertex_weights count="6"><input semantic="JOINT" source="#jn" offset="0"/><input semantic="WEIGHT" source="#w" offset="1"/>
  <vcount>1 1 2 2 1 1</vcount><v>0 0 0 0 0 1 1 1 0 1 1 1 1 0 1 2</v></vertex_weights>
</skin></controller></library_controllers>
<library_animations><animation id="turn"><source id="t"><float_array id="t-a" count="2">0 2</float_array>
  <technique_common><accessor source="#t-a" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common></source>
 <source id="m"><float_array id="m-a" count="32">1 0 0 0 0 1 0 1 0 0 1 0 0 0 0 1  0 -1 0 0 1 0 0 1 0 0 1 0 0 0 0 1</float_array>
  <technique_common><accessor source="#m-a" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
 <source id="ip"><Name_array id="ip-a" count="2">LINEAR LINEAR</Name_array>
  <technique_common><accessor source="#ip-a" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
 <sampler id="s"><input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#m"/><input semantic="INTERPOLATION" source="#ip"/></sampler>
 <channel source="#s" target="upper/matrix"/></animation></library_animations>
<library_visual_scenes><visual_scene id="scene">
 <node id="lower" name="lower" sid="lower" type="JOINT"><matrix sid="matrix">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
  <node id="upper" name="upper" sid="upper" type="JOINT"><matrix sid="matrix">1 0 0 0 0 1 0 1 0 0 1 0 0 0 0 1</matrix></node></node>
 <node id="mesh" name="mesh"><instance_controller url="#skin"><skeleton>#lower</skeleton>
  <bind_material><technique_common><instance_material symbol="red" target="#red"/></technique_common></bind_material></instance_controller></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
)";
}

// Polygons, shared vertices, skin, weights, clip and material of a COLLADA file arrive; unit and up axis are applied.
TEST(AssimpCollada, ReadsSkinnedAnimatedStrip) {
  const Character character = parse_assimp(strip_dae(), "dae");
  ASSERT_EQ(character.parts.size(), 1U);
  const Part& part = character.parts[0];
  EXPECT_EQ(part.surface.vertex_count(), 6U);
  EXPECT_EQ(part.surface.face_count(), 2U);
  EXPECT_EQ(part.surface.face(1).size(), 4U);
  EXPECT_EQ(part.corner_normals.size(), 8U);
  ASSERT_EQ(part.skin.joints.size(), 2U);
  EXPECT_EQ(character.skeleton.deforming_count(), 2U);
  ASSERT_EQ(character.materials.size(), 1U);
  EXPECT_EQ(character.materials[0].base_color, Eigen::Vector4f(1, 0.5F, 0, 1));
  expect_no_error(character);
  // One row sums to 0.25: repaired and reported.
  ASSERT_EQ(character.problems.size(), 1U);
  EXPECT_EQ(character.problems[0].code, "weights-not-normalised");

  ASSERT_EQ(character.clips.size(), 1U);
  EXPECT_NEAR(character.clips[0].end(), 2, 1e-6);
  const Pose pose = sample(character.clips[0], character.skeleton, character.clips[0].end());
  const PosedPart posed = pose_part(character, part, pose, Deformer::lbs, Context());
  // In the file's axes (1, 2, 0) turns about (0, 1, 0) to (-1, 1, 0)+(0, 1, 0); then z up to y up, centimetres to
  // metres.
  for (std::size_t v = 0; v < 6; ++v) {
    if (part.surface.positions[v] == Vec3(1, 2, 0)) {
      EXPECT_TRUE(posed.positions[v].isApprox(Vec3(-0.01, 0, -0.02), 1e-6)) << posed.positions[v].transpose();
    }
    if (part.surface.positions[v] == Vec3(1, 0, 0)) {
      EXPECT_TRUE(posed.positions[v].isApprox(Vec3(0.01, 0, 0), 1e-6)) << posed.positions[v].transpose();
    }
  }
}

// A COLLADA file cut off anywhere, or with indices out of range, is refused.
TEST(AssimpCollada, RefusesBrokenFiles) {
  const std::string text = strip_dae();
  for (std::size_t n = 0; n < text.size() - 12; n += 64) EXPECT_NE(refusal(text.substr(0, n), "dae"), "") << n;
  std::string out = text;
  out.replace(out.find("<p>0 0 1 0"), 10, "<p>0 0 9 0");
  EXPECT_NE(refusal(out, "dae"), "");
}

// --- FBX
// --------------------------------------------------------------------------------------------------------------

struct Neutral {
  std::vector<std::string> names;
  std::vector<Affine> bind;
  nlohmann::json clips;
};

Affine row_major(const nlohmann::json& numbers) {
  Affine result;
  for (int i = 0; i < 16; ++i) result.matrix()(i / 4, i % 4) = numbers.at(static_cast<std::size_t>(i)).get<double>();
  return result;
}

Neutral read_neutral(const std::filesystem::path& folder) {
  Neutral neutral;
  for (const auto& joint : nlohmann::json::parse(std::ifstream(folder / "skeleton.json"))) {
    neutral.names.push_back(joint.at("name"));
    neutral.bind.push_back(row_major(joint.at("bind")));
  }
  neutral.clips = nlohmann::json::parse(std::ifstream(folder / "clips.json"));
  return neutral;
}

/// The largest distance, relative to the box, between our skinned corners of the box and the neutral copy's, over all
/// joints and frames, after the one similarity that relates the two spaces.
double largest_clip_error(const Character& character, const Neutral& neutral) {
  const Part& part = character.parts.at(0);
  const Box box = bounding_box(part.surface.positions);
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < part.skin.joints.size(); ++i) {
    place[character.skeleton.joints[part.skin.joints[i]].name] = i;
  }
  double largest = 0;
  Affine to_ours = Affine::Identity();
  bool found = false;
  for (const auto& neutral_clip : neutral.clips) {
    const Clip* clip = character.find_clip(neutral_clip.at("name").get<std::string>());
    if (clip == nullptr) return 1e9;
    std::size_t frame = 0;
    for (const auto& matrices : neutral_clip.at("frames")) {
      const double time = static_cast<double>(frame++) / neutral_clip.at("fps").get<double>();
      const auto global = global_transforms(character.skeleton, sample(*clip, character.skeleton, time));
      const std::vector<Affine> ours = skin_matrices(part.skin, global);
      for (std::size_t j = 0; j < neutral.names.size(); ++j) {
        const Affine theirs = row_major(matrices.at(j)) * neutral.bind[j].inverse();
        const Affine& mine = ours[place.at(neutral.names[j])];
        if (!found) to_ours = mine * theirs.inverse();
        found = true;
        const double scale = std::cbrt(std::abs(to_ours.linear().determinant()));
        for (int corner = 0; corner < 8; ++corner) {
          const Vec3 p = box.corner(static_cast<Box::CornerType>(corner));
          largest = std::max(largest, (mine * p - to_ours * (theirs * p)).norm() / (scale * box.diagonal().norm()));
        }
      }
    }
  }
  // A similarity: its axes are at right angles and of one length.
  const Mat3 gram = to_ours.linear().transpose() * to_ours.linear();
  EXPECT_TRUE((gram / gram(0, 0)).isApprox(Mat3::Identity(), 1e-5));
  return largest;
}

void expect_same_points(const Surface& a, const Surface& b) {
  const auto sorted = [](const Surface& surface) {
    std::vector<std::array<double, 3>> points;
    for (const Vec3& p : surface.positions) points.push_back({p[0], p[1], p[2]});
    std::sort(points.begin(), points.end());
    return points;
  };
  const auto in_a = sorted(a);
  const auto in_b = sorted(b);
  ASSERT_EQ(in_a.size(), in_b.size());
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    for (std::size_t x = 0; x < 3; ++x) ASSERT_NEAR(in_a[i][x], in_b[i][x], 1e-6 * std::abs(in_a[i][x]) + 1e-7);
  }
}

/// A strip of two quads and two joints as a binary FBX of version 7400; the first byte is for the fuzzer.
std::string strip_fbx() {
  return test::read_text(test::source_folder() / "fuzz/corpus/assimp/strip-binary.fbx").substr(1);
}

// Polygons, shared vertices, skeleton, skin and weights of a small FBX arrive.
TEST(AssimpFbx, ReadsSkinnedStrip) {
  const Character character = parse_assimp(strip_fbx(), "fbx");
  ASSERT_EQ(character.parts.size(), 1U);
  const Part& part = character.parts[0];
  EXPECT_EQ(part.surface.vertex_count(), 6U);
  EXPECT_EQ(part.surface.face_begin, (std::vector<Index>{0, 4, 8}));
  ASSERT_EQ(part.skin.joints.size(), 2U);
  const Skeleton& skeleton = character.skeleton;
  EXPECT_EQ(skeleton.joints[part.skin.joints[1]].name, "upper");
  EXPECT_EQ(skeleton.joints[part.skin.joints[1]].parent, part.skin.joints[0]);
  expect_no_error(character);
  const PosedPart posed = pose_part(character, part, rest_pose(skeleton), Deformer::lbs, Context());
  for (std::size_t v = 0; v < 6; ++v) EXPECT_TRUE(posed.positions[v].isApprox(part.surface.positions[v] / 100, 1e-6));
}

// What assimp would crash on is refused: weights for vertices that are not there, records that contradict themselves,
// circles among the objects, any cut.
TEST(AssimpFbx, RefusesBrokenFiles) {
  const std::string bytes = strip_fbx();
  // Our own reading sees every cut before assimp does: no child process is needed for that.
  for (std::size_t n = 0; n + 200 < bytes.size(); ++n) {
    EXPECT_THROW(parse_with_assimp(bytes.substr(0, n), "fbx"), Error) << n;
  }
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() / 2), "fbx"), "");
  std::string weights = bytes;
  weights[bytes.find("Indexes") + 7 + 13 + 8] = 66;
  EXPECT_NE(refusal(weights, "fbx").find("weights for vertices"), std::string::npos);
  std::string count = bytes;
  count[bytes.find("Vertices") + 8 + 1] = 99;
  EXPECT_NE(refusal(count, "fbx").find("contradicts itself"), std::string::npos);
  // The first connection hangs the mesh from the scene: hang it from itself.
  std::string circle = bytes;
  const std::size_t first = bytes.find("OO") + 2;
  circle.replace(first + 10, 8, bytes.substr(first + 1, 8));
  EXPECT_NE(refusal(circle, "fbx").find("circle"), std::string::npos);
  EXPECT_NE(refusal("; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n}\n", "fbx").find("text form"),
            std::string::npos);
}

// Two real FBX files: control points, quads, weights and every frame of every clip agree with an independent reading.
TEST(AssimpFbx, AgreesWithIndependentReading) {
  SKIP_WITHOUT_SHARED_DATA();
  const std::tuple<const char*, const char*, std::size_t> files[] = {
      {"quaternius-rat", "Rat.fbx", 6}, {"quaternius-man-suit", "Smooth_Male_Suit.fbx", 11}};
  for (const auto& [folder, file, clips] : files) {
    const Character character = read_assimp(shared_data() / folder / file);
    ASSERT_EQ(character.parts.size(), 1U);
    EXPECT_EQ(character.clips.size(), clips);
    expect_no_error(character);
    EXPECT_TRUE(std::any_of(character.problems.begin(), character.problems.end(),
                            [](const Problem& p) { return p.code == "weights-not-normalised"; }));
    const Character mesh = read_obj(shared_data() / folder / "neutral" / "mesh.obj");
    EXPECT_EQ(character.parts[0].surface.face_count(), mesh.parts[0].surface.face_count());
    EXPECT_EQ(character.parts[0].surface.corners.size(), 4 * mesh.parts[0].surface.face_count());
    expect_same_points(character.parts[0].surface, mesh.parts[0].surface);
    const double error = largest_clip_error(character, read_neutral(shared_data() / folder / "neutral"));
    EXPECT_LT(error, 1e-4) << file;
    RecordProperty(std::string(folder) + "-clip-error", std::to_string(error));
  }
}

// The rat stands in metres, y up, at rest.
TEST(AssimpFbx, UnitsAreMetres) {
  SKIP_WITHOUT_SHARED_DATA();
  const Character character = read_assimp(shared_data() / "quaternius-rat" / "Rat.fbx");
  const PosedPart posed =
      pose_part(character, character.parts[0], rest_pose(character.skeleton), Deformer::lbs, Context());
  const Box box = bounding_box(posed.positions);
  EXPECT_GT(box.diagonal().norm(), 1);
  EXPECT_LT(box.diagonal().norm(), 10);
  EXPECT_GT(box.min().y(), -0.2);
}

// An FBX cut off anywhere is refused, or read as far as it makes sense; never worse.
TEST(AssimpFbx, TruncatedFiles) {
  SKIP_WITHOUT_SHARED_DATA();
  const std::string bytes = test::read_text(shared_data() / "quaternius-rat" / "Rat.fbx");
  for (std::size_t n = 0; n + 400 < bytes.size(); n += bytes.size() / 61) {
    EXPECT_NE(refusal(std::string_view(bytes).substr(0, n), "fbx"), "") << n;
  }
}

// --- all
// --------------------------------------------------------------------------------------------------------------

// Only listed kinds are given to assimp, whatever it could read.
TEST(AssimpImport, AllowList) {
  EXPECT_NE(refusal("v 0 0 0", "obj").find(".obj"), std::string::npos);
  EXPECT_NE(refusal("x", "blend").find(".blend"), std::string::npos);
  for (const std::string_view extension : assimp_extensions()) {
    EXPECT_NE(refusal("", extension), "") << extension;
    EXPECT_NE(refusal(std::string(1000, '\0'), extension), "") << extension;
    EXPECT_NE(refusal("hello, world", extension), "") << extension;
  }
}

// Errors name the file; the extension's case does not matter.
TEST(AssimpImport, ReadsByPath) {
  TempFolder folder;
  std::ofstream(folder / "A.DAE") << strip_dae();
  EXPECT_EQ(read_assimp(folder / "A.DAE").name, "A");
  std::ofstream(folder / "b.dae") << "<COLLADA>";
  try {
    read_assimp(folder / "b.dae");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("b.dae: "), 0U) << error.what();
  }
  EXPECT_THROW(read_assimp(folder / "none.dae"), Error);
}

/// All of a character, as it goes through the pipe.
std::vector<std::byte> all_bytes(const Character& character) {
  Answer answer;
  answer.character = character;
  std::vector<std::byte> bytes;
  CharacterWriter([&](std::span<const std::byte> some) {
    bytes.insert(bytes.end(), some.begin(), some.end());
  }).write(answer);
  return bytes;
}

// What comes out of the child process is what assimp gives in this one, to the last byte.
TEST(AssimpImport, ChildGivesTheSame) {
  EXPECT_EQ(all_bytes(parse_assimp(strip_dae(), "dae")), all_bytes(parse_with_assimp(strip_dae(), "dae")));
  EXPECT_EQ(all_bytes(parse_assimp(strip_fbx(), "fbx")), all_bytes(parse_with_assimp(strip_fbx(), "fbx")));
  if (!test::has_shared_data()) return;
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared_data())) {
    if (entry.path().extension() != ".fbx") continue;
    const std::string bytes = test::read_text(entry.path());
    EXPECT_EQ(all_bytes(parse_assimp(bytes, "fbx")), all_bytes(parse_with_assimp(bytes, "fbx"))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

// Refusals of our own arrive from the child as they are, with kind and element.
TEST(AssimpImport, ChildRefusesInTheSameWords) {
  const std::vector<std::pair<std::string, std::string>> files = {{"Kaydara FBX Binary", "fbx"},
                                                                  {"; FBXHeaderExtension", "fbx"},
                                                                  {"<COLLADA>", "dae"},
                                                                  {strip_fbx().substr(0, 3000), "fbx"}};
  for (const auto& [bytes, extension] : files) {
    try {
      parse_with_assimp(bytes, extension);
      FAIL();
    } catch (const Error& here) {
      try {
        parse_assimp(bytes, extension);
        FAIL();
      } catch (const Error& there) {
        EXPECT_STREQ(there.what(), here.what());
        EXPECT_EQ(there.kind(), here.kind());
        EXPECT_EQ(there.element(), here.element());
      }
    }
  }
}

// A file that makes assimp abort the process, by an assertion in its FBX converter, gets a sentence.
TEST(AssimpImport, SurvivesAssimp) {
  const std::string bytes = test::read_text(test::source_folder() / "fuzz/corpus/assimp/assertion.fbx")
                                .substr(1);  // the first is the fuzzer's
  testing::internal::CaptureStderr();
  const std::string sentence = refusal(bytes, "fbx");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(sentence, "the file is broken: the reader of FBX files gave up on it");
}

// Limits are options, and out of range they are refused.
TEST(AssimpImport, Limits) {
  EXPECT_THROW(parse_assimp(strip_fbx(), "fbx", {.seconds = 0, .memory = 100}), Error);
  EXPECT_THROW(parse_assimp(strip_fbx(), "fbx", {.seconds = 1, .memory = 1}), Error);
  EXPECT_EQ(parse_assimp(strip_fbx(), "fbx", {.seconds = 1, .memory = 64}).parts.size(), 1U);
}

// What assimp has been seen to crash or hang on is refused before it sees it.
TEST(AssimpImport, GuardsAssimp) {
  const auto changed = [](const char* from, const char* to) {
    std::string text = strip_dae();
    return text.replace(text.find(from), std::strlen(from), to);
  };
  EXPECT_NE(refusal(changed("<p>0 0 1", "<p>0 0$1"), "dae").find("<p>"), std::string::npos);
  EXPECT_NE(
      refusal(changed("vertex_weights count=\"6\"", "vertex_weights count=\"2\""), "dae").find("<vertex_weights>"),
      std::string::npos);
  EXPECT_NE(refusal(changed("count=\"18\"", "count=\"999999999\""), "dae").find("<float_array>"), std::string::npos);
  EXPECT_NE(
      refusal(changed("<accessor source=\"#pos-a\" count=\"6\"", "<accessor source=\"#pos-a\" count=\"60\""), "dae")
          .find("<accessor>"),
      std::string::npos);
  EXPECT_NE(refusal(changed("<v>0 0 0 0", "<v>8 0 0 0"), "dae").find("<v>"), std::string::npos);
  EXPECT_NE(refusal(changed("<v>0 0 0 0", "<v>0 3 0 0"), "dae").find("<v>"), std::string::npos);
  EXPECT_NE(refusal(changed("skin source=\"#strip\"", "skin source=\"#stripe\""), "dae").find("<vertex_weights>"),
            std::string::npos);
  std::string xml = "<COLLADA>";
  for (int i = 0; i < 100000; ++i) xml += "<node>";
  EXPECT_NE(refusal(xml, "dae").find("too deep"), std::string::npos);
}

}  // namespace
}  // namespace isochor
