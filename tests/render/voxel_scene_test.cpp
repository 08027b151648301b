#include "isochor/render/voxel_scene.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct VoxelSceneTest : testing::Test {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  Context context{1};
  RenderOptions picture;
};

// Voxels of each kind have faces to show, and lie where the character does.
TEST_F(VoxelSceneTest, EveryKind) {
  for (std::size_t k = 0; k < EnumNames<VoxelsShown>::names.size(); ++k) {
    const Scene scene =
        voxel_scene(welded, {.voxels = static_cast<VoxelsShown>(k), .resolution = 32}, picture, context);
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_GT(scene.meshes[0].surface.face_count(), 0u) << k;
    const Box box = bounding_box(scene.meshes[0].surface.positions);
    EXPECT_TRUE(box.intersects(bounding_box(welded.surface().positions))) << k;
  }
}

// A section takes half of them away, and the distance is drawn on its plane.
TEST_F(VoxelSceneTest, SectionAndDistance) {
  const auto faces = [&] {
    RenderOptions options = picture;
    return voxel_scene(welded, {.voxels = VoxelsShown::interior, .resolution = 32}, options, context)
        .meshes[0]
        .surface.positions.size();
  };
  const auto whole = faces();
  picture.section = Section::x;
  EXPECT_LT(faces(), whole);
  const Scene scene =
      voxel_scene(welded, {.distance = character.skeleton.joints[1].name, .resolution = 32}, picture, context);
  ASSERT_EQ(scene.meshes.size(), 2u);
  EXPECT_FALSE(scene.meshes[1].scalar.empty());
}

// What cannot be shown is refused with a sentence.
TEST_F(VoxelSceneTest, Refused) {
  EXPECT_THROW(voxel_scene(welded, {.voxels = VoxelsShown::all, .resolution = 33}, picture, context), Error);
  EXPECT_THROW(voxel_scene(welded, {.distance = "nobody", .resolution = 32}, picture, context), Error);
  const Character empty;
  EXPECT_THROW(voxel_scene(WeldedCharacter(empty), {.voxels = VoxelsShown::all}, picture, context), Error);
}

}  // namespace
}  // namespace isochor
