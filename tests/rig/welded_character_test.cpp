#include "isochor/rig/welded_character.h"

#include <gtest/gtest.h>

#include "isochor/deform/posed_skin.h"
#include "isochor/sample/sample.h"
#include "support/shapes.h"

namespace isochor {
namespace {

/// Skinning in rest space: Σ w · global · inverse bind · rest.
Vec3 skinned(const RestSpace& space, std::span<const Affine> global, std::size_t v) {
  Vec3 sum = Vec3::Zero();
  for (const Influence& i : space.weights.row(v)) {
    sum += i.weight * (global[i.joint] * space.inverse_bind[i.joint] * space.rest[v]);
  }
  return sum;
}

void expect_same_motion(const Character& character, double tolerance) {
  const WeldedCharacter welded(character);
  const RestSpace space = welded.rest_space();
  ASSERT_EQ(space.rest.size(), welded.surface().vertex_count());
  ASSERT_EQ(space.bind.size(), character.skeleton.size());
  for (const Clip& clip : character.clips) {
    const Pose pose = sample(clip, character.skeleton, clip.duration() / 2);
    const auto frame = play(welded, pose, Deformer::lbs, Context());
    const auto global = global_transforms(character.skeleton, pose);
    double largest = 0;
    for (std::size_t v = 0; v < space.rest.size(); ++v) {
      largest = std::max(largest, (skinned(space, global, v) - frame.positions[v]).norm());
    }
    EXPECT_LT(largest, tolerance * space.size) << clip.name;
  }
}

// Seen from the skeleton, every sample moves as its parts do: one rest space stands for all skins.
TEST(RestSpace, MovesLikeTheParts) {
  for (const SampleInfo& info : samples()) expect_same_motion(make_sample(info.name), 1e-9);
}

// A part bound in another space (turned, moved, in centimetres), and one that hangs on a node, are brought to one
// space.
TEST(RestSpace, PartsOfDifferentSpaces) {
  Character character = make_sample("cylinder");
  Part other = character.parts[0];
  Affine odd = Affine::Identity();
  odd.translate(Vec3(7, 1, 2)).rotate(Eigen::AngleAxisd(1.0, Vec3(1, 2, 3).normalized())).scale(100);
  for (Vec3& p : other.surface.positions) p = odd * p;
  for (Affine& m : other.skin.inverse_bind) m = m * odd.inverse();
  character.parts.push_back(other);
  Part rigid;
  rigid.surface = test::cube();
  rigid.node = 1;
  character.parts.push_back(rigid);
  expect_same_motion(character, 1e-9);

  const WeldedCharacter welded(character);
  const WholeSurface& whole = welded.whole();
  const RestSpace space = welded.rest_space();
  const Vec3 a = space.rest[whole.weld.vertex[0]], b = space.rest[whole.weld.vertex[whole.part_begin[1]]];
  EXPECT_LT((a - b).norm(), 1e-9);
}

// A skin that was bound far from where the rest pose stands: parts that hang on nodes come along.
TEST(RestSpace, BindPoseFarFromRestPose) {
  Character character = make_sample("cylinder");
  Affine odd = Affine::Identity();
  odd.translate(Vec3(7, 1, 2)).rotate(Eigen::AngleAxisd(1.0, Vec3(1, 2, 3).normalized())).scale(0.01);
  for (Vec3& p : character.parts[0].surface.positions) p = odd * p;
  for (Affine& m : character.parts[0].skin.inverse_bind) m = m * odd.inverse();
  Part rigid;
  rigid.surface = test::cube();
  rigid.node = 1;
  character.parts.push_back(rigid);
  expect_same_motion(character, 1e-9);
  const WeldedCharacter welded(character);
  const WholeSurface& whole = welded.whole();
  const RestSpace space = welded.rest_space();
  const Vec3 placed = odd * (global_transforms(character.skeleton, rest_pose(character.skeleton))[1] * Vec3(1, 1, 1));
  EXPECT_LT((space.rest[whole.weld.vertex[whole.part_begin[1] + 7]] - placed).norm(), 1e-9);
}

// Inverse bind matrices that cannot be inverted do no harm: the joint stays where the rest pose has it.
TEST(RestSpace, SingularInverseBind) {
  Character character = make_sample("cylinder");
  character.parts[0].skin.inverse_bind[1].linear().setZero();
  const RestSpace space = WeldedCharacter(character).rest_space();
  for (const Affine& m : space.bind) EXPECT_TRUE(m.matrix().allFinite());
  for (const Affine& m : space.inverse_bind) EXPECT_TRUE(m.matrix().allFinite());
}

// Rows of weights refer to bones, and bones to joints of the skeleton.
TEST(WeldedCharacter, Bones) {
  const Character cylinder = make_sample("cylinder");
  const WeldedCharacter welded(cylinder);
  ASSERT_EQ(welded.bones().size(), cylinder.parts[0].skin.joints.size());
  EXPECT_EQ(welded.weights().vertex_count(), welded.surface().vertex_count());
  for (std::size_t b = 0; b < welded.bones().size(); ++b) {
    EXPECT_EQ(welded.bones()[b].joint, cylinder.parts[0].skin.joints[b]);
  }
}

// Sheets have no volume to lose; solids have.
TEST(WeldedCharacter, SheetsHaveNoVolume) {
  Character c;
  c.parts.resize(2);
  c.parts[0].surface = test::cube();
  c.parts[1].surface.positions = {Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(6, 1, 0), Vec3(5, 1, 0)};
  c.parts[1].surface.add_face({0, 1, 2, 3});
  const WeldedCharacter welded(c);
  EXPECT_TRUE(welded.has_volume(0));
  EXPECT_FALSE(welded.has_volume(1));
  EXPECT_EQ(relative_volume_error(3, 0), 0);
  EXPECT_EQ(relative_volume_error(3, 2), 0.5);
}

/// Two cubes that share a face's worth of corners, each a part of its own on the same two joints.
Character two_parts() {
  Character c;
  c.skeleton.joints.push_back({.name = "a"});
  c.skeleton.joints.push_back({.name = "b", .parent = 0});
  c.parts.resize(2);
  for (int p = 0; p < 2; ++p) {
    Part& part = c.parts[p];
    part.surface = test::cube();
    for (Vec3& x : part.surface.positions) x.x() += p;
    part.skin.joints = {0, 1};
    part.skin.inverse_bind = {Affine::Identity(), Affine::Identity()};
    for (int v = 0; v < 8; ++v) part.weights.add_row(std::vector<Influence>{{0, 0.5}, {1, 0.5}});
  }
  return c;
}

// Vertices of the file that were welded together go together; those that follow other bones, or lie a hair beside the
// one they became, are strays.
TEST(WeldedCharacter, Strays) {
  Character c = two_parts();
  const WeldedCharacter same(c);
  EXPECT_EQ(same.surface().vertex_count(), 12u);
  EXPECT_TRUE(same.strays().empty());
  EXPECT_EQ(same.stray(1, 3), kNone);

  std::size_t seam = 8;
  for (std::size_t v = 0; v < 8; ++v) {
    if (!same.whole().leads(1, v)) seam = v;
  }
  ASSERT_LT(seam, 8u);
  c.parts[1].weights.row(seam)[0].weight = 0.75;
  c.parts[1].weights.row(seam)[1].weight = 0.25;
  const WeldedCharacter other_bones(c);
  ASSERT_EQ(other_bones.strays().size(), 1u);
  EXPECT_TRUE(other_bones.strays()[0].follows_others);
  EXPECT_EQ(other_bones.strays()[0].file.part, 1u);
  EXPECT_EQ(other_bones.strays()[0].file.vertex, seam);
  EXPECT_EQ(other_bones.stray(1, seam), 0);
  EXPECT_EQ(other_bones.stray_weights().row(0)[0].weight, 0.75);

  Character beside = two_parts();
  beside.parts[1].surface.positions[seam].y() += 1e-9;
  const WeldedCharacter lies_beside(beside);
  ASSERT_EQ(lies_beside.strays().size(), 1u);
  EXPECT_FALSE(lies_beside.strays()[0].follows_others);

  // The same joints, bound elsewhere.
  Character elsewhere = two_parts();
  elsewhere.parts[1].skin.inverse_bind[0].translation().x() = 1e-3;
  EXPECT_EQ(WeldedCharacter(elsewhere).strays().size(), 4u);
}

// Other weights on the same joints give what a new object would have; other joints are refused.
TEST(WeldedCharacter, TakesWeights) {
  Character character = make_sample("cylinder");
  WeldedCharacter welded(character);
  for (Influence& i : character.parts[0].weights.influences) i.weight = 0.25 + 0.5 * i.weight;
  normalise(character.parts[0].weights);
  welded.take_weights();
  const WeldedCharacter afresh(character);
  EXPECT_EQ(welded.weights(), afresh.weights());
  EXPECT_EQ(welded.strays().size(), afresh.strays().size());
  std::vector<Affine> matrices(welded.bones().size(), Affine(Eigen::Scaling(2.0)));
  matrices[0] = Affine(Eigen::Scaling(1.0));
  EXPECT_EQ(welded.volume_scale(0, matrices), afresh.volume_scale(0, matrices));
  character.parts[0].skin.joints[0] = character.parts[0].skin.joints[1];
  EXPECT_THROW(welded.take_weights(), Error);
}

// What is wrong with a character is listed once, the reader's findings first.
TEST(WeldedCharacter, Problems) {
  Character character = make_sample("cylinder");
  EXPECT_TRUE(find_problems(WeldedCharacter(character)).empty());
  character.problems.push_back({Severity::note, "by-the-reader", "something", {}, 0});
  for (std::size_t f = 0; f < character.parts[0].surface.face_count(); ++f) {
    const auto face = character.parts[0].surface.face(f);
    std::reverse(face.begin(), face.end());
  }
  const Problems problems = find_problems(WeldedCharacter(character));
  ASSERT_GE(problems.size(), 2u);
  EXPECT_EQ(problems.front().code, "by-the-reader");
  EXPECT_TRUE(std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.code == "inside-out"; }));
}

}  // namespace
}  // namespace isochor
