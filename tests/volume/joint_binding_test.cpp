#include "isochor/volume/joint_binding.h"

#include <gtest/gtest.h>

#include "isochor/deform/playback.h"
#include "isochor/sample/sample.h"
#include "support/shapes.h"

namespace isochor {
namespace {

/// Skinning in rest space: Σ w · global · inverse bind · rest.
Vec3 skinned(const JointBinding& binding, std::span<const Affine> global, std::size_t v) {
  Vec3 sum = Vec3::Zero();
  for (const Influence& i : binding.weights.row(v)) {
    sum += i.weight * (global[i.joint] * binding.inverse_bind[i.joint] * binding.rest[v]);
  }
  return sum;
}

void expect_same_motion(const Character& character, double tolerance) {
  const Playback playback(character);
  const JointBinding binding = joint_binding(character, playback.whole());
  ASSERT_EQ(binding.rest.size(), playback.surface().vertex_count());
  ASSERT_EQ(binding.bind.size(), character.skeleton.size());
  for (const Clip& clip : character.clips) {
    const Pose pose = sample(clip, character.skeleton, clip.duration() / 2);
    const auto frame = playback.pose(pose, Deformer::lbs, Context());
    const auto global = global_transforms(character.skeleton, pose);
    double largest = 0;
    for (std::size_t v = 0; v < binding.rest.size(); ++v) {
      largest = std::max(largest, (skinned(binding, global, v) - frame.positions[v]).norm());
    }
    EXPECT_LT(largest, tolerance * binding.size) << clip.name;
  }
}

// Seen from the skeleton, every sample moves as its parts do: one rest space stands for all skins.
TEST(JointBinding, MovesLikeTheParts) {
  for (const SampleInfo& info : samples()) expect_same_motion(make_sample(info.name), 1e-9);
}

// A part bound in another space (turned, moved, in centimetres), and one that hangs on a node, are brought to one
// space.
TEST(JointBinding, PartsOfDifferentSpaces) {
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

  const WholeSurface whole = assemble(character);
  const JointBinding binding = joint_binding(character, whole);
  const Vec3 a = binding.rest[whole.weld.vertex[0]], b = binding.rest[whole.weld.vertex[whole.part_begin[1]]];
  EXPECT_LT((a - b).norm(), 1e-9);
}

// A skin that was bound far from where the rest pose stands: parts that hang on nodes come along.
TEST(JointBinding, BindPoseFarFromRestPose) {
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
  const WholeSurface whole = assemble(character);
  const JointBinding binding = joint_binding(character, whole);
  const Vec3 placed = odd * (global_transforms(character.skeleton, rest_pose(character.skeleton))[1] * Vec3(1, 1, 1));
  EXPECT_LT((binding.rest[whole.weld.vertex[whole.part_begin[1] + 7]] - placed).norm(), 1e-9);
}

// Inverse bind matrices that cannot be inverted do no harm: the joint stays where the rest pose has it.
TEST(JointBinding, SingularInverseBind) {
  Character character = make_sample("cylinder");
  character.parts[0].skin.inverse_bind[1].linear().setZero();
  const JointBinding binding = joint_binding(character, assemble(character));
  for (const Affine& m : binding.bind) EXPECT_TRUE(m.matrix().allFinite());
  for (const Affine& m : binding.inverse_bind) EXPECT_TRUE(m.matrix().allFinite());
}

}  // namespace
}  // namespace isochor
