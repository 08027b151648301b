#include "isochor/io/gltf_edit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "gltf_builder.h"
#include "gltf_reference.h"
#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;
using test::GltfBuilder;
using test::Json;

struct Opened {
  GltfSource source;
  Character character;
};

Opened open(const GltfDocument& document) {
  GltfCharacter read = read_gltf(document, {.require_triangles = false});
  return {{document, std::move(read.map)}, std::move(read.character)};
}
Opened open(const GltfBuilder& b) { return open(GltfDocument::parse(b.glb())); }

Json json_of(const GltfSource& source) { return Json::parse(source.document.json_text()); }
test::GltfReference reference_of(const GltfSource& source) { return test::GltfReference(source.document.to_glb()); }

template <class Body>
std::string sentence_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Where two documents differ, as JSON pointers; appended array elements as the array's pointer with "/+".
std::vector<std::string> differences(const Json& a, const Json& b) {
  std::vector<std::string> out;
  for (const Json& step : Json::diff(a, b)) {
    std::string path = step["path"];
    if (step["op"] == "add" && Json::json_pointer(path).parent_pointer() != Json::json_pointer("")) {
      const auto parent = Json::json_pointer(path).parent_pointer();
      if (b[parent].is_array()) path = parent.to_string() + "/+";
    }
    if (out.empty() || out.back() != path) out.push_back(path);
  }
  return out;
}

/// All differences begin with one of these.
void expect_only(const Json& before, const GltfSource& after, const std::vector<std::string>& allowed) {
  for (const std::string& path : differences(before, json_of(after))) {
    const bool good =
        std::any_of(allowed.begin(), allowed.end(), [&](const std::string& a) { return path.rfind(a, 0) == 0; });
    EXPECT_TRUE(good) << path;
  }
}

const std::vector<std::string> kNewData = {"/accessors/+", "/bufferViews/+", "/buffers/0/byteLength"};

std::vector<std::string> and_new_data(std::vector<std::string> allowed) {
  allowed.insert(allowed.end(), kNewData.begin(), kNewData.end());
  return allowed;
}

void expect_prefix(const GltfSource& before, const GltfSource& after) {
  const auto old_bytes = before.document.buffer(0), new_bytes = after.document.buffer(0);
  ASSERT_GE(new_bytes.size(), old_bytes.size());
  EXPECT_TRUE(std::equal(old_bytes.begin(), old_bytes.end(), new_bytes.begin()));
}

/// All vertices to one joint.
SkinWeights rigid_weights(std::size_t vertices, Index joint) {
  SkinWeights weights;
  for (std::size_t v = 0; v < vertices; ++v) weights.add_row(std::vector<Influence>{{joint, 1.0}});
  return weights;
}

MorphTarget offsets(const std::string& name, std::size_t vertices, std::size_t moved, const Vec3& by) {
  MorphTarget target{name, std::vector<Vec3>(vertices, Vec3::Zero()), {}};
  target.positions[moved] = by;
  return target;
}

// ------------------------------------------------------------------------------------------------ weights

// New weights replace the old ones on the part's primitives; the rest of the document and all old bytes stay.
TEST(GltfEdit, ReplacesWeights) {
  Opened o = open(test::character_document());
  const GltfSource before = o.source;
  replace_weights(o.source, 0, o.character.parts[0].skin, rigid_weights(6, 1));
  expect_prefix(before, o.source);
  expect_only(
      json_of(before), o.source,
      and_new_data({"/meshes/0/primitives/0/attributes/JOINTS_0", "/meshes/0/primitives/0/attributes/WEIGHTS_0"}));
  const Part part = open(o.source.document).character.parts[0];
  EXPECT_EQ(part.weights, rigid_weights(6, 1));
}

// A skin of other joints goes into the part's own skin, and the old second set of weights is gone.
TEST(GltfEdit, ReplacesTheSkin) {
  GltfBuilder b = test::character_document();
  auto& attributes = b.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_1"] = attributes["JOINTS_0"];
  attributes["WEIGHTS_1"] = attributes["WEIGHTS_0"];
  Opened o = open(b);
  const Json before = json_of(o.source);
  Skin skin{"ignored", {2}, {Affine(Eigen::Translation3d(1, 2, 3))}};
  replace_weights(o.source, 0, skin, rigid_weights(6, 0));
  expect_only(before, o.source, and_new_data({"/meshes/0/primitives/0/attributes/", "/skins/0/"}));
  const Json after = json_of(o.source);
  EXPECT_EQ(after["skins"].size(), 1u);
  EXPECT_EQ(after["skins"][0]["name"], "rig");
  EXPECT_FALSE(after["meshes"][0]["primitives"][0]["attributes"].contains("JOINTS_1"));
  EXPECT_EQ(open(o.source.document).character.parts[0].skin.inverse_bind[0].translation(), Vec3(1, 2, 3));
}

// A mesh and a skin that another node uses as well stay as they are for that node.
TEST(GltfEdit, LeavesInstancesAlone) {
  GltfBuilder b = test::character_document();
  b.push("nodes", {{"name", "twin"}, {"mesh", 0}, {"skin", 0}});
  b.json["scenes"][0]["nodes"].push_back(4);
  Opened o = open(b);
  ASSERT_EQ(o.character.parts.size(), 2u);
  replace_weights(o.source, 0, Skin{"new", {2}, {Affine::Identity()}}, rigid_weights(6, 0));
  const Json after = json_of(o.source);
  EXPECT_EQ(after["meshes"].size(), 2u);
  EXPECT_EQ(after["skins"].size(), 2u);
  EXPECT_EQ(after["nodes"][3]["mesh"], 1);
  EXPECT_EQ(after["nodes"][4]["mesh"], 0);
  EXPECT_EQ(after["meshes"][0], b.json["meshes"][0]);
  const Character back = open(o.source.document).character;
  EXPECT_EQ(back.parts[0].weights, rigid_weights(6, 0));
  EXPECT_EQ(back.parts[1].weights, o.character.parts[1].weights);
}

// A part without a skin is bound, and goes to the scene's root; its node goes with it where that is a leaf.
TEST(GltfEdit, BindsAnUnskinnedPart) {
  GltfBuilder b = test::triangle_document();
  b.json["nodes"][0]["translation"] = {1, 2, 3};
  b.push("nodes", {{"name", "above"}, {"children", {0}}, {"scale", {2, 2, 2}}});
  b.push("nodes", {{"name", "joint"}});
  b.json["scenes"][0]["nodes"] = {1, 2};
  Opened o = open(b);
  const Index joint = o.character.skeleton.find("joint");
  replace_weights(o.source, 0, Skin{"new", {joint}, {Affine::Identity()}}, rigid_weights(3, 0));
  const Json after = json_of(o.source);
  EXPECT_EQ(after["scenes"][0]["nodes"], Json({1, 2, 0}));
  EXPECT_FALSE(after["nodes"][1].contains("children"));
  EXPECT_FALSE(after["nodes"][0].contains("translation"));
  EXPECT_EQ(after["nodes"][0]["skin"], 0);

  // With a child of its own the node stays, and the mesh moves to a new one.
  b.json["nodes"][0]["children"] = {3};
  b.push("nodes", {{"name", "child"}});
  Opened p = open(b);
  replace_weights(p.source, 0, Skin{"new", {p.character.skeleton.find("joint")}, {Affine::Identity()}},
                  rigid_weights(3, 0));
  const Json moved = json_of(p.source);
  EXPECT_EQ(moved["nodes"][0]["translation"], Json({1, 2, 3}));
  EXPECT_FALSE(moved["nodes"][0].contains("mesh"));
  EXPECT_EQ(moved["nodes"][4]["mesh"], 0);
  EXPECT_EQ(moved["scenes"][0]["nodes"].back(), 4);
  EXPECT_EQ(p.source.map.parts[0].node, 4);
}

// Joints that came from elsewhere become nodes of the scene, and a part can be bound to them.
TEST(GltfEdit, AddsJoints) {
  Opened o = open(test::triangle_document());
  Skeleton skeleton = o.character.skeleton;
  skeleton.joints.push_back({"hip", kNone, {.translation = Vec3(0, 1, 0)}, true, {}});
  skeleton.joints.push_back({"knee", 1, {.translation = Vec3(0, 2, 0)}, true, Vec3(0, 0.5, 0)});
  add_joints(o.source, skeleton);
  replace_weights(o.source, 0, Skin{"rig", {1, 2}, {Affine::Identity(), Affine(Eigen::Translation3d(0, -3, 0))}},
                  rigid_weights(3, 1));
  const Character back = open(o.source.document).character;
  ASSERT_EQ(back.skeleton.size(), 3u);
  EXPECT_EQ(back.skeleton.joints[2].tail, Vec3(0, 0.5, 0));
  EXPECT_TRUE(back.skeleton.joints[2].deforms);
  const PosedPart posed = pose_part(back, back.parts[0], rest_pose(back.skeleton), Deformer::lbs, Context(1));
  EXPECT_TRUE(posed.positions[1].isApprox(Vec3(1, 0, 0)));
}

// Weights of another size, for joints that are not there, or that do not sum to 1 are refused; nothing changes.
TEST(GltfEdit, RefusesWeightsThatDoNotFit) {
  Opened o = open(test::character_document());
  const Json before = json_of(o.source);
  const Skin skin = o.character.parts[0].skin;
  EXPECT_NE(sentence_of([&] { replace_weights(o.source, 0, skin, rigid_weights(5, 0)); }), "");
  EXPECT_NE(sentence_of([&] { replace_weights(o.source, 0, skin, rigid_weights(6, 2)); }), "");
  EXPECT_NE(sentence_of([&] { replace_weights(o.source, 1, skin, rigid_weights(6, 0)); }), "");
  EXPECT_NE(sentence_of([&] {
              replace_weights(o.source, 0, Skin{"", {9}, {Affine::Identity()}}, rigid_weights(6, 0));
            }),
            "");
  SkinWeights half = rigid_weights(6, 0);
  half.influences[0].weight = 0.5;
  EXPECT_NE(sentence_of([&] { replace_weights(o.source, 0, skin, half); }), "");
  EXPECT_EQ(json_of(o.source), before);
}

// ------------------------------------------------------------------------------------------------ clips

Clip lift_clip(Index joint) {
  Clip clip;
  clip.name = "lift";
  clip.channels = {{joint, ChannelPath::translation, Interpolation::linear, {0, 1}, {0, 0, 0, 0, 5, 0}, 3}};
  return clip;
}

// A clip is appended as an animation, and the others stay.
TEST(GltfEdit, AddsAClip) {
  Opened o = open(test::character_document());
  const GltfSource before = o.source;
  EXPECT_EQ(add_clip(o.source, lift_clip(1)), 1);
  expect_prefix(before, o.source);
  expect_only(json_of(before), o.source, and_new_data({"/animations/+"}));
  const Character back = open(o.source.document).character;
  ASSERT_EQ(back.clips.size(), 2u);
  EXPECT_EQ(back.clips[1].name, "lift");
  EXPECT_EQ(back.clips[1].channels[0].values, (std::vector<double>{0, 0, 0, 0, 5, 0}));
}

// A node with a matrix gets the same transform in parts before it is animated; with shear that is refused.
TEST(GltfEdit, AnimatesNodesWithAMatrix) {
  GltfBuilder b = test::character_document();
  b.json["nodes"][1]["matrix"] = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1};
  Opened o = open(b);
  add_clip(o.source, lift_clip(1));
  const Json node = json_of(o.source)["nodes"][1];
  EXPECT_FALSE(node.contains("matrix"));
  EXPECT_NEAR(node["rotation"][2].get<double>(), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(node["translation"], Json({1.0, 2.0, 3.0}));
  b.json["nodes"][1]["matrix"] = {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  Opened sheared = open(b);
  EXPECT_NE(sentence_of([&] { add_clip(sheared.source, lift_clip(1)); }), "");
}

// Only the clips that are kept remain; without any, the document has no animations at all.
TEST(GltfEdit, RemovesClips) {
  Opened o = open(test::character_document());
  add_clip(o.source, lift_clip(1));
  add_clip(o.source, lift_clip(2));
  const Json before = json_of(o.source);
  const std::vector<Index> keep = {2, 0};
  remove_clips_except(o.source, keep);
  const Json after = json_of(o.source);
  ASSERT_EQ(after["animations"].size(), 2u);
  EXPECT_EQ(after["animations"][0], before["animations"][0]);
  EXPECT_EQ(after["animations"][1], before["animations"][2]);
  EXPECT_EQ(o.source.map.animation_of_clip, (std::vector<Index>{0, 1}));
  remove_clips_except(o.source, {});
  EXPECT_FALSE(json_of(o.source).contains("animations"));
}

// ------------------------------------------------------------------------------------------------ still

// A still character has the posed shape, and neither skin, weights, morph targets nor the animation that drove them.
TEST(GltfEdit, MakesAStill) {
  GltfBuilder b = test::character_document();
  b.push("nodes", {{"name", "lamp"}});
  b.json["scenes"][0]["nodes"].push_back(4);
  const int times = b.scalars({0, 1});
  const int places = b.vec3({0, 0, 0, 1, 1, 1});
  b.json["animations"][0]["samplers"].push_back({{"input", times}, {"output", places}});
  b.json["animations"][0]["channels"].push_back({{"sampler", 2}, {"target", {{"node", 4}, {"path", "translation"}}}});
  Opened o = open(b);
  const GltfSource before = o.source;
  const Pose pose = sample(o.character.clips[0], o.character.skeleton, 0.7);
  const std::vector<PosedPart> posed = {pose_part(o.character, o.character.parts[0], pose, Deformer::lbs, Context(1))};
  make_still(o.source, posed);
  expect_prefix(before, o.source);
  expect_only(json_of(before), o.source, and_new_data({"/animations/0/", "/meshes/0/", "/nodes/3/skin", "/skins"}));
  const Json after = json_of(o.source);
  EXPECT_FALSE(after.contains("skins"));
  EXPECT_EQ(after["meshes"][0]["primitives"][0]["attributes"].size(), 3u);
  EXPECT_FALSE(after["meshes"][0].contains("extras"));
  ASSERT_EQ(after["animations"][0]["channels"].size(), 1u);
  EXPECT_EQ(after["animations"][0]["channels"][0]["target"]["node"], 4);
  EXPECT_EQ(after["animations"][0]["samplers"].size(), 1u);
  const Character still = open(o.source.document).character;
  const PosedPart shape = pose_part(still, still.parts[0], rest_pose(still.skeleton), Deformer::lbs, Context(1));
  for (std::size_t v = 0; v < 6; ++v) {
    EXPECT_LT((shape.positions[v] - posed[0].positions[v]).norm(), 1e-6);
    EXPECT_LT((shape.normals[v] - posed[0].normals[v]).norm(), 1e-6);
  }
}

// Parts that hang from a moving node stand where the pose put them, and tangents turn with the normals.
TEST(GltfEdit, FreezesUnskinnedParts) {
  GltfBuilder b = test::triangle_document();
  auto& attributes = b.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["NORMAL"] = b.accessor("VEC3", std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1}, 5126, 3);
  attributes["TANGENT"] = b.vec4({1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, 1});
  b.json["nodes"][0]["rotation"] = {0, 0.70710678118654752, 0, 0.70710678118654752};
  b.json["nodes"][0]["translation"] = {0, 0, 7};
  Opened o = open(b);
  const std::vector<PosedPart> posed = {
      pose_part(o.character, o.character.parts[0], rest_pose(o.character.skeleton), Deformer::lbs, Context(1))};
  make_still(o.source, posed);
  const test::GltfReference reference = reference_of(o.source);
  const Json& now = reference.json["meshes"][0]["primitives"][0]["attributes"];
  const auto tangents = reference.read(now["TANGENT"]);
  EXPECT_NEAR(tangents[0][2], -1, 1e-6);
  EXPECT_EQ(tangents[0][3], -1);
  EXPECT_NEAR(reference.read(now["NORMAL"])[0][0], 1, 1e-6);
  EXPECT_FALSE(reference.json["nodes"][0].contains("translation"));
  EXPECT_LT((reference.pose(0, 0, {})[1] - Vec3(0, 0, 6)).norm(), 1e-6);
}

// ------------------------------------------------------------------------------------------------ morph frames

// Frames become targets behind the old ones; at each frame's time the file plays the old motion plus that frame.
TEST(GltfEdit, AddsMorphFrames) {
  for (const char* mode : {"LINEAR", "STEP", "CUBICSPLINE"}) {
    GltfBuilder b = test::character_document();
    auto& sampler = b.json["animations"][0]["samplers"][1];
    sampler["input"] = b.scalars({0.25f, 0.5f, 2});
    sampler["output"] =
        b.accessor("SCALAR",
                   mode == std::string("CUBICSPLINE") ? std::vector<float>{7, 0, 1, 2, 0.5f, -1, 0.5f, 1, 7}
                                                      : std::vector<float>{0, 0.5f, 1},
                   5126, 1);
    sampler["interpolation"] = mode;
    Opened o = open(b);
    const GltfSource before = o.source;
    const test::GltfReference old = reference_of(before);
    MorphFrames frames{
        0,
        {0, 0.4, 1.0},
        {offsets("f0", 6, 0, {1, 0, 0}), offsets("f1", 6, 3, {0, 2, 0}), offsets("f2", 6, 5, {0, 0, 3})}};
    add_morph_frames(o.source, 0, std::span(&frames, 1));
    expect_prefix(before, o.source);
    expect_only(json_of(before), o.source, and_new_data({"/meshes/0/", "/animations/0/samplers/1/"}));
    const test::GltfReference now = reference_of(o.source);
    EXPECT_EQ(now.json["meshes"][0]["extras"]["targetNames"], Json({"bulge", "f0", "f1", "f2"}));
    EXPECT_EQ(now.json["meshes"][0]["weights"].size(), 4u);
    const auto weights = [](const test::GltfReference& file, double time) {
      return file.sample(0, time).at({3, "weights"});
    };
    for (const double time : {-1.0, 0.0, 0.1, 0.25, 0.3, 0.4, 0.49, 0.5, 0.8, 1.0, 1.7, 2.0, 3.0}) {
      const auto row = weights(now, time);
      ASSERT_EQ(row.size(), 4u);
      EXPECT_NEAR(row[0], weights(old, time)[0], 1e-6) << mode << " " << time;
      const double f = static_cast<float>(0.4);
      const double first = time <= 0 ? 1 : time < f ? 1 - time / f : 0;
      const double last = time >= 1 ? 1 : time > f ? (time - f) / (1 - f) : 0;
      EXPECT_NEAR(row[1], first, 1e-6) << mode << " " << time;
      EXPECT_NEAR(row[3], last, 1e-6) << mode << " " << time;
      EXPECT_NEAR(row[2], 1 - first - last, 1e-6) << mode << " " << time;
    }
    const auto moved = now.pose(3, 0, {{{3, "weights"}, {0, 0, 1, 0}}});
    const auto rest = now.pose(3, 0, {{{3, "weights"}, {0, 0, 0, 0}}});
    EXPECT_LT((moved[3] - rest[3] - Vec3(0, 2, 0)).norm(), 1e-6);
    EXPECT_EQ(moved[0], rest[0]);
    for (const Problem& problem : validate(open(o.source.document).character))
      EXPECT_NE(problem.severity, Severity::error);
  }
}

// Old targets that a clip does not animate keep their default weights in it; other clips play as before.
TEST(GltfEdit, KeepsDefaultWeights) {
  GltfBuilder b = test::character_document();
  b.json["animations"][0]["channels"].erase(1);
  Opened o = open(b);
  MorphFrames frames{0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.25, 0, 1}));
  EXPECT_EQ(now.sample(0, 0).at({3, "weights"}), (std::vector<double>{0.25, 1, 0}));
}

// Frames of several clips are added at once; a clip without frames gets zeros for them.
TEST(GltfEdit, AddsFramesOfSeveralClips) {
  GltfBuilder b = test::character_document();
  Json second = b.json["animations"][0], third = second;
  second["name"] = "second";
  second["channels"].erase(1);
  b.push("animations", second);
  b.push("animations", third);
  Opened o = open(b);
  const std::vector<MorphFrames> frames = {{1, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}},
                                           {0, {0.5}, {offsets("c", 6, 1, {1, 0, 0})}}};
  add_morph_frames(o.source, 0, frames);
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 0, 1}));
  EXPECT_EQ(now.sample(1, 1).at({3, "weights"}), (std::vector<double>{0.25, 0, 1, 0}));
  EXPECT_EQ(now.sample(2, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 0, 0}));
  EXPECT_EQ(now.json["animations"][2]["samplers"].size(), 2u);
}

// Normals of frames are written; targets that had none get zeros, as some viewers need the same attributes in all.
TEST(GltfEdit, AddsNormalsOfFrames) {
  Opened o = open(test::character_document());
  MorphFrames frames{0, {0}, {offsets("a", 6, 0, {1, 0, 0})}};
  frames.frames[0].normals.assign(6, Vec3(0, 0.5, -0.5));
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const Part part = open(o.source.document).character.parts[0];
  EXPECT_EQ(part.morphs[0].normals, std::vector<Vec3>(6, Vec3::Zero()));
  EXPECT_EQ(part.morphs[1].normals, std::vector<Vec3>(6, Vec3(0, 0.5, -0.5)));
}

// Offsets of a few vertices are stored as sparse accessors, dense ones as they are.
TEST(GltfEdit, StoresSparseOffsets) {
  GltfBuilder b;
  std::vector<float> positions(900);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<float>(i % 7);
  const int position = b.vec3(positions);
  b.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  b.push("nodes", {{"mesh", 0}});
  const int times = b.scalars({0, 1});
  const int places = b.vec3({0, 0, 0, 1, 1, 1});
  b.push("animations", {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}},
                        {"samplers", {{{"input", times}, {"output", places}}}}});
  Opened o = open(b);
  MorphFrames frames{0,
                     {0, 1, 2},
                     {offsets("a", 300, 7, {1, 2, 3}),
                      {"b", std::vector<Vec3>(300, Vec3(1, 0, 0)), {}},
                      {"c", std::vector<Vec3>(300, Vec3::Zero()), {}}}};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const Json json = json_of(o.source);
  const Json& targets = json["meshes"][0]["primitives"][0]["targets"];
  const Json& sparse = json["accessors"][targets[0]["POSITION"].get<std::size_t>()];
  ASSERT_TRUE(sparse.contains("sparse"));
  EXPECT_EQ(sparse["sparse"]["count"], 1);
  EXPECT_EQ(sparse["max"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(sparse["min"], Json({0.0, 0.0, 0.0}));
  EXPECT_FALSE(json["accessors"][targets[1]["POSITION"].get<std::size_t>()].contains("sparse"));
  const Part part = open(o.source.document).character.parts[0];
  EXPECT_EQ(part.morphs[0].positions[7], Vec3(1, 2, 3));
  EXPECT_EQ(part.morphs[0].positions[8], Vec3::Zero());
}

// A twin of the mesh keeps its own number of targets, and its weights channel.
TEST(GltfEdit, AddsFramesToOneInstanceOnly) {
  GltfBuilder b = test::character_document();
  b.push("nodes", {{"name", "twin"}, {"mesh", 0}, {"skin", 0}});
  b.json["scenes"][0]["nodes"].push_back(4);
  b.json["animations"][0]["channels"].push_back({{"sampler", 1}, {"target", {{"node", 4}, {"path", "weights"}}}});
  Opened o = open(b);
  MorphFrames frames{0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.json["meshes"].size(), 2u);
  EXPECT_EQ(now.json["meshes"][0], b.json["meshes"][0]);
  EXPECT_EQ(now.sample(0, 1).at({4, "weights"}), std::vector<double>{0.5});
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 1}));
}

// Frames that do not fit are refused with a sentence, and nothing changes.
TEST(GltfEdit, RefusesFramesThatDoNotFit) {
  Opened o = open(test::character_document());
  const Json before = json_of(o.source);
  const auto refused = [&](MorphFrames frames) {
    return !sentence_of([&] { add_morph_frames(o.source, 0, std::span(&frames, 1)); }).empty();
  };
  EXPECT_TRUE(refused({5, {0}, {offsets("a", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {}, {}}));
  EXPECT_TRUE(refused({0, {0}, {offsets("a", 5, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {1, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {-1}, {offsets("a", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {0}, {offsets("a", 6, 0, {std::numeric_limits<double>::quiet_NaN(), 0, 0})}}));
  EXPECT_EQ(json_of(o.source), before);
}

// ------------------------------------------------------------------------------------------------ morph basis

// New targets stand behind the old ones and follow their curves; the old targets and their animation play as before,
// whatever the interpolations of both.
TEST(GltfEdit, AddsMorphBasis) {
  for (const char* mode : {"LINEAR", "STEP", "CUBICSPLINE"}) {
    for (const Interpolation added : {Interpolation::linear, Interpolation::step}) {
      GltfBuilder b = test::character_document();
      auto& sampler = b.json["animations"][0]["samplers"][1];
      sampler["input"] = b.scalars({0.25f, 0.5f, 2});
      sampler["output"] =
          b.accessor("SCALAR",
                     mode == std::string("CUBICSPLINE") ? std::vector<float>{7, 0, 1, 2, 0.5f, -1, 0.5f, 1, 7}
                                                        : std::vector<float>{0, 0.5f, 1},
                     5126, 1);
      sampler["interpolation"] = mode;
      Opened o = open(b);
      const GltfSource before = o.source;
      const test::GltfReference old = reference_of(before);
      const std::vector<MorphTarget> targets = {offsets("t0", 6, 0, {1, 0, 0}), offsets("t1", 6, 3, {0, 2, 0})};
      const MorphCurve curve{0, {0, 0.5, 1.0}, {0.25, 1, 0.75, 0.5, 0, 0.125}, added};
      add_morph_basis(o.source, 0, targets, std::span(&curve, 1));
      expect_prefix(before, o.source);
      expect_only(json_of(before), o.source, and_new_data({"/meshes/0/", "/animations/0/samplers/1/"}));
      const test::GltfReference now = reference_of(o.source);
      EXPECT_EQ(now.json["meshes"][0]["extras"]["targetNames"], Json({"bulge", "t0", "t1"}));
      for (const double time : {-1.0, 0.0, 0.1, 0.25, 0.3, 0.49, 0.5, 0.8, 0.99, 1.0, 1.7, 2.0, 3.0}) {
        const auto row = now.sample(0, time).at({3, "weights"});
        ASSERT_EQ(row.size(), 3u);
        EXPECT_NEAR(row[0], old.sample(0, time).at({3, "weights"})[0], 1e-6) << mode << " " << time;
        const double t = std::clamp(time, 0.0, 1.0);
        const bool late = t >= 0.5;
        const double s = added == Interpolation::step ? (t == 1 ? 1 : 0) : 2 * t - (late ? 1 : 0);
        const double first = late ? 0.75 * (1 - s) : 0.25 + 0.5 * s, second = late ? 0.5 - 0.375 * s : 1 - 0.5 * s;
        EXPECT_NEAR(row[1], first, 1e-6) << mode << " " << time;
        EXPECT_NEAR(row[2], second, 1e-6) << mode << " " << time;
      }
      for (const Problem& problem : validate(open(o.source.document).character))
        EXPECT_NE(problem.severity, Severity::error);
    }
  }
}

// Two clips share the targets, a third has them at zero; nothing is added where there is no target.
TEST(GltfEdit, AddsABasisForSeveralClips) {
  GltfBuilder b = test::character_document();
  Json second = b.json["animations"][0], third = second;
  second["channels"].erase(1);
  b.push("animations", second);
  b.push("animations", third);
  Opened o = open(b);
  const Json before = json_of(o.source);
  add_morph_basis(o.source, 0, {}, {});
  EXPECT_EQ(json_of(o.source), before);
  const std::vector<MorphTarget> targets = {offsets("t0", 6, 0, {1, 0, 0}), offsets("t1", 6, 3, {0, 2, 0})};
  const std::vector<MorphCurve> curves = {{1, {0, 1}, {0, 1, 1, 0}}, {0, {0.5}, {0.25, 0.75}}};
  add_morph_basis(o.source, 0, targets, curves);
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.5, 0.25, 0.75}));
  EXPECT_EQ(now.sample(1, 0.5).at({3, "weights"}), (std::vector<double>{0.25, 0.5, 0.5}));
  EXPECT_EQ(now.sample(2, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 0}));
}

// A clip whose joints step gets frames that step: no key of a line before each.
TEST(GltfEdit, FramesMayStep) {
  GltfBuilder b = test::character_document();
  b.json["animations"][0]["channels"].erase(1);
  Opened o = open(b);
  MorphFrames frames{0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}, Interpolation::step};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 0.9).at({3, "weights"}), (std::vector<double>{0.25, 1, 0}));
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.25, 0, 1}));
}

// Curves and targets that do not fit are refused with a sentence, and nothing changes.
TEST(GltfEdit, RefusesABasisThatDoesNotFit) {
  Opened o = open(test::character_document());
  const Json before = json_of(o.source);
  const std::vector<MorphTarget> targets = {offsets("t", 6, 0, {1, 0, 0})};
  const auto refused = [&](const std::vector<MorphCurve>& curves) {
    return !sentence_of([&] { add_morph_basis(o.source, 0, targets, curves); }).empty();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused({{5, {0}, {1}}}));
  EXPECT_TRUE(refused({{0, {0, 1}, {1}}}));
  EXPECT_TRUE(refused({{0, {0}, {nan}}}));
  EXPECT_TRUE(refused({{0, {1, 0}, {1, 1}}}));
  EXPECT_TRUE(refused({{0, {}, {}}}));
  EXPECT_TRUE(refused({{0, {0}, {1}}, {0, {1}, {1}}}));
  EXPECT_TRUE(refused({{0, {0}, {1}, Interpolation::cubic_spline}}));
  const std::vector<MorphTarget> small = {offsets("t", 5, 0, {1, 0, 0})};
  const MorphCurve curve{0, {0}, {1}};
  EXPECT_FALSE(sentence_of([&] { add_morph_basis(o.source, 0, small, std::span(&curve, 1)); }).empty());
  EXPECT_FALSE(sentence_of([&] { add_morph_basis(o.source, 9, targets, std::span(&curve, 1)); }).empty());
  EXPECT_EQ(json_of(o.source), before);
}

// ------------------------------------------------------------------------------------------------ real characters

// On every real character each edit leaves all old bytes in place and the rest of the document untouched.
TEST(GltfEdit, EditsRealCharacters) {
  SKIP_WITHOUT_SHARED_DATA();
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    if (entry.path().extension() != ".glb" || entry.path().filename().string().rfind("rig-", 0) == 0) continue;
    const Opened o = open(GltfDocument::open(entry.path()));
    const Part& part = o.character.parts[0];
    const Json before = json_of(o.source);
    if (part.skinned()) {
      GltfSource edited = o.source;
      replace_weights(edited, 0, part.skin, part.weights);
      expect_prefix(o.source, edited);
      const std::string mesh = "/meshes/" + std::to_string(o.source.map.parts[0].mesh);
      expect_only(before, edited,
                  and_new_data({mesh + "/primitives/", "/meshes/+",
                                "/nodes/" + std::to_string(o.source.map.parts[0].node) + "/mesh"}));
      const Part again = open(edited.document).character.parts[0];
      ASSERT_EQ(again.weights.influences.size(), part.weights.influences.size()) << entry.path();
      double largest = 0;
      for (std::size_t i = 0; i < again.weights.influences.size(); ++i) {
        largest = std::max(largest, std::abs(again.weights.influences[i].weight - part.weights.influences[i].weight));
      }
      EXPECT_LT(largest, 1e-6) << entry.path();
    }
    if (!o.character.clips.empty()) {
      GltfSource edited = o.source;
      const Index added = add_clip(edited, o.character.clips[0]);
      const std::vector<Index> keep = {added};
      remove_clips_except(edited, keep);
      expect_prefix(o.source, edited);
      expect_only(before, edited, and_new_data({"/animations"}));
      EXPECT_EQ(open(edited.document).character.clips.size(), 1u);
    }
    std::vector<PosedPart> posed;
    const Pose pose = o.character.clips.empty() ? rest_pose(o.character.skeleton)
                                                : sample(o.character.clips.back(), o.character.skeleton, 0.4);
    for (const Part& p : o.character.parts) posed.push_back(pose_part(o.character, p, pose, Deformer::lbs, Context(1)));
    GltfSource still = o.source;
    make_still(still, posed);
    expect_prefix(o.source, still);
    const test::GltfReference reference = reference_of(still);
    EXPECT_FALSE(reference.json.contains("skins")) << entry.path();
    EXPECT_FALSE(reference.json.contains("animations")) << entry.path();
    for (std::size_t p = 0; p < posed.size(); ++p) {
      const GltfPartSource& source = still.map.parts[p];
      const auto shape = reference.pose(source.node, static_cast<std::size_t>(source.primitives[0].primitive), {});
      const double size = bounding_box(posed[p].positions).diagonal().norm();
      for (std::size_t v = 0; v < shape.size(); ++v) {
        const Vec3& expected = posed[p].positions[static_cast<std::size_t>(source.primitives[0].first_vertex) + v];
        ASSERT_LT((shape[v] - expected).norm(), 1e-6 * size) << entry.path();
      }
    }
  }
}

}  // namespace
}  // namespace isochor
