#include "isochor/io/gltf_read.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "gltf_builder.h"
#include "helpers.h"
#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::contains;
using test::faces_of;
using test::GltfBuilder;
using test::Json;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

GltfCharacter read(const GltfBuilder& b, const GltfReadOptions& options = {}) {
  return read_gltf(GltfDocument::parse(b.glb()), options);
}

std::string sentence(const GltfBuilder& b, const GltfReadOptions& options = {}) {
  try {
    read(b, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool has_problem(const Character& character, const std::string& code) {
  for (const Problem& problem : character.problems) {
    if (problem.code == code) return true;
  }
  return false;
}

/// A mesh of one primitive over five vertices in a row, with these indices and this mode.
GltfBuilder strip_document(const std::vector<std::uint16_t>& indices, int mode) {
  GltfBuilder b;
  const int position = b.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0});
  Json primitive = {{"attributes", {{"POSITION", position}}}, {"mode", mode}};
  if (!indices.empty()) primitive["indices"] = b.indices(indices);
  b.push("meshes", {{"primitives", {primitive}}});
  b.push("nodes", {{"mesh", 0}});
  return b;
}

using Faces = std::vector<std::vector<Index>>;

// ------------------------------------------------------------------------------------------------ geometry

// Triangles, strips and fans become faces in file order; links of a strip (repeated vertices) are left out.
TEST(GltfRead, ReadsTrianglesStripsAndFans) {
  EXPECT_EQ(faces_of(read(strip_document({0, 1, 2, 2, 1, 3}, 4)).character.parts[0].surface),
            (Faces{{0, 1, 2}, {2, 1, 3}}));
  EXPECT_EQ(faces_of(read(strip_document({}, 5)).character.parts[0].surface), (Faces{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}));
  EXPECT_EQ(faces_of(read(strip_document({0, 1, 2, 2, 3, 4}, 5)).character.parts[0].surface),
            (Faces{{0, 1, 2}, {2, 4, 3}}));
  EXPECT_EQ(faces_of(read(strip_document({0, 1, 3, 2}, 6)).character.parts[0].surface), (Faces{{1, 3, 0}, {3, 2, 0}}));
}

// Points and lines are left out with a note; a file of nothing else has no triangle and is refused.
TEST(GltfRead, LeavesPointsAndLinesOut) {
  EXPECT_TRUE(contains(sentence(strip_document({0, 1}, 1)), "no triangle"));
  GltfBuilder b = strip_document({0, 1, 2}, 4);
  b.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", 0}}}, {"mode", 0}});
  const auto result = read(b);
  EXPECT_EQ(result.character.parts[0].surface.vertex_count(), 5u);
  EXPECT_TRUE(has_problem(result.character, "gltf-points-lines"));
  EXPECT_EQ(result.map.parts[0].primitives.size(), 1u);
}

// Primitives on the same vertex accessors share their vertices; others are appended.
TEST(GltfRead, SharesVerticesBetweenPrimitives) {
  GltfBuilder b = strip_document({0, 1, 2}, 4);
  const int other = b.vec3({5, 0, 0, 6, 0, 0, 5, 1, 0});
  b.push("materials", {{"name", "red"}, {"pbrMetallicRoughness", {{"baseColorFactor", {1, 0, 0, 1}}}}});
  auto& primitives = b.json["meshes"][0]["primitives"];
  const int second = b.indices({2, 1, 3});
  primitives.push_back({{"attributes", {{"POSITION", 0}}}, {"indices", second}, {"material", 0}});
  primitives.push_back({{"attributes", {{"POSITION", other}}}});
  const auto result = read(b);
  const Part& part = result.character.parts[0];
  EXPECT_EQ(part.surface.vertex_count(), 8u);
  EXPECT_EQ(faces_of(part.surface), (Faces{{0, 1, 2}, {2, 1, 3}, {5, 6, 7}}));
  EXPECT_EQ(part.face_material, (std::vector<Index>{kNone, 0, kNone}));
  EXPECT_EQ(result.character.materials[0].name, "red");
  EXPECT_EQ(result.character.materials[0].base_color, Eigen::Vector4f(1, 0, 0, 1));
  EXPECT_EQ(result.map.parts[0].primitives[1].first_vertex, 0);
  EXPECT_EQ(result.map.parts[0].primitives[2].first_vertex, 5);
}

// FB_ngon_encoding: triangles in a row that begin with the same vertex are one polygon.
TEST(GltfRead, PutsPolygonsTogether) {
  GltfBuilder b = strip_document({0, 1, 3, 0, 3, 2, 2, 3, 4}, 4);
  b.json["meshes"][0]["primitives"][0]["extensions"] = {{"FB_ngon_encoding", Json::object()}};
  b.json["extensionsUsed"] = {"FB_ngon_encoding"};
  EXPECT_EQ(faces_of(read(b).character.parts[0].surface), (Faces{{0, 1, 3, 2}, {2, 3, 4}}));
  b.json["meshes"][0]["primitives"][0].erase("extensions");
  EXPECT_EQ(read(b).character.parts[0].surface.face_count(), 3u);
}

// Normals that only some primitives have are computed for the others; the map says which are the file's own.
TEST(GltfRead, FillsMissingNormals) {
  GltfBuilder b = strip_document({0, 1, 2}, 4);
  const int other = b.vec3({5, 0, 0, 6, 0, 0, 5, 1, 0});
  const int normal = b.accessor("VEC3", std::vector<float>{0, 0, -1, 0, 0, -1, 0, kNan, -1}, 5126, 3);
  b.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", other}, {"NORMAL", normal}}}});
  const auto result = read(b);
  const Part& part = result.character.parts[0];
  ASSERT_EQ(part.normals.size(), 8u);
  EXPECT_EQ(part.normals[0], Vec3(0, 0, 1));
  EXPECT_EQ(part.normals[5], Vec3(0, 0, -1));
  EXPECT_EQ(part.normals[7], Vec3(0, 0, 1));
  EXPECT_FALSE(result.map.parts[0].primitives[0].has_normals);
  EXPECT_TRUE(result.map.parts[0].primitives[1].has_normals);
  EXPECT_TRUE(has_problem(result.character, "gltf-normals"));
}

// Quantised positions (KHR_mesh_quantization) are read as they are meant.
TEST(GltfRead, ReadsQuantisedPositions) {
  GltfBuilder b = test::triangle_document();
  b.json["extensionsRequired"] = {"KHR_mesh_quantization"};
  b.view(std::vector<std::int16_t>{0, 0, 0, 0, 32767, 0, 0, 0, 0, -32767, 0, 0}, 8);
  b.json["accessors"][0] = {
      {"bufferView", 1}, {"componentType", 5122}, {"normalized", true}, {"count", 3}, {"type", "VEC3"}};
  const auto positions = read(b).character.parts[0].surface.positions;
  EXPECT_EQ(positions[1], Vec3(1, 0, 0));
  EXPECT_EQ(positions[2], Vec3(0, -1, 0));
}

// Positions that are not finite are refused, naming mesh and vertex.
TEST(GltfRead, RefusesPositionsThatAreNotFinite) {
  for (const float bad : {kNan, std::numeric_limits<float>::infinity()}) {
    GltfBuilder b = test::triangle_document();
    std::memcpy(b.bin.data() + 16, &bad, 4);
    EXPECT_TRUE(contains(sentence(b), "mesh 0 'tri' has a position that is not a finite number at vertex 1"));
  }
}

// Indices beyond the vertices, and attributes of other counts than POSITION, are refused.
TEST(GltfRead, RefusesWrongCountsAndIndices) {
  EXPECT_TRUE(contains(sentence(strip_document({0, 1, 5}, 4)), "index 5 beyond its 5 vertices"));
  for (const char* name : {"NORMAL", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0"}) {
    GltfBuilder b = test::character_document();
    const int accessor = b.json["meshes"][0]["primitives"][0]["attributes"][name];
    b.json["accessors"][accessor]["count"] = 5;
    EXPECT_NE(sentence(b), "") << name;
  }
  GltfBuilder b = test::character_document();
  b.json["accessors"][b.json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"].get<int>()]["count"] = 5;
  EXPECT_TRUE(contains(sentence(b), "morph target"));
}

// A file without meshes, and one with empty meshes, has no triangle: refused, unless only the skeleton is wanted.
TEST(GltfRead, RefusesFilesWithoutTriangles) {
  GltfBuilder b;
  b.push("nodes", {{"name", "a"}});
  EXPECT_TRUE(contains(sentence(b), "it has no mesh"));
  EXPECT_EQ(sentence(b, {.require_triangles = false}), "");
  b.push("meshes", {{"primitives", Json::array()}});
  b.json["nodes"][0]["mesh"] = 0;
  EXPECT_TRUE(contains(sentence(b), "no triangle"));
  GltfBuilder c = strip_document({}, 4);
  c.json["accessors"][0]["count"] = 0;
  EXPECT_TRUE(contains(sentence(c), "no triangle"));
}

// A mesh that is instanced so often that it would fill the memory is refused before it does.
TEST(GltfRead, RefusesTooManyInstances) {
  GltfBuilder b = strip_document({}, 4);
  for (int i = 0; i < 20000; ++i) b.push("nodes", {{"mesh", 0}});
  EXPECT_TRUE(contains(sentence(b, {.memory = 4}), "uses the same data many times over"));
}

// ------------------------------------------------------------------------------------------------ rig

// All nodes of the scene are joints, parents first whatever their order in the file; joints of skins deform.
TEST(GltfRead, ReadsTheSkeleton) {
  const auto result = read(test::character_document());
  const auto& joints = result.character.skeleton.joints;
  ASSERT_EQ(joints.size(), 4u);
  EXPECT_EQ(joints[2].name, "knee");
  EXPECT_EQ(joints[2].parent, 1);
  EXPECT_EQ(joints[1].parent, 0);
  EXPECT_TRUE(joints[2].deforms);
  EXPECT_FALSE(joints[0].deforms);
  EXPECT_EQ(joints[2].tail, Vec3(0, 1, 0));
  EXPECT_EQ(joints[0].rest.translation, Vec3(10, 0, 0));
  EXPECT_EQ(result.map.node_of_joint, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_TRUE(validate(result.character.skeleton).empty());

  GltfBuilder turned;
  turned.push("nodes", {{"name", "leaf"}});
  turned.push("nodes", {{"name", "middle"}, {"children", {0}}});
  turned.push("nodes", {{"children", {1}}});
  const auto order = read(turned, {.require_triangles = false});
  EXPECT_EQ(order.map.node_of_joint, (std::vector<Index>{2, 1, 0}));
  EXPECT_EQ(order.map.joint_of_node, (std::vector<Index>{2, 1, 0}));
  EXPECT_EQ(order.character.skeleton.joints[0].name, "node_2");
}

// A node's matrix is its transform, mirrored and sheared ones too.
TEST(GltfRead, ReadsNodeMatrices) {
  GltfBuilder b = test::triangle_document();
  b.json["nodes"][0]["matrix"] = {-2, 0, 0, 0, 1, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};
  const auto result = read(b);
  Eigen::Matrix4d expected;
  expected << -2, 1, 0, 5, 0, 3, 0, 6, 0, 0, 4, 7, 0, 0, 0, 1;
  const Affine global = global_transforms(result.character.skeleton, rest_pose(result.character.skeleton))[0];
  EXPECT_TRUE(global.matrix().isApprox(expected, 1e-12));
}

// The named scene is read, and only that; joints of a skin in use are read wherever they stand.
TEST(GltfRead, ReadsTheDefaultScene) {
  GltfBuilder b = test::character_document();
  b.push("nodes", {{"name", "elsewhere"}, {"mesh", 0}});
  b.push("scenes", {{"nodes", {4}}});
  EXPECT_EQ(read(b).character.parts.size(), 1u);
  EXPECT_EQ(read(b).character.skeleton.size(), 4u);
  b.json["scene"] = 1;
  EXPECT_EQ(read(b).character.parts[0].name, "elsewhere");
  EXPECT_TRUE(has_problem(read(b).character, "gltf-scenes"));
  b.json["scenes"][0]["nodes"] = {3};
  b.json["scene"] = 0;
  EXPECT_EQ(read(b).character.skeleton.size(), 4u);
  b.json.erase("scene");
  b.json.erase("scenes");
  EXPECT_EQ(read(b).character.parts.size(), 2u);
}

// Weights come from all sets, strongest first, and the inverse bind matrices from the skin; identity without any.
TEST(GltfRead, ReadsWeightsAndSkins) {
  GltfBuilder b = test::character_document();
  auto& attributes = b.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_1"] = b.joints({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  attributes["WEIGHTS_1"] = b.vec4({3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const auto result = read(b);
  const Part& part = result.character.parts[0];
  ASSERT_TRUE(part.skinned());
  EXPECT_EQ(part.skin.joints, (std::vector<Index>{1, 2}));
  EXPECT_EQ(part.skin.inverse_bind[1].translation(), Vec3(0, -1, 0));
  const auto row = part.weights.row(0);
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row[0], (Influence{1, 0.75}));
  EXPECT_EQ(row[1], (Influence{0, 0.25}));
  EXPECT_TRUE(has_problem(result.character, "weights-not-normalised"));
  b.json["skins"][0].erase("inverseBindMatrices");
  EXPECT_TRUE(read(b).character.parts[0].skin.inverse_bind[1].matrix().isIdentity());
}

// Weights that are not numbers are repaired and reported; a vertex without weight follows the skeleton's root.
TEST(GltfRead, RepairsWeights) {
  GltfBuilder b = test::character_document();
  const int weights = b.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"];
  const std::size_t begin = b.json["bufferViews"][b.json["accessors"][weights]["bufferView"].get<int>()]["byteOffset"];
  std::memcpy(b.bin.data() + begin, &kNan, 4);
  b.json["skins"][0]["skeleton"] = 2;
  const auto result = read(b);
  EXPECT_TRUE(has_problem(result.character, "weights-not-finite"));
  EXPECT_TRUE(has_problem(result.character, "weights-missing"));
  ASSERT_EQ(result.character.parts[0].weights.row(0).size(), 1u);
  EXPECT_EQ(result.character.parts[0].weights.row(0)[0], (Influence{1, 1.0}));
}

// A vertex that refers to a joint its skin does not have is refused, as are skins without joints and with too few
// matrices.
TEST(GltfRead, RefusesJointsOutOfRange) {
  GltfBuilder b = test::character_document();
  b.json["skins"][0]["joints"] = {1};
  EXPECT_TRUE(contains(sentence(b), "refers at vertex 2 to joint 1 of a skin with 1"));
  b.json["skins"][0]["joints"] = Json::array();
  EXPECT_TRUE(contains(sentence(b), "has no joints"));
  b.json["skins"][0]["joints"] = {1, 2, 0};
  EXPECT_TRUE(contains(sentence(b), "3 joints and 2 inverse bind matrices"));
  b.json["skins"][0]["joints"] = {1, 9};
  EXPECT_TRUE(contains(sentence(b), "refers to element 9"));
}

// A skin without weights leaves the part to its node, with a warning.
TEST(GltfRead, TreatsASkinWithoutWeightsAsNone) {
  GltfBuilder b = test::character_document();
  b.json["meshes"][0]["primitives"][0]["attributes"].erase("JOINTS_0");
  EXPECT_TRUE(contains(sentence(b), "without the other"));
  b.json["meshes"][0]["primitives"][0]["attributes"].erase("WEIGHTS_0");
  const auto result = read(b);
  EXPECT_FALSE(result.character.parts[0].skinned());
  EXPECT_TRUE(has_problem(result.character, "gltf-skin-without-weights"));
}

// Morph targets have their names and the default weights of the node, else of the mesh.
TEST(GltfRead, ReadsMorphTargets) {
  GltfBuilder b = test::character_document();
  const Part part = read(b).character.parts[0];
  ASSERT_EQ(part.morphs.size(), 1u);
  EXPECT_EQ(part.morphs[0].name, "bulge");
  EXPECT_EQ(part.morphs[0].positions[5], Vec3(0, 0, 1));
  EXPECT_TRUE(part.morphs[0].normals.empty());
  EXPECT_EQ(part.morph_weights, std::vector<double>{0.25});
  b.json["nodes"][3]["weights"] = {0.75};
  EXPECT_EQ(read(b).character.parts[0].morph_weights, std::vector<double>{0.75});
}

// ------------------------------------------------------------------------------------------------ clips

// Channels of all paths and interpolations, normalised integers included, are read with their sizes.
TEST(GltfRead, ReadsClips) {
  GltfBuilder b = test::character_document();
  const int times = b.scalars({0, 2});
  const int spline = b.accessor("VEC3", std::vector<float>(18, 1.5f), 5126, 3);
  const int small = b.accessor("VEC4", std::vector<std::int16_t>{0, 0, 0, 32767, 32767, 0, 0, 0}, 5122, 4);
  b.json["accessors"][small]["normalized"] = true;
  b.push("animations", {{"channels",
                         {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "translation"}}}},
                          {{"sampler", 1}, {"target", {{"node", 1}, {"path", "rotation"}}}},
                          {{"sampler", 1}, {"target", {{"path", "pointer"}}}}}},
                        {"samplers",
                         {{{"input", times}, {"output", spline}, {"interpolation", "CUBICSPLINE"}},
                          {{"input", times}, {"output", small}, {"interpolation", "STEP"}}}}});
  const auto result = read(b);
  ASSERT_EQ(result.character.clips.size(), 2u);
  const Clip& bend = result.character.clips[0];
  EXPECT_EQ(bend.name, "bend");
  ASSERT_EQ(bend.channels.size(), 2u);
  EXPECT_EQ(bend.channels[1].path, ChannelPath::morph_weights);
  EXPECT_EQ(bend.channels[1].width, 1);
  EXPECT_EQ(bend.channels[1].values, (std::vector<double>{0, 0.5}));
  const Clip& other = result.character.clips[1];
  ASSERT_EQ(other.channels.size(), 2u);
  EXPECT_EQ(other.channels[0].interpolation, Interpolation::cubic_spline);
  EXPECT_EQ(other.channels[0].values.size(), 18u);
  EXPECT_EQ(other.channels[1].interpolation, Interpolation::step);
  EXPECT_EQ(other.channels[1].values[4], 1.0);
  EXPECT_TRUE(has_problem(result.character, "gltf-channel-ignored"));
  EXPECT_TRUE(validate(other, result.character.skeleton).empty());
}

// A sampler whose values do not fit its times is refused; times that do not increase lose their late keys.
TEST(GltfRead, ChecksClips) {
  GltfBuilder b = test::character_document();
  const int fades = b.json["animations"][0]["samplers"][1]["output"];
  b.json["accessors"][fades]["count"] = 1;
  EXPECT_TRUE(contains(sentence(b), "2 times and 1 numbers, which do not fit"));
  b = test::character_document();
  b.json["animations"][0]["samplers"][0]["interpolation"] = "WAVY";
  EXPECT_TRUE(contains(sentence(b), "unknown interpolation"));
  b = test::character_document();
  b.json["animations"][0]["samplers"][1]["input"] = b.scalars({1, 1});
  const auto result = read(b);
  EXPECT_EQ(result.character.clips[0].channels[1].times, std::vector<double>{1});
  EXPECT_TRUE(has_problem(result.character, "gltf-key-order"));
}

// 84 skins over 840 nested joints on one instanced mesh: a part for each.
TEST(GltfRead, ReadsRecursiveSkeletons) {
  SKIP_WITHOUT_SHARED_DATA();
  const auto path = test::shared_data() / "khronos-recursiveskeletons/RecursiveSkeletons.glb";
  const auto result = read_gltf(GltfDocument::open(path));
  EXPECT_EQ(result.character.parts.size(), 84u);
  EXPECT_EQ(result.character.skeleton.deforming_count(), 840u);
}

}  // namespace
}  // namespace isochor
