#include "isochor/render/character_scene.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct CharacterScene : testing::Test {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  Scene scene = scene_of(character, play(welded, rest_pose(character.skeleton), Deformer::lbs, Context(1)).parts);
};

// One mesh for each part, where the pose puts it; bones from joint to joint.
TEST_F(CharacterScene, MeshesAndBones) {
  ASSERT_EQ(scene.meshes.size(), character.parts.size());
  EXPECT_EQ(scene.meshes[0].surface.positions.size(), character.parts[0].surface.vertex_count());
  add_bones(scene, character.skeleton, rest_pose(character.skeleton));
  const auto bones = scene.bones.size();
  EXPECT_GT(bones, 0u);
  scene.bones.clear();
  add_bind_bones(scene, welded);
  EXPECT_EQ(scene.bones.size(), bones);
}

// The weight of one joint as a scalar, of several as blended colours; a name that no skin knows is refused.
TEST_F(CharacterScene, Weights) {
  show_weights(scene, character, character.skeleton.joints[1].name);
  ASSERT_EQ(scene.meshes[0].scalar.size(), character.parts[0].surface.vertex_count());
  double largest = 0;
  for (const double w : scene.meshes[0].scalar) largest = std::max(largest, w);
  EXPECT_NEAR(largest, 1, 1e-6);
  show_weights(scene, character, "*");
  EXPECT_EQ(scene.meshes[0].vertex_colors.size(), character.parts[0].surface.vertex_count());
  EXPECT_THROW(show_weights(scene, character, "nobody"), Error);
}

// A clip's box holds every moment's.
TEST_F(CharacterScene, BoxOverClip) {
  const Clip& clip = character.clips[0];
  const Box box = box_over_clip(welded, clip, Context(1));
  const auto frame = play(welded, sample(clip, character.skeleton, clip.end()), Deformer::lbs, Context(1));
  EXPECT_TRUE(box.contains(bounding_box(frame.positions)));
}

}  // namespace
}  // namespace isochor
