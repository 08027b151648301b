#include "isochor/io/written_character.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/bind/bind.h"
#include "isochor/sample/sample.h"
#include "support/data.h"
#include "support/files.h"

namespace isochor {
namespace {

struct Written : testing::Test {
  test::TempFolder here;
  Context context{1};

  Loaded saved(const char* name) {
    save_character(make_sample(name), here / "in.glb", context);
    return load_character(here / "in.glb", {}, context);
  }
  /// Whether a character of the file has the weights, which single precision may reorder where they are equal.
  void expect_weights(const SkinWeights& back, const SkinWeights& wanted) {
    ASSERT_EQ(back.vertex_count(), wanted.vertex_count());
    for (std::size_t v = 0; v < wanted.vertex_count(); ++v) {
      const std::span<const Influence> found = back.row(v);
      ASSERT_EQ(found.size(), wanted.row(v).size()) << v;
      for (const Influence& influence : wanted.row(v)) {
        const auto same =
            std::find_if(found.begin(), found.end(), [&](const Influence& i) { return i.joint == influence.joint; });
        ASSERT_NE(same, found.end()) << v;
        EXPECT_NEAR(same->weight, influence.weight, 1e-6);
      }
    }
  }
  Character read(const char* file) { return load_character(here / file, {}, context).character; }
};

// What the character has now is what is saved: weights that were bound anew are in the file.
TEST_F(Written, SavesTheWeightsThatTheCharacterHas) {
  Loaded loaded = saved("cylinder");
  const SkinWeights before = loaded.character.parts[0].weights;
  apply(bind(loaded.character, {.gvb = {.resolution = 16}}, context), loaded.character);
  ASSERT_FALSE(loaded.character.parts[0].weights == before);
  save_character(loaded, here / "out.glb", context);
  expect_weights(read("out.glb").parts[0].weights, loaded.character.parts[0].weights);
  // The file to be written has them too, and lets nobody give it others that its document would not know.
  const WrittenCharacter file = as_written(loaded);
  static_assert(std::is_same_v<decltype(std::declval<WrittenCharacter&>().character()), const Character&>);
  file.save(here / "written.glb");
  expect_weights(read("written.glb").parts[0].weights, loaded.character.parts[0].weights);
}

// What did not change is written as it was, byte for byte.
TEST_F(Written, UnchangedIsTheSameFile) {
  const Loaded loaded = saved("knight");
  save_character(loaded, here / "out.glb", context);
  EXPECT_EQ(test::read_bytes(here / "in.glb"), test::read_bytes(here / "out.glb"));
  const WrittenCharacter file = as_written(loaded);
  EXPECT_EQ(file.clips().size(), loaded.character.clips.size());
  for (std::size_t c = 0; c < file.clips().size(); ++c) EXPECT_EQ(file.clips()[c], static_cast<Index>(c));
}

// Joints, clips and skins that came or went are in the file, or not in it any more.
TEST_F(Written, JointsClipsAndSkins) {
  Loaded loaded = saved("cylinder");
  Character& character = loaded.character;
  const std::size_t joints = character.skeleton.size();
  character.skeleton.joints.push_back({.name = "extra", .parent = 0});
  Clip clip{
      "nod",
      {{static_cast<Index>(joints), ChannelPath::translation, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 0}}}};
  character.clips.erase(character.clips.begin());
  character.clips.push_back(clip);
  save_character(loaded, here / "out.glb", context);
  const Character back = read("out.glb");
  EXPECT_NE(back.skeleton.find("extra"), kNone);
  ASSERT_EQ(back.clips.size(), character.clips.size());
  EXPECT_NE(back.find_clip("nod"), nullptr);
  EXPECT_EQ(back.clips[0].name, character.clips[0].name);
  const WrittenCharacter file = as_written(loaded);
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    EXPECT_EQ(file.character().clips[file.clips()[c]].name, character.clips[c].name);
  }

  character.parts[0].skin = {};
  character.parts[0].weights = {};
  save_character(loaded, here / "still.glb", context);
  EXPECT_FALSE(read("still.glb").parts[0].skinned());
}

// A document cannot take over other vertices or joints: that is refused, and nothing is written.
TEST_F(Written, RefusesWhatItCannotTakeOver) {
  Loaded loaded = saved("cylinder");
  loaded.character.parts[0].surface.positions[3].x() += 1;
  EXPECT_THROW(save_character(loaded, here / "out.glb", context), Error);
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
  loaded = saved("cylinder");
  loaded.character.skeleton.joints[0].name = "other";
  EXPECT_THROW(as_written(loaded), Error);
  loaded = saved("cylinder");
  loaded.character.parts.clear();
  EXPECT_THROW(as_written(loaded), Error);
}

// A character that came from no glTF becomes one, in single precision.
TEST_F(Written, FromAnotherFormat) {
  Loaded loaded;
  loaded.character = make_sample("cylinder");
  const WrittenCharacter file = as_written(loaded);
  ASSERT_EQ(file.character().parts.size(), 1u);
  EXPECT_EQ(file.clips().size(), loaded.character.clips.size());
  for (const Vec3& p : file.character().parts[0].surface.positions) {
    EXPECT_EQ(p, p.cast<float>().cast<double>());
  }
}

// A polygon is drawn as triangles: what is held is their volume, in a file of ours that knows its polygons too.
TEST_F(Written, PolygonsAreTheTrianglesThatAreDrawn) {
  const Loaded loaded = saved("cylinder");
  ASSERT_EQ(loaded.character.parts[0].surface.face(0).size(), 4u);
  for (const Loaded& from : {loaded, Loaded{make_sample("cylinder"), {}, {}, {}}}) {
    const WrittenCharacter file = as_written(from);
    const Surface& surface = file.character().parts[0].surface;
    EXPECT_EQ(surface.corners.size(), 3 * surface.face_count());
    EXPECT_EQ(surface.face_count(), 2 * from.character.parts[0].surface.face_count());
    EXPECT_EQ(surface.positions.size(), from.character.parts[0].surface.positions.size());
    ASSERT_EQ(file.clips().size(), from.character.clips.size());
    EXPECT_EQ(file.character().clips[static_cast<std::size_t>(file.clips()[1])].name, from.character.clips[1].name);
  }
}

// The file has more nodes than the character has joints: one for the mesh, three for a joint with shear. A pose puts
// every joint where it was, and morph targets keep their weights.
TEST_F(Written, APoseOfTheLoadedCharacter) {
  Loaded loaded;
  loaded.character = make_sample("giraffe");
  Character& character = loaded.character;
  Part& part = character.parts.at(0);
  part.morphs.push_back({.name = "wide", .positions = std::vector<Vec3>(part.surface.vertex_count(), Vec3::UnitX())});
  part.node = 0;
  const Index neck = character.skeleton.find("Neck2");
  ASSERT_NE(neck, kNone);
  character.skeleton.joints[neck].rest.shear(0, 1) = 0.4;
  Pose pose = sample(character.clips.at(0), character.skeleton, 0.5 * character.clips[0].end());
  pose.morph_weights.resize(pose.local.size());
  pose.morph_weights[0] = {0.25};

  const WrittenCharacter file = as_written(loaded);
  const Skeleton& skeleton = file.character().skeleton;
  EXPECT_GT(skeleton.size(), character.skeleton.size());
  const Pose own = file.pose(pose);
  ASSERT_EQ(own.local.size(), skeleton.size());
  const auto wanted = global_transforms(character.skeleton, pose), found = global_transforms(skeleton, own);
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    const Joint& joint = character.skeleton.joints[j];
    const Index written = skeleton.find(joint.name);
    if (written == kNone) continue;  // nothing follows it
    EXPECT_TRUE(found[written].matrix().isApprox(wanted[j].matrix(), 1e-6)) << joint.name;
  }
  ASSERT_EQ(own.morph_weights.size(), skeleton.size());
  EXPECT_EQ(own.morph_weights.at(file.character().parts.at(0).node), pose.morph_weights[0]);
  EXPECT_THROW(file.pose({}), Error);
}

}  // namespace
}  // namespace isochor
