#include "isochor/io/painted_map.h"

#include <gtest/gtest.h>

#include "gltf_builder.h"

namespace isochor {
namespace {

/// Two triangles of their own, the second with a painted attribute; they share a place, where they are welded.
test::GltfBuilder two_triangles(const char* attribute) {
  test::GltfBuilder builder;
  const int a = builder.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int b = builder.vec3({0, 0, 0, 0, 0, 1, 0, 1, 1});
  const int fat = builder.accessor("SCALAR", std::vector<float>{5, 0.25f, 0.5f}, 5126, 1);
  builder.push(
      "meshes",
      {{"primitives", {{{"attributes", {{"POSITION", a}}}}, {{"attributes", {{"POSITION", b}, {attribute, fat}}}}}}});
  builder.push("nodes", {{"mesh", 0}});
  builder.push("scenes", {{"nodes", {0}}});
  return builder;
}

struct Read {
  GltfSource source;
  Character character;
};
Read read(const test::GltfBuilder& builder) {
  Read result;
  result.source.document = GltfDocument::parse(builder.glb());
  GltfCharacter read = read_gltf(result.source.document);
  result.source.map = read.map;
  result.character = std::move(read.character);
  return result;
}

VolumeSettings painted(const char* name) {
  VolumeSettings settings;
  EffectSettings effect = default_effect(Effect::combined);
  effect.maps = {default_effect(Effect::blend), default_effect(Effect::painted)};
  effect.maps[1].map = name;
  settings.effects = {{"*", effect}};
  return settings;
}

// A map is the attribute of its name, in capitals or not; vertices of meshes without it have none of it.
TEST(PaintedMap, ReadsAttributes) {
  for (const char* attribute : {"_FAT", "_fat"}) {
    const Read r = read(two_triangles(attribute));
    const WholeSurface whole = assemble(r.character);
    const auto maps = read_painted_maps(r.source, whole, painted("fat"));
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(maps[0].name, "fat");
    ASSERT_EQ(maps[0].values.size(), whole.weld.surface.vertex_count());
    // The welded corner takes the value of its first source, which has none.
    EXPECT_EQ(maps[0].values, (std::vector<double>{0, 0, 0, 0.25, 0.5}));
  }
  EXPECT_TRUE(read_painted_maps(read(two_triangles("_FAT")).source, assemble(read(two_triangles("_FAT")).character), {})
                  .empty());
}

// A map that no mesh has, and one of another length, are refused with their name.
TEST(PaintedMap, RefusesWhatIsNotThere) {
  const auto sentence = [](const Read& r) -> std::string {
    try {
      read_painted_maps(r.source, assemble(r.character), painted("fat"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(sentence(read(two_triangles("_THIN"))).find("_fat"), std::string::npos);
  test::GltfBuilder builder = two_triangles("_FAT");
  builder.json["accessors"].back()["count"] = 2;
  EXPECT_NE(sentence(read(builder)).find("fat"), std::string::npos);
  builder = two_triangles("_FAT");
  builder.json["accessors"].back()["count"] = 1000000000;
  EXPECT_NE(sentence(read(builder)), "");
}

}  // namespace
}  // namespace isochor
