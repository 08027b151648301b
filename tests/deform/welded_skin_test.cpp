#include "isochor/deform/welded_skin.h"

#include <gtest/gtest.h>

#include "isochor/sample/sample.h"
#include "support/shapes.h"

namespace isochor {
namespace {

/// What the playback says, said by maps: positions, targets, and positions = maps [rest; 1].
void expect_as_played(const Character& character, const Pose& pose, Deformer deformer) {
  const Playback playback(character);
  const WeldedSkin skin(playback);
  PosedSkin posed;
  skin.pose(pose, deformer, posed, Context());
  const Playback::Frame frame = playback.pose(pose, deformer, Context());
  ASSERT_EQ(posed.positions.size(), frame.positions.size());
  for (std::size_t v = 0; v < posed.positions.size(); ++v) {
    EXPECT_LT((posed.positions[v] - frame.positions[v]).norm(), 1e-9);
    const Vec3 mapped = posed.maps[v].leftCols<3>() * posed.rest[v] + posed.maps[v].col(3);
    EXPECT_LT((posed.positions[v] - mapped).norm(), 1e-12);
  }
  for (std::size_t c = 0; c < frame.target_volumes.size(); ++c) {
    EXPECT_NEAR(posed.target_volumes[c], frame.target_volumes[c], 1e-12 * std::abs(frame.target_volumes[c]) + 1e-15);
  }
}

// Several parts, skinned and not, LBS and DQS: the welded skin goes where the playback puts it.
TEST(WeldedSkin, PlaysAsThePlaybackDoes) {
  const Character knight = make_sample("knight");
  for (const Deformer deformer : {Deformer::lbs, Deformer::dqs}) {
    expect_as_played(knight, sample(knight.clips.front(), knight.skeleton, 0.3), deformer);
  }
}

// Unskinned parts follow their nodes, with scale, and their morph targets turn with the rest pose.
TEST(WeldedSkin, NodesScaleAndMorphs) {
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
  expect_as_played(c, pose, Deformer::lbs);
}

// Rows of weights refer to bones, and bones to joints of the skeleton.
TEST(WeldedSkin, Bones) {
  const Character cylinder = make_sample("cylinder");
  const Playback playback(cylinder);
  const WeldedSkin skin(playback);
  ASSERT_EQ(skin.bones().size(), cylinder.parts[0].skin.joints.size());
  EXPECT_EQ(skin.weights().vertex_count(), skin.surface().vertex_count());
  for (std::size_t b = 0; b < skin.bones().size(); ++b) {
    EXPECT_EQ(skin.bones()[b].joint, cylinder.parts[0].skin.joints[b]);
  }
}

}  // namespace
}  // namespace isochor
