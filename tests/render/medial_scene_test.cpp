#include "isochor/render/medial_scene.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct MedialSceneTest : testing::Test {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  Context context{1};
  RenderOptions picture;
};

// All primitives are there to be seen, each vertex with its radius, inside the box of the skin; the errors are small.
TEST_F(MedialSceneTest, ShowsTheComplex) {
  const MedialScene made = medial_scene(welded, {.resolution = 64}, picture, context);
  ASSERT_EQ(made.scene.meshes.size(), 1u);
  const RenderMesh& mesh = made.scene.meshes[0];
  const MedialComplex& complex = made.medial.complex;
  EXPECT_EQ(mesh.surface.face_count(),
            complex.triangles.size() + 6 * complex.segments.size() + 8 * complex.points.size());
  EXPECT_GT(mesh.surface.face_count(), 0u);
  EXPECT_EQ(mesh.scalar.size(), mesh.surface.vertex_count());
  Box skin = bounding_box(welded.surface().positions);
  EXPECT_TRUE(skin.contains(bounding_box(mesh.surface.positions)));
  ASSERT_TRUE(picture.frame.has_value());
  EXPECT_GT(made.max_error, 0);
  EXPECT_LT(made.max_error, 0.05);
  EXPECT_LT(made.mean_error, made.max_error);
}

// What cannot be shown is refused with a sentence.
TEST_F(MedialSceneTest, Refused) {
  EXPECT_THROW(medial_scene(welded, {.resolution = 512}, picture, context), Error);
  EXPECT_THROW(medial_scene(welded, {.resolution = 33}, picture, context), Error);
  const Character empty;
  EXPECT_THROW(medial_scene(WeldedCharacter(empty), {}, picture, context), Error);
}

}  // namespace
}  // namespace isochor
