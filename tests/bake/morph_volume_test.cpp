#include "isochor/bake/morph_volume.h"

#include <gtest/gtest.h>

#include "cubes.h"

namespace isochor {
namespace {

using test::Cubes;

/// Targets that stretch the first cube along x, the first along y, and the second along z.
std::vector<WeldedTarget> stretches() {
  std::vector<WeldedTarget> targets(3);
  for (Index v = 0; v < 8; ++v) {
    if (v & 1) targets[0].vertices.push_back(v);
    if (v & 2) targets[1].vertices.push_back(v);
    if (v & 4) targets[2].vertices.push_back(v + 8);
  }
  targets[0].offsets.assign(4, Vec3::UnitX());
  targets[1].offsets.assign(4, Vec3::UnitY());
  targets[2].offsets.assign(4, 0.1 * Vec3::UnitZ());
  return targets;
}

MorphedFrame frame_of(const Cubes& cubes, std::vector<double> volumes) {
  return {cubes.surface.positions, std::vector<Mat3>(16, Mat3::Identity()), std::move(volumes)};
}

// Weights bring every component to its volume at once, and the positions follow them.
TEST(MorphVolume, BringsVolumesBack) {
  const Cubes cubes;
  const auto targets = stretches();
  const std::vector<double> sizes(16, 1.0);
  const MorphVolume keeper(cubes.surface, cubes.topology, targets, sizes);
  MorphedFrame frame = frame_of(cubes, {1.1, 0.9});
  const auto change = keeper.correct({&frame, 1}).row(0).eval();
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(signed_volume(cubes.surface, cubes.topology.components[c], frame.positions), frame.volumes[c], 1e-8);
  }
  EXPECT_NEAR((1 + change[0]) * (1 + change[1]), 1.1, 1e-8);
  EXPECT_NEAR(1 + 0.1 * change[2], 0.9, 1e-8);
  // Two targets that do as much share alike.
  EXPECT_NEAR(change[0], change[1], 1e-9);
}

// Maps of the pose count: where the skin is shrunk, an offset gives less.
TEST(MorphVolume, CountsThePose) {
  const Cubes cubes;
  const auto targets = stretches();
  const std::vector<double> sizes(16, 1.0);
  const MorphVolume keeper(cubes.surface, cubes.topology, targets, sizes);
  MorphedFrame frame = frame_of(cubes, {1.1, 0});
  for (Mat3& linear : frame.linear) linear = Vec3(0, 0.5, 1).asDiagonal();
  const auto change = keeper.correct({&frame, 1}).row(0).eval();
  EXPECT_NEAR(change[0], 0, 1e-9);
  EXPECT_NEAR(change[1], 0.2, 1e-7);
  EXPECT_EQ(change[2], 0);
}

// A component that no target moves keeps its error, and the others are corrected all the same; without targets there is
// nothing to do.
TEST(MorphVolume, LeavesWhatNothingMoves) {
  const Cubes cubes;
  std::vector<WeldedTarget> targets = stretches();
  targets.pop_back();
  const std::vector<double> sizes(16, 1.0);
  MorphedFrame frame = frame_of(cubes, {1.1, 2.0});
  MorphVolume(cubes.surface, cubes.topology, targets, sizes).correct({&frame, 1});
  EXPECT_NEAR(signed_volume(cubes.surface, cubes.topology.components[0], frame.positions), 1.1, 1e-7);
  EXPECT_NEAR(signed_volume(cubes.surface, cubes.topology.components[1], frame.positions), 1, 1e-12);
  frame = frame_of(cubes, {1.1, 2.0});
  EXPECT_EQ(MorphVolume(cubes.surface, cubes.topology, {}, sizes).correct({&frame, 1}).size(), 0);
}

}  // namespace
}  // namespace isochor
