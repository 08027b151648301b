#include "isochor/bind/distance.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

std::vector<Handle> two_points() {
  std::vector<Handle> handles(2);
  handles[0].shapes = {HandleShape::point(Vec3(0, 0, 0))};
  handles[1].shapes = {HandleShape::point(Vec3(3, 0, 0))};
  return handles;
}

// Weights fall with the power of the distance.
TEST(Distance, PowerOfTheDistance) {
  const std::vector<Vec3> positions = {Vec3(1, 0, 0)};
  const SkinWeights weights = distance_weights(positions, two_points(), {.exponent = 2}, Context());
  EXPECT_DOUBLE_EQ(weights.row(0)[0].weight, 0.8);
  EXPECT_DOUBLE_EQ(weights.row(0)[1].weight, 0.2);
}

// On a bone, at huge and at tiny scales, weights are valid.
TEST(Distance, NeverDividesByZero) {
  for (const double scale : {1e-100, 1.0, 1e100}) {
    auto handles = two_points();
    for (Handle& handle : handles) handle.shapes[0].a *= scale;
    const std::vector<Vec3> positions = {Vec3(0, 0, 0), scale * Vec3(1.5, 0, 0)};
    const SkinWeights weights = distance_weights(positions, handles, {.exponent = 30}, Context());
    EXPECT_TRUE(validate(weights, 2, 1e-12).empty());
    EXPECT_DOUBLE_EQ(weights.row(0)[0].weight, 1);
  }
}

// No more than the 32 nearest bones are kept.
TEST(Distance, ManyBones) {
  std::vector<Handle> handles(100);
  for (std::size_t h = 0; h < handles.size(); ++h) handles[h].shapes = {HandleShape::point(Vec3(h + 1.0, 0, 0))};
  const std::vector<Vec3> positions = {Vec3(0, 0, 0)};
  const SkinWeights weights = distance_weights(positions, handles, {}, Context());
  ASSERT_EQ(weights.row(0).size(), 32u);
  EXPECT_EQ(weights.row(0)[31].joint, 31);
  EXPECT_THROW(distance_weights(positions, {}, {}, Context()), Error);
}

}  // namespace
}  // namespace isochor
