#include "isochor/show/comparison.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/bind/bind.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

// A character against itself bound anew: the same shape, other weights, and the same clips somewhere else. Lengths are
// relative: a character ten times as large gives the same figures.
TEST(Comparison, WeightsShapeAndClips) {
  Context context{1};
  Loaded a;
  a.character = make_sample("cylinder");
  Loaded b = a;
  apply(bind(b.character, {.gvb = {.resolution = 16}}, context), b.character);
  const auto scaled = [](Loaded loaded, double scale) {
    for (Part& part : loaded.character.parts) {
      for (Vec3& p : part.surface.positions) p *= scale;
      for (Affine& bind : part.skin.inverse_bind) bind.translation() *= scale;
    }
    for (Joint& joint : loaded.character.skeleton.joints) joint.rest.translation *= scale;
    return loaded;
  };
  const auto compare = [&](double scale) {
    return compare_characters(scaled(a, scale), scaled(b, scale), {.moments = 3}, context);
  };
  const CharacterComparison found = compare(1), large = compare(10);
  EXPECT_EQ(found.by, CorrespondenceKind::index);
  EXPECT_EQ(found.shape.max, 0);
  ASSERT_TRUE(found.weights);
  EXPECT_GT(found.weights->difference.l1_mean, 0);
  ASSERT_EQ(found.clips.size(), found.weights_in_motion.size());
  EXPECT_GT(found.worst_in_motion.max, 0);
  EXPECT_LT(found.worst_in_motion.max, 1);
  EXPECT_GT(found.clips[0].distance.max, 0);
  EXPECT_NEAR(large.worst_in_motion.max, found.worst_in_motion.max, 1e-6);
  EXPECT_NEAR(large.clips[0].distance.max, found.clips[0].distance.max, 1e-6);
  EXPECT_THROW(compare_characters({}, {}, {}, context), Error);
}

}  // namespace
}  // namespace isochor
