#include "isochor/bind/weight_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isochor/sample/sample.h"

namespace isochor {
namespace {

// A character has no difference to itself, and its symmetry is found; one whose weights are swapped between two joints
// has all the difference there is.
TEST(WeightComparison, SameAndOpposite) {
  const Character a = make_sample("cylinder");
  Character b = a;
  for (Influence& i : b.parts[0].weights.influences) i.joint = 1 - i.joint;
  const WeldedCharacter welded_a(a), welded_b(b);
  const Correspondence correspondence = correspond(welded_a, welded_b);
  Context context(1);
  std::vector<double> progress;
  context.set_progress([&](std::string_view stage, double fraction) {
    if (stage == "weights") progress.push_back(fraction);
  });
  const auto same = compare_weights(welded_a, welded_a, correspondence, {}, context);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->difference.l1_max, 0);
  EXPECT_EQ(same->difference.precision, 1);
  EXPECT_TRUE(same->a.mirror.has_value());
  EXPECT_NEAR(same->a.symmetry.max, 0, 1e-9);
  EXPECT_GT(same->a.mean_influences, 1);
  const auto opposite = compare_weights(welded_a, welded_b, correspondence, {}, context);
  EXPECT_NEAR(opposite->difference.l1_max, 2, 1e-12);
  EXPECT_EQ(opposite->a.smoothness, opposite->b.smoothness);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.begin() + static_cast<std::ptrdiff_t>(progress.size() / 2)));
  EXPECT_GT(progress.size(), 6u);

  const auto still = compare_weights_in_motion(welded_a, welded_a, correspondence, 5, context);
  ASSERT_EQ(still.size(), a.clips.size());
  EXPECT_EQ(still[0].max, 0);
  const auto moving = compare_weights_in_motion(welded_a, welded_b, correspondence, 5, context);
  EXPECT_GT(moving[0].max, 0.1);
  EXPECT_GT(moving[0].max, moving[0].mean);
}

// Vertices that the file gave no weight follow a fallback joint: that is no weight of the author's.
TEST(WeightComparison, RowsOfTheReaderAreNotTheAuthors) {
  const Character a = make_sample("cylinder");
  Character b = a;
  const std::size_t vertices = a.parts[0].surface.vertex_count();
  for (Index v = 0; v < static_cast<Index>(vertices) / 2; ++v) {
    b.parts[0].weights.row(v)[0] = {0, 1.0};
    for (std::size_t i = 1; i < b.parts[0].weights.row(v).size(); ++i) b.parts[0].weights.row(v)[i].weight = 0;
    b.parts[0].unweighted.push_back(v);
  }
  const WeldedCharacter welded_a(a), welded_b(b);
  Context context(1);
  const auto compared = compare_weights(welded_a, welded_b, correspond(welded_a, welded_b), {}, context);
  ASSERT_TRUE(compared.has_value());
  EXPECT_EQ(compared->difference.l1_max, 0);
  EXPECT_EQ(compared->difference.vertices, vertices - vertices / 2);
}

// Without weights on both sides there is nothing to compare.
TEST(WeightComparison, WithoutWeights) {
  const Character a = make_sample("cylinder");
  Character b = a;
  b.parts[0].skin = {};
  b.parts[0].weights = {};
  const WeldedCharacter welded_a(a), welded_b(b);
  const Correspondence correspondence = correspond(welded_a, welded_b);
  Context context(1);
  EXPECT_FALSE(compare_weights(welded_a, welded_b, correspondence, {}, context).has_value());
  EXPECT_TRUE(compare_weights_in_motion(welded_a, welded_b, correspondence, 3, context).empty());
}

}  // namespace
}  // namespace isochor
