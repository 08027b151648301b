#include "isochor/deform/posed_skin.h"

#include <gtest/gtest.h>

#include "isochor/sample/sample.h"
#include "support/shapes.h"

namespace isochor {
namespace {

/// What the parts say by themselves, said by one welded skin: positions and normals of every vertex of the file, and
/// positions = maps [rest; 1].
void expect_as_parts(const Character& character, const Pose& pose, Deformer deformer) {
  const WeldedCharacter welded(character);
  PosedSkin posed;
  pose_skin(welded, pose, deformer, posed, Context());
  for (std::size_t v = 0; v < posed.positions.size(); ++v) {
    const Vec3 mapped = posed.maps[v].leftCols<3>() * posed.rest[v] + posed.maps[v].col(3);
    EXPECT_LT((posed.positions[v] - mapped).norm(), 1e-12);
  }
  const PlayedFrame frame = play(welded, pose, deformer, Context());
  ASSERT_EQ(frame.parts.size(), character.parts.size());
  for (std::size_t p = 0; p < frame.parts.size(); ++p) {
    const PosedPart alone = pose_part(character, character.parts[p], pose, deformer, Context());
    EXPECT_EQ(frame.parts[p].positions, alone.positions);
    EXPECT_EQ(frame.parts[p].normals, alone.normals);
    for (std::size_t v = 0; v < alone.positions.size(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      EXPECT_LT((frame.positions[welded.whole().welded(p, v)] - alone.positions[v]).norm(), 1e-9);
    }
  }
}

// Several parts, skinned and not, LBS and DQS: the welded skin goes where the parts go, to the last bit.
TEST(PosedSkin, PlaysAsThePartsDo) {
  const Character knight = make_sample("knight");
  for (const Deformer deformer : {Deformer::lbs, Deformer::dqs}) {
    expect_as_parts(knight, sample(knight.clips.front(), knight.skeleton, 0.3), deformer);
  }
}

// Unskinned parts follow their nodes, with scale, and their morph targets turn with the rest pose.
TEST(PosedSkin, NodesScaleAndMorphs) {
  Character c;
  c.skeleton.joints.resize(2);
  c.skeleton.joints[0].name = "joint";
  c.skeleton.joints[1].name = "node";
  c.skeleton.joints[1].deforms = false;
  c.skeleton.joints[1].rest.translation = Vec3(5, 0, 0);
  c.skeleton.joints[1].rest.scale = Vec3(2, 1, 2);
  c.skeleton.joints[1].rest.rotation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitZ()));
  c.parts.resize(2);
  for (Part& part : c.parts) {
    part.surface = test::cube();
    part.morphs.resize(1);
    for (int v = 0; v < 8; ++v) part.morphs[0].positions.push_back(Vec3(0.1 * v, 0.2, -0.05 * v));
    part.morph_weights = {0.7};
  }
  c.parts[0].skin.joints = {0};
  c.parts[0].skin.inverse_bind = {Affine(Eigen::Scaling(0.01))};
  for (int v = 0; v < 8; ++v) c.parts[0].weights.add_row(std::vector<Influence>{{0, 1.0}});
  c.parts[1].node = 1;
  Pose pose = rest_pose(c.skeleton);
  pose.local[0].rotation = Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  pose.local[1].scale = Vec3(3, 2, 2);
  expect_as_parts(c, pose, Deformer::lbs);
}

/// A cube that follows a joint, and a second cube carried by a plain node beside it.
Character two_cubes() {
  Character c;
  c.skeleton.joints.resize(2);
  c.skeleton.joints[0].name = "joint";
  c.skeleton.joints[1].name = "node";
  c.skeleton.joints[1].deforms = false;
  c.skeleton.joints[1].rest.translation = Vec3(5, 0, 0);
  c.skeleton.joints[1].rest.scale = Vec3(2, 2, 2);
  c.parts.resize(2);
  c.parts[0].surface = test::cube();
  c.parts[0].skin.joints = {0};
  c.parts[0].skin.inverse_bind = {Affine(Eigen::Scaling(0.01))};
  for (int v = 0; v < 8; ++v) c.parts[0].weights.add_row(std::vector<Influence>{{0, 1.0}});
  c.parts[1].surface = test::cube();
  c.parts[1].node = 1;
  return c;
}

// A scale of 0.01 between bind space and world scales the target with it: a rigid pose has no volume error.
TEST(Play, ScaleBetweenBindAndWorldIsNoError) {
  const Character c = two_cubes();
  const WeldedCharacter welded(c);
  Pose pose = rest_pose(c.skeleton);
  pose.local[0].rotation = Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  const auto frame = play(welded, pose, Deformer::lbs, Context());
  ASSERT_EQ(frame.volumes.size(), 2u);
  EXPECT_NEAR(welded.rest_volumes()[0], 1, 1e-14);
  EXPECT_NEAR(frame.volumes[0], 1e-6, 1e-18);
  EXPECT_LT(relative_volume_error(frame.volumes[0], frame.target_volumes[0]), 1e-12);
}

// An unskinned part is measured where its node puts it, and follows the node's scale.
TEST(Play, UnskinnedPartFollowsItsNode) {
  const Character c = two_cubes();
  const WeldedCharacter welded(c);
  EXPECT_NEAR(welded.rest_volumes()[1], 8, 1e-12);
  Pose pose = rest_pose(c.skeleton);
  pose.local[1].scale = Vec3(3, 2, 2);
  const auto frame = play(welded, pose, Deformer::lbs, Context());
  EXPECT_NEAR(frame.volumes[1], 12, 1e-12);
  EXPECT_NEAR(frame.target_volumes[1], 12, 1e-12);
  EXPECT_NEAR((frame.positions[15] - Vec3(8, 2, 2)).norm(), 0, 1e-12);
}

// Seams that follow other bones, positions that lie a hair apart, and displaced vertices.
TEST(PosedSkin, Strays) {
  Character c = make_sample("cylinder");
  Part copy = c.parts[0];
  for (std::size_t v = 0; v < copy.weights.vertex_count(); ++v) {
    auto row = copy.weights.row(v);
    if (row.size() == 2 && v % 3 == 0) std::swap(row[0].weight, row[1].weight);
    if (v % 5 == 0) copy.surface.positions[v].x() *= 1 + 1e-9;
  }
  c.parts.push_back(copy);
  const WeldedCharacter welded(c);
  ASSERT_GT(welded.strays().size(), 10u);
  Pose pose = rest_pose(c.skeleton);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  for (const Deformer deformer : {Deformer::lbs, Deformer::dqs}) expect_as_parts(c, pose, deformer);

  PosedSkin posed;
  pose_skin(welded, pose, Deformer::lbs, posed, Context());
  std::vector<Vec3> displaced = posed.positions;
  const WeldedCharacter::Stray& stray = welded.strays()[0];
  displaced[stray.welded] += Vec3(0, 0, 1);
  const auto positions = part_positions(welded, pose, posed, displaced, stray.file.part);
  EXPECT_EQ(positions[stray.file.vertex], displaced[stray.welded]);
}

// What an author's own morph targets do to the shape at rest is meant, and so is its volume; what was baked is not.
TEST(Play, AuthoredTargetsChangeTheVolumeThatIsMeant) {
  for (const std::size_t part : {0u, 1u}) {
    Character c = two_cubes();
    MorphTarget wider{.name = "wider", .positions = std::vector<Vec3>(8, Vec3::Zero())};
    for (std::size_t v = 0; v < 8; ++v) wider.positions[v].x() = 0.3 * c.parts[part].surface.positions[v].x();
    c.parts[part].morphs = {wider};
    c.parts[part].morph_weights = {0.5};
    for (const bool baked : {false, true}) {
      c.parts[part].morphs[0].baked = baked;
      const WeldedCharacter welded(c);
      Pose pose = rest_pose(c.skeleton);
      const auto at_half = play(welded, pose, Deformer::lbs, Context());
      pose.morph_weights.resize(c.skeleton.size());
      if (c.parts[part].node != kNone) pose.morph_weights[static_cast<std::size_t>(c.parts[part].node)] = {1.0};
      const auto at_one = play(welded, pose, Deformer::lbs, Context());
      const double rest = play(welded, rest_pose(c.skeleton), Deformer::lbs, Context()).target_volumes[1 - part];
      EXPECT_EQ(at_half.target_volumes[1 - part], rest) << "the other part is as it was";
      const double wanted = part == 0 ? 1e-6 : 8;
      EXPECT_NEAR(at_half.volumes[part], 1.15 * wanted, 1e-9 * wanted);
      EXPECT_NEAR(at_half.target_volumes[part], (baked ? 1 : 1.15) * wanted, 1e-9 * wanted);
      if (c.parts[part].node == kNone) continue;
      EXPECT_NEAR(at_one.volumes[part], 1.3 * wanted, 1e-9 * wanted);
      EXPECT_NEAR(at_one.target_volumes[part], (baked ? 1 : 1.3) * wanted, 1e-9 * wanted);
    }
  }
}

}  // namespace
}  // namespace isochor
