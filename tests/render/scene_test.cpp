#include "isochor/render/scene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isochor/base/error.h"
#include "support/shapes.h"

namespace isochor {
namespace {

// The box holds what is drawn: vertices of faces, bones, lines and points; not loose vertices, not what is not finite.
TEST(Scene, Box) {
  Scene scene;
  EXPECT_TRUE(scene_box(scene).isEmpty());
  RenderMesh mesh{.surface = test::cube()};
  mesh.surface.positions.push_back(Vec3(100, 100, 100));
  mesh.surface.positions[0].setConstant(std::nan(""));
  scene.meshes.push_back(mesh);
  EXPECT_EQ(scene_box(scene).max(), Vec3(1, 1, 1));
  scene.bones.push_back({.head = Vec3(0, -2, 0), .tail = Vec3(0, 1, 0)});
  scene.lines.push_back({.from = Vec3(-3, 0, 0), .to = Vec3::Zero()});
  scene.points.push_back({.at = Vec3(0, 0, 5)});
  EXPECT_EQ(scene_box(scene).min(), Vec3(-3, -2, 0));
  EXPECT_EQ(scene_box(scene).max(), Vec3(1, 1, 5));
}

// A joint gets a bone to each child; leaves get a diamond; a child at its parent's place gets no bone.
TEST(Scene, BonesOfASkeleton) {
  const std::vector<Vec3> positions{Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  const std::vector<Index> parents{kNone, 0, 1, 1};
  const std::vector<Bone> bones = bones_of(positions, parents);
  ASSERT_EQ(bones.size(), 4u);
  EXPECT_EQ(bones[0].tail, Vec3(0, 1, 0));
  EXPECT_EQ(bones[1].head, Vec3(0, 1, 0));
  EXPECT_EQ(bones[1].tail, Vec3(1, 1, 0));
  EXPECT_EQ(bones[2].head, bones[2].tail);
  EXPECT_EQ(bones[2].head, Vec3(1, 1, 0));
  EXPECT_EQ(bones[3].head, Vec3(0, 1, 0));
}

// Parents out of range count as roots; positions that are not finite get nothing; lists of unlike length are refused.
TEST(Scene, BonesOfABrokenSkeleton) {
  const std::vector<Vec3> positions{Vec3(0, 0, 0), Vec3::Constant(std::nan(""))};
  EXPECT_EQ(bones_of(positions, std::vector<Index>{7, 0}).size(), 1u);
  EXPECT_THROW(bones_of(positions, std::vector<Index>{kNone}), Error);
}

}  // namespace
}  // namespace isochor
