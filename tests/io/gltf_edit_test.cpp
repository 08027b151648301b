#include "isochor/io/gltf_edit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "gltf_edit_cases.h"
#include "support/data.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;
using namespace test;

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

// ------------------------------------------------------------------------------------------------ real characters

// On every real character each edit leaves all old bytes in place and the rest of the document untouched.
TEST(GltfEdit, EditsRealCharacters) {
  SKIP_WITHOUT_SHARED_DATA();
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    if (entry.path().extension() != ".glb" || entry.path().filename().string().rfind("rig-", 0) == 0) continue;
    if (test::leave_out(entry.path())) continue;
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
