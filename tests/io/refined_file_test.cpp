#include "isochor/io/refined_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gltf_edit_cases.h"
#include "isochor/io/written_character.h"

namespace isochor {
namespace {

using test::GltfBuilder;
using test::Json;

Loaded loaded(const GltfBuilder& builder) {
  test::Opened opened = test::open(builder);
  Loaded out;
  out.character = std::move(opened.character);
  out.as_read = std::move(opened.source);
  return out;
}

RefinedCharacter everywhere(const Loaded& from, int levels = 1) {
  const WeldedCharacter welded(from.character);
  const std::vector<double> values(welded.surface().vertex_count(), 1.0);
  return refine(welded, {values}, {.levels = levels});
}

Json& primitive(Json& json, std::size_t p = 0) { return json["meshes"][0]["primitives"][p]; }

std::size_t count_of_accessor(const Json& json, const Json& accessor) {
  return json["accessors"][accessor.get<std::size_t>()]["count"].get<std::size_t>();
}

/// The strip of character_document() with everything a primitive can carry.
GltfBuilder rich_document() {
  GltfBuilder b = test::character_document();
  Json& attributes = b.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["TANGENT"] = b.vec4({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, -1, 0, 1, 0, 1, 0, 1, 0, 1});
  attributes["COLOR_0"] =
      b.accessor("VEC4", std::vector<std::uint8_t>{255, 0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255,  //
                                                   0,   0, 0, 0,   0,   0, 0, 0},
                 5121, 4);
  b.json["accessors"][attributes["COLOR_0"].get<std::size_t>()]["normalized"] = true;
  attributes["TEXCOORD_1"] = b.accessor("VEC2", std::vector<float>{0, 0, 2, 0, 0, 2, 2, 2, 0, 4, 2, 4}, 5126, 2);
  attributes["_FAT"] = b.accessor("SCALAR", std::vector<float>{0, 0, 1, 1, 3, 3}, 5126, 1);
  attributes["_ID"] = b.accessor("SCALAR", std::vector<std::uint32_t>{7, 8, 9, 10, 11, 12}, 5125, 1);
  return b;
}

// Every attribute has a value for every vertex: those that were there as they were, the others between their parents.
TEST(RefinedFile, CarriesEveryAttribute) {
  Loaded file = loaded(rich_document());
  const RefinedCharacter refined = everywhere(file);
  const Character before = file.character;
  take_refined(refined, file);
  Json json = test::json_of(*file.as_read);
  const Json attributes = primitive(json)["attributes"];
  const std::size_t n = file.character.parts[0].surface.vertex_count();
  ASSERT_EQ(n, 15u);  // two squares of two triangles, split
  for (const char* name : {"POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0", "JOINTS_0",
                           "WEIGHTS_0", "_FAT", "_ID"}) {
    ASSERT_TRUE(attributes.contains(name)) << name;
    EXPECT_EQ(count_of_accessor(json, attributes[name]), n) << name;
  }
  EXPECT_EQ(attributes.size(), 10u);
  const auto read = [&](const char* name) {
    return file.as_read->document.read_accessor(attributes[name].get<Index>());
  };
  const auto fat = read("_FAT"), id = read("_ID"), tangent = read("TANGENT"), color = read("COLOR_0");
  for (std::size_t v = 0; v < 6; ++v) {
    EXPECT_EQ(file.character.parts[0].surface.positions[v], before.parts[0].surface.positions[v]);
    EXPECT_EQ(id[v], 7 + static_cast<double>(v));
  }
  for (std::size_t k = 0; k < refined.parts[0].new_count(); ++k) {
    const auto parents = refined.parts[0].parents_of(k);
    ASSERT_EQ(parents.size(), 2u);
    const auto a = static_cast<std::size_t>(parents[0]), b = static_cast<std::size_t>(parents[1]), v = 6 + k;
    EXPECT_FLOAT_EQ(fat[v], (fat[a] + fat[b]) / 2);
    EXPECT_EQ(id[v], id[a]);
    EXPECT_NEAR(color[4 * v], (color[4 * a] + color[4 * b]) / 2, 1e-6);
    EXPECT_NEAR(Vec3(tangent.data() + 4 * v).norm(), 1, 1e-6);
    EXPECT_EQ(std::abs(tangent[4 * v + 3]), 1);
  }
}

// Faces, materials, targets and clips are what they were, only finer; the rest of the document does not change.
TEST(RefinedFile, ChangesOnlyThePrimitives) {
  Loaded file = loaded(rich_document());
  const Json before = test::json_of(*file.as_read);
  const Character was = file.character;
  take_refined(everywhere(file, 2), file);
  EXPECT_EQ(file.character.parts[0].surface.face_count(), 64u);
  ASSERT_EQ(file.character.parts[0].morphs.size(), 1u);
  EXPECT_EQ(file.character.parts[0].morphs[0].positions.size(), file.character.parts[0].surface.vertex_count());
  EXPECT_EQ(file.character.parts[0].morph_weights, was.parts[0].morph_weights);
  ASSERT_EQ(file.character.clips.size(), 1u);
  EXPECT_EQ(file.character.clips[0].name, was.clips[0].name);
  EXPECT_EQ(file.character.clips[0].channels.size(), was.clips[0].channels.size());
  for (const Problem& problem : validate(file.character)) EXPECT_NE(problem.severity, Severity::error);
  const std::vector<std::string> allowed = {"/meshes/0/primitives/0/attributes", "/meshes/0/primitives/0/indices",
                                            "/meshes/0/primitives/0/targets"};
  test::expect_only(before, *file.as_read, test::and_new_data(allowed));
  // Nothing of it is new to the document, which is written as it is.
  const WrittenCharacter written = as_written(file);
  EXPECT_EQ(written.character().parts[0].surface.positions, file.character.parts[0].surface.positions);
}

// Saved and read again it is the same; accessors that nothing uses any more are gone.
TEST(RefinedFile, OldDataIsNotWritten) {
  Loaded file = loaded(rich_document());
  const Json before = test::json_of(*file.as_read);
  take_refined(everywhere(file), file);
  const GltfDocument again = GltfDocument::parse(file.as_read->document.to_glb());
  const GltfCharacter read = read_gltf(again);
  EXPECT_EQ(read.character.parts[0].surface.positions, file.character.parts[0].surface.positions);
  EXPECT_EQ(read.character.parts[0].surface.corners, file.character.parts[0].surface.corners);
  EXPECT_EQ(again.accessor_count(), before["accessors"].size());
}

// Primitives with the same vertices share the refined ones; primitives with their own keep them apart.
TEST(RefinedFile, SeveralPrimitives) {
  GltfBuilder b = test::character_document();
  Json& primitives = b.json["meshes"][0]["primitives"];
  const int upper = b.indices({2, 3, 4, 4, 3, 5});
  const int lower = b.indices({0, 1, 2, 2, 1, 3});
  primitives.push_back(primitives[0]);
  primitives[0]["indices"] = lower;
  primitives[1]["indices"] = upper;
  b.push("materials", {{"name", "other"}});
  primitives[1]["material"] = 1;
  Loaded file = loaded(b);
  ASSERT_EQ(file.character.parts[0].surface.vertex_count(), 6u);
  take_refined(everywhere(file), file);
  Json json = test::json_of(*file.as_read);
  EXPECT_EQ(primitive(json, 0)["attributes"], primitive(json, 1)["attributes"]);
  EXPECT_EQ(primitive(json, 0)["targets"], primitive(json, 1)["targets"]);
  EXPECT_EQ(file.character.parts[0].surface.vertex_count(), 15u);
  EXPECT_EQ(count_of_accessor(json, primitive(json, 0)["indices"]), 24u);
  EXPECT_EQ(count_of_accessor(json, primitive(json, 1)["indices"]), 24u);
  for (std::size_t f = 0; f < 16; ++f) EXPECT_EQ(file.character.parts[0].face_material[f], f < 8 ? 0 : 1);
}

// A mesh that two nodes share is refined for both, each by itself.
TEST(RefinedFile, SharedMeshes) {
  GltfBuilder b = test::character_document();
  b.push("nodes", {{"name", "twin"}, {"mesh", 0}, {"skin", 0}});
  b.json["scenes"][0]["nodes"].push_back(4);
  Loaded file = loaded(b);
  ASSERT_EQ(file.character.parts.size(), 2u);
  take_refined(everywhere(file), file);
  ASSERT_EQ(file.character.parts.size(), 2u);
  EXPECT_EQ(file.character.parts[0].surface.vertex_count(), 15u);
  EXPECT_EQ(file.character.parts[1].surface.vertex_count(), 15u);
}

// Polygons of FB_ngon_encoding stay polygons; strips become triangles.
TEST(RefinedFile, PolygonsAndStrips) {
  GltfBuilder b = test::character_document();
  b.json["extensionsUsed"] = {"FB_ngon_encoding"};
  Json& json = b.json["meshes"][0]["primitives"][0];
  json["extensions"] = {{"FB_ngon_encoding", Json::object()}};
  json["indices"] = b.indices({0, 1, 3, 0, 3, 2, 3, 5, 4, 3, 4, 2});
  Loaded quads = loaded(b);
  ASSERT_EQ(quads.character.parts[0].surface.face_count(), 2u);
  take_refined(everywhere(quads), quads);
  EXPECT_EQ(quads.character.parts[0].surface.face_count(), 8u);
  EXPECT_EQ(quads.character.parts[0].surface.corners.size(), 32u);
  json.erase("extensions");
  b.json.erase("extensionsUsed");
  json["mode"] = 5;
  json["indices"] = b.indices({0, 1, 2, 3, 4, 5});
  Loaded strip = loaded(b);
  ASSERT_EQ(strip.character.parts[0].surface.face_count(), 4u);
  take_refined(everywhere(strip), strip);
  EXPECT_EQ(strip.character.parts[0].surface.face_count(), 16u);
  EXPECT_FALSE(test::json_of(*strip.as_read)["meshes"][0]["primitives"][0].contains("mode"));
}

// A clip that came from elsewhere keeps its number.
TEST(RefinedFile, KeepsAddedClips) {
  Loaded file = loaded(test::character_document());
  Clip clip = file.character.clips[0];
  clip.name = "slow";
  for (Channel& channel : clip.channels) {
    for (double& time : channel.times) time *= 2;
  }
  file.character.clips.insert(file.character.clips.begin(), clip);
  take_refined(everywhere(file), file);
  ASSERT_EQ(file.character.clips.size(), 2u);
  EXPECT_EQ(file.character.clips[0].name, "slow");
  EXPECT_EQ(file.character.clips[1].name, "bend");
  EXPECT_EQ(as_written(file).character().clips.size(), 2u);
}

// A character from elsewhere than a glTF takes the refined form as it is.
TEST(RefinedFile, WithoutDocument) {
  Loaded file = loaded(test::character_document());
  file.as_read.reset();
  const RefinedCharacter refined = everywhere(file);
  take_refined(refined, file);
  EXPECT_EQ(file.character.parts[0].surface.positions, refined.character.parts[0].surface.positions);
}

}  // namespace
}  // namespace isochor
