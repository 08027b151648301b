#include "isochor/rig/character.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "isochor/mesh/topology.h"
#include "support/shapes.h"

namespace isochor {
namespace {

Part half_tube(const char* name) {
  Part part;
  part.name = name;
  part.surface = test::tube(8, 3, 1, 1);
  return part;
}

void skin_to(Part& part, Index joint) {
  part.skin.joints = {joint};
  part.skin.inverse_bind = {Affine::Identity()};
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    part.weights.add_row(std::vector<Influence>{{0, 1.0}});
  }
}

/// Two halves of a tube that meet in a ring: the lower follows a joint, the upper hangs from a node that is moved up.
Character two_halves() {
  Character c;
  c.skeleton.joints.resize(3);
  c.skeleton.joints[0].name = "joint";
  c.skeleton.joints[1].name = "node";
  c.skeleton.joints[1].deforms = false;
  c.skeleton.joints[1].rest.translation = Vec3(0, 0, 1);
  c.skeleton.joints[2].name = "other";
  c.parts = {half_tube("lower"), half_tube("upper")};
  skin_to(c.parts[0], 0);
  c.parts[1].node = 1;
  return c;
}

// Parts that share joints are welded to each other: two half tubes make one.
TEST(Assemble, WeldsPartsThatShareJoints) {
  Character c = two_halves();
  skin_to(c.parts[1], 0);
  for (Vec3& p : c.parts[1].surface.positions) p.z() += 1;
  const WholeSurface whole = assemble(c);
  EXPECT_EQ(whole.weld.surface.vertex_count(), 40u);
  EXPECT_EQ(whole.part_begin, (std::vector<Index>{0, 24, 48}));
  const Topology t = analyse(whole.weld.surface);
  ASSERT_EQ(t.components.size(), 1u);
  EXPECT_EQ(t.components[0].boundary_loops.size(), 2u);
  EXPECT_EQ(whole.weld.vertex[24], whole.weld.vertex[16]);
}

// Parts without a skin are put where their nodes are, and welded to each other.
TEST(Assemble, PlacesAndWeldsUnskinnedParts) {
  Character c = two_halves();
  c.parts[0] = half_tube("lower");
  EXPECT_EQ(assemble(c).weld.surface.vertex_count(), 40u);
}

// Instances that lie on each other but follow different joints stay apart; every index still fits.
TEST(Assemble, InstancesOfDifferentJointsStayApart) {
  Character c = two_halves();
  c.parts[1] = half_tube("again");
  skin_to(c.parts[1], 2);
  c.parts.insert(c.parts.begin() + 1, half_tube("loose"));
  const WholeSurface whole = assemble(c);
  EXPECT_EQ(whole.weld.surface.vertex_count(), 72u);
  EXPECT_EQ(analyse(whole.weld.surface).components.size(), 3u);
  for (std::size_t v = 0; v < whole.weld.first_source.size(); ++v) {
    ASSERT_EQ(whole.weld.vertex[whole.weld.first_source[v]], static_cast<Index>(v));
  }
}

// Skin matrices are the joints' global transforms after the inverse bind matrices.
TEST(SkinMatrices, GlobalTimesInverseBind) {
  Character c = two_halves();
  c.parts[0].skin.inverse_bind[0].translate(Vec3(0, 5, 0));
  Pose pose = rest_pose(c.skeleton);
  pose.local[0].scale = Vec3(2, 2, 2);
  const auto m = skin_matrices(c.parts[0].skin, global_transforms(c.skeleton, pose));
  EXPECT_EQ(Vec3(m[0] * Vec3(0, 0, 0)), Vec3(0, 10, 0));
}

// A sound character has nothing to report but its open edges.
TEST(ValidateCharacter, SoundCharacter) {
  for (const Problem& p : validate(two_halves())) EXPECT_EQ(p.code, "boundary-edges") << p.sentence;
}

// Pieces that do not fit each other are found.
TEST(ValidateCharacter, PiecesThatDoNotFit) {
  const auto code_for = [](auto&& breakage) {
    Character c = two_halves();
    breakage(c);
    std::vector<std::string> codes;
    for (const Problem& p : validate(c)) codes.push_back(p.code);
    return codes;
  };
  const auto has = [](const std::vector<std::string>& codes, const char* code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  };
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[0].weights.begin.pop_back(); }), "weights-size"));
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[0].skin.joints[0] = 8; }), "skin-joint"));
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[0].skin.inverse_bind.clear(); }), "skin-size"));
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[1].node = 5; }), "part-node"));
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[1].normals.resize(3); }), "attribute-size"));
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[1].corner_uvs.resize(3); }), "attribute-size"));
  EXPECT_TRUE(has(code_for([](Character& c) { c.parts[1].morphs.resize(1); }), "morph-size"));
}

// Vertices are counted over all parts; clips are found by name.
TEST(Character, CountsAndFinds) {
  Character c = two_halves();
  c.clips.push_back({"walk", {}});
  EXPECT_EQ(c.vertex_count(), 48u);
  EXPECT_EQ(c.find_clip("walk"), &c.clips[0]);
  EXPECT_EQ(c.find_clip("run"), nullptr);
}

// A joint of a pose that is too far away for single precision, or makes things too large for it, is warned of; the
// warning counts what is not a number.
TEST(Pose, FarAwayOrLarge) {
  Character character;
  character.skeleton.joints.resize(2);
  character.skeleton.joints[1].parent = 0;
  Surface& surface = character.parts.emplace_back().surface;
  surface.positions = {Vec3::Zero(), Vec3::UnitX()};
  Pose pose = rest_pose(character.skeleton);
  pose.local[1].translation.x() = 9e4;
  EXPECT_TRUE(check_reach(pose, character).empty());
  pose.local[1].translation.x() = 1e30;
  ASSERT_EQ(check_reach(pose, character).size(), 1u);
  EXPECT_EQ(check_reach(pose, character)[0].code, "pose-far");
  EXPECT_EQ(check_reach(pose, character)[0].count, 1);
  pose.local[1].translation.x() = std::nan("");
  EXPECT_EQ(check_reach(pose, character).size(), 1u);
  pose = rest_pose(character.skeleton);
  pose.local[0].scale = Vec3(1, 1e30, 1);
  ASSERT_EQ(check_reach(pose, character).size(), 1u);
  EXPECT_EQ(check_reach(pose, character)[0].code, "pose-large");
  EXPECT_EQ(check_reach(pose, character)[0].count, 2);
}

}  // namespace
}  // namespace isochor
