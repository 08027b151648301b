#include "isochor/rig/correspondence.h"

#include <gtest/gtest.h>

#include "isochor/sample/sample.h"

namespace isochor {
namespace {

// Files with the same vertices correspond by index, others by the nearest position.
TEST(Correspondence, IndexOrNearest) {
  const Character a = make_sample("cylinder");
  const WeldedCharacter welded(a);
  const Correspondence same = correspond(welded, welded);
  EXPECT_EQ(same.kind, CorrespondenceKind::index);
  ASSERT_EQ(same.pairs.size(), welded.surface().vertex_count());
  for (const auto& [i, j] : same.pairs) EXPECT_EQ(i, j);

  Character finer = make_cylinder({.segments = 64, .rings = 161}, Context());
  const WeldedCharacter other(finer);
  const Correspondence nearest = correspond(welded, other);
  EXPECT_EQ(nearest.kind, CorrespondenceKind::nearest);
  ASSERT_EQ(nearest.pairs.size(), welded.surface().vertex_count());
  for (const auto& [i, j] : nearest.pairs) {
    EXPECT_LT((welded.surface().positions[i] - other.surface().positions[j]).norm(), 0.1);
  }
}

// Joints of the same name are one, and parents are found past those that are in no list.
TEST(Correspondence, UnitedJoints) {
  Skeleton a, b;
  a.joints = {{.name = "root", .deforms = false}, {.name = "hip", .parent = 0}, {.name = "knee", .parent = 1}};
  b.joints = {{.name = "hip"}, {.name = "node", .parent = 0, .deforms = false}, {.name = "tail", .parent = 1}};
  const JointUnion all = unite_joints(a, b);
  EXPECT_EQ(all.names, (std::vector<std::string>{"hip", "knee", "tail"}));
  EXPECT_EQ(all.of_a, (std::vector<Index>{kNone, 0, 1}));
  EXPECT_EQ(all.of_b, (std::vector<Index>{0, kNone, 2}));
  EXPECT_EQ(united_parents(a, all.of_a, 3), (std::vector<Index>{kNone, 0, kNone}));
  EXPECT_EQ(united_parents(b, all.of_b, 3), (std::vector<Index>{kNone, kNone, 0}));
}

// Rows over both lists; a part without a skin has none.
TEST(Correspondence, UnitedWeights) {
  Character character = make_sample("cylinder");
  Part loose;
  loose.surface.positions = {Vec3(9, 0, 0), Vec3(9, 1, 0), Vec3(9, 0, 1)};
  loose.surface.add_face({0, 1, 2});
  character.parts.push_back(loose);
  const WeldedCharacter welded(character);
  std::vector<Index> place(character.skeleton.size());
  for (std::size_t j = 0; j < place.size(); ++j) place[j] = static_cast<Index>(j) + 10;
  const SkinWeights weights = united_weights(welded, place);
  ASSERT_EQ(weights.vertex_count(), welded.surface().vertex_count());
  EXPECT_TRUE(weights.row(welded.whole().welded(1, 0)).empty());
  const auto row = weights.row(0);
  ASSERT_FALSE(row.empty());
  EXPECT_GE(row[0].joint, 10);
}

}  // namespace
}  // namespace isochor
