#include "isochor/bake/residual_volume.h"

#include <gtest/gtest.h>

#include "cubes.h"

namespace isochor {
namespace {

using test::Cubes;

// A component that is off gets its volume back, by vertices that may move; another that is right stays as it is.
TEST(ResidualVolume, BringsTheVolumeBack) {
  const Cubes cubes;
  std::vector<double> mobility(16, 1.0);
  mobility[3] = 0;
  for (const double wanted : {1.1, 0.8, 2.5, 1.000001}) {
    const std::vector<double> volumes = {wanted, 1.0};
    const ResidualVolume result =
        residual_volume({cubes.surface, cubes.functionals, cubes.surface.positions, volumes, mobility});
    ASSERT_EQ(result.displacements.size(), 16u);
    EXPECT_NEAR(cubes.volume(0, result.displacements), wanted, 1e-12);
    EXPECT_EQ(result.corrected, std::vector<Index>{0});
    EXPECT_TRUE(result.unreached.empty());
    EXPECT_EQ(result.displacements[3], Vec3(0, 0, 0));
    for (std::size_t v = 8; v < 16; ++v) EXPECT_EQ(result.displacements[v], Vec3(0, 0, 0));
    EXPECT_GT(result.max_displacement, 0);
  }
}

// Rounding is left alone, and so are components that have no volume to keep.
TEST(ResidualVolume, LeavesRoundingAlone) {
  const Cubes cubes;
  const std::vector<double> mobility(16, 1.0), volumes = {1 + 1e-8, 0.0};
  const ResidualVolume result =
      residual_volume({cubes.surface, cubes.functionals, cubes.surface.positions, volumes, mobility});
  EXPECT_TRUE(result.displacements.empty());
  EXPECT_TRUE(result.corrected.empty());
}

// Where nothing may move, or no displacement gives the volume, that is told and nothing moves.
TEST(ResidualVolume, TellsWhatItCannotReach) {
  const Cubes cubes;
  const std::vector<double> still(16, 0.0), volumes = {1.5, 1.0};
  const ResidualVolume result =
      residual_volume({cubes.surface, cubes.functionals, cubes.surface.positions, volumes, still});
  EXPECT_EQ(result.unreached, std::vector<Index>{0});
  EXPECT_TRUE(result.displacements.empty());
}

}  // namespace
}  // namespace isochor
