#include "isochor/bind/symmetry.h"

#include "bind/bind_cases.h"

namespace isochor {
namespace {

// A symmetric character gets the same weights on both sides, to the bit, from weights that were not.
TEST(Symmetry, MeanOfBothSides) {
  const Character trousers = test::trousers(0.1, 600);
  const auto handles = test::rest_handles(trousers);
  const auto& positions = trousers.parts[0].surface.positions;
  const MirrorSearch search = find_mirror(positions, handles);
  ASSERT_TRUE(search.mirror) << search.reason;
  EXPECT_EQ(search.mirror->axis, 0);
  EXPECT_EQ(search.mirror->joints, (std::vector<Index>{0, 3, 4, 1, 2}));

  SkinWeights weights;
  test::Sequence sequence;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    weights.add_row(std::vector<Influence>{{0, sequence.next()}, {1, sequence.next()}, {4, sequence.next()}});
  }
  normalise(weights);
  symmetrise(weights, *search.mirror);
  EXPECT_EQ(symmetry_error(weights, *search.mirror).max, 0);
  test::expect_valid(weights, positions.size(), 5);
}

// A limit takes both joints of a pair or none: on the plane they have the same weight.
TEST(Symmetry, LimitKeepsPairsTogether) {
  MirrorPairs mirror;
  mirror.vertices = {0, 1};
  mirror.joints = {0, 2, 1};
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 0.6}, {1, 0.2}, {2, 0.2}});
  weights.add_row(std::vector<Influence>{{1, 0.4}, {2, 0.4}, {0, 0.2}});
  limit_pairs(weights, mirror, 2);
  EXPECT_EQ(weights.row(0).size(), 1u);
  EXPECT_EQ(weights.row(1).size(), 2u);
  EXPECT_EQ(symmetry_error(weights, mirror).max, 0);
}

// Where the skeleton has no mirror image there is no symmetry, and a sentence says so.
TEST(Symmetry, RefusesWithAReason) {
  Character trousers = test::trousers(0.1, 600);
  trousers.skeleton.joints[3].rest.translation.y() -= 0.4;
  const MirrorSearch lopsided = find_mirror(trousers.parts[0].surface.positions, test::rest_handles(trousers));
  EXPECT_FALSE(lopsided.mirror);
  EXPECT_NE(lopsided.reason.find("joints have no mirror image"), std::string::npos) << lopsided.reason;
  for (Vec3& p : trousers.parts[0].surface.positions) p += 0.3 * Vec3(p.y() * p.y(), p.z() * p.x(), p.x() * p.y());
  EXPECT_FALSE(find_mirror(trousers.parts[0].surface.positions, test::rest_handles(trousers)).mirror);
}

}  // namespace
}  // namespace isochor
