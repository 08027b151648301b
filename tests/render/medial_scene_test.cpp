#include "isochor/render/medial_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

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
  std::map<std::array<Index, 2>, int> uses;
  for (const auto& t : complex.triangles) {
    for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) ++uses[{t[a], t[b]}];
  }
  const auto rims = static_cast<std::size_t>(
      std::count_if(uses.begin(), uses.end(), [](const auto& of_edge) { return of_edge.second == 1; }));
  EXPECT_EQ(mesh.surface.face_count(),
            complex.triangles.size() + 6 * (complex.segments.size() + rims) + 8 * complex.points.size());
  EXPECT_GT(mesh.surface.face_count(), 0u);
  EXPECT_EQ(mesh.scalar.size(), mesh.surface.vertex_count());
  Box skin = bounding_box(welded.surface().positions);
  EXPECT_TRUE(skin.contains(bounding_box(mesh.surface.positions)));
  ASSERT_TRUE(picture.view_box.has_value());
  EXPECT_GT(made.max_error, 0);
  EXPECT_LT(made.max_error, 0.05);
  EXPECT_LT(made.mean_error, made.max_error);
}

// In a pose the complex goes where its guides go: half-way through a bend its upper end has left the axis, the lower
// one has not. Joints have colours, radii a scale.
TEST_F(MedialSceneTest, Moved) {
  BindOptions options;
  options.gvb.resolution = 64;
  const PreparedMedial medial = prepare_medial(welded, options, context);
  const Clip& bend = character.clips[0];
  const Pose pose = sample(bend, character.skeleton, bend.end());
  const Scene rest = moved_medial_scene(welded, medial, nullptr, MedialColor::radius);
  const Scene bent = moved_medial_scene(welded, medial, &pose, MedialColor::joint);
  const auto &before = rest.meshes[0].surface.positions, &after = bent.meshes[0].surface.positions;
  ASSERT_EQ(before.size(), after.size());
  EXPECT_EQ(rest.meshes[0].scalar.size(), before.size());
  EXPECT_EQ(bent.meshes[0].vertex_colors.size(), after.size());
  std::size_t moved = 0, still = 0;
  for (std::size_t v = 0; v < medial.complex.vertex_count(); ++v) {
    moved += (after[v] - before[v]).norm() > 0.1 ? 1 : 0;
    still += (after[v] - before[v]).norm() < 1e-9 ? 1 : 0;
  }
  EXPECT_GT(moved, 3u);
  EXPECT_GT(still, 3u);
  EXPECT_THROW(moved_medial_scene(welded, {}, nullptr, MedialColor::joint), Error);
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
