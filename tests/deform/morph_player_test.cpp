#include "isochor/deform/morph_player.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isochor/deform/skinning.h"

namespace isochor {
namespace {

/// 150 vertices and nine targets, each of which moves some of them; the last moves none.
Part part_with_targets() {
  Part part;
  part.node = 1;
  const auto wave = [](std::size_t i, double step) { return std::sin(step * static_cast<double>(i + 1)); };
  for (std::size_t v = 0; v < 150; ++v) part.surface.positions.emplace_back(wave(v, 0.3), wave(v, 0.7), wave(v, 1.1));
  for (std::size_t t = 0; t < 9; ++t) {
    MorphTarget& target = part.morphs.emplace_back();
    for (std::size_t v = 0; v < 150; ++v) {
      const bool moved = t < 8 && (v + 3 * t) % (t + 2) == 0 && v > 10;
      target.positions.push_back(moved ? Vec3(wave(v * t, 0.2), wave(v + t, 0.9), 1) : Vec3(Vec3::Zero()));
    }
    part.morph_weights.push_back(0.1 * static_cast<double>(t));
  }
  return part;
}

Pose pose_with(std::vector<double> weights) {
  Pose pose;
  pose.local.resize(2);
  pose.morph_weights.resize(2);
  pose.morph_weights[1] = std::move(weights);
  return pose;
}

void expect_same(const Part& part, std::span<const Pose> poses) {
  const auto all = MorphPlayer(part).positions(poses);
  ASSERT_EQ(all.size(), poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto one = morphed_positions(part, poses[i]);
    ASSERT_EQ(all[i].size(), one.size());
    for (std::size_t v = 0; v < one.size(); ++v) EXPECT_LT((all[i][v] - one[v]).norm(), 1e-13);
  }
}

// Many poses at once are what each is alone: with weights of their own, with fewer than there are targets, and with
// those of the part.
TEST(MorphPlayer, AgreesWithOnePoseAtATime) {
  const Part part = part_with_targets();
  std::vector<Pose> poses = {pose_with({1, 0, -0.5, 0.25, 2, 0, 0, 1, 1}), pose_with({0.5, 0.5}), pose_with({}),
                             Pose{}};
  for (int i = 0; i < 20; ++i) poses.push_back(pose_with(std::vector<double>(9, 0.05 * i)));
  expect_same(part, poses);
  EXPECT_EQ(MorphPlayer(part).weights(poses[1]).size(), 2u);
  EXPECT_EQ(MorphPlayer(part).weights(poses[3]).size(), 9u);
}

// Vertices that no target moves stay to the last bit; parts without targets or vertices, and no pose, do no harm.
TEST(MorphPlayer, NothingToDo) {
  Part part = part_with_targets();
  const std::vector<Pose> poses = {pose_with(std::vector<double>(9, 0.3))};
  const auto positions = MorphPlayer(part).positions(poses);
  for (std::size_t v = 0; v <= 10; ++v) EXPECT_EQ(positions[0][v], part.surface.positions[v]);
  EXPECT_TRUE(MorphPlayer(part).positions({}).empty());
  part.morphs.clear();
  EXPECT_EQ(MorphPlayer(part).positions(poses)[0], part.surface.positions);
  EXPECT_TRUE(MorphPlayer(Part{}).positions(poses)[0].empty());
}

// A target that brings no positions, as one of normals alone, adds nothing.
TEST(MorphPlayer, TargetsWithoutPositions) {
  Part part = part_with_targets();
  part.morphs[3].positions.clear();
  const std::vector<Pose> poses = {pose_with(std::vector<double>(9, 1.0))};
  expect_same(part, poses);
}

}  // namespace
}  // namespace isochor
