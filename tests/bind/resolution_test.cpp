#include "isochor/bind/resolution.h"

#include "bind/bind_cases.h"

namespace isochor {
namespace {

ResolutionChoice choice_for(double gap) {
  const Character trousers = test::trousers(gap, 3000);
  return choose_resolution(trousers.parts[0].surface, test::rest_handles(trousers), Context());
}

// The nearer two legs come, the finer the voxels: one stays free between them, and the reason names the gap.
TEST(Resolution, FollowsTheGapBetweenLimbs) {
  Index before = 0;
  for (const double gap : {0.2, 0.04, 0.02, 0.01}) {
    const ResolutionChoice choice = choice_for(gap);
    EXPECT_GE(choice.resolution, before) << gap;
    before = choice.resolution;
    const double voxel = 1.4 / choice.resolution;
    EXPECT_GT(gap, 2 * voxel) << choice.reason;
    if (gap < 0.03) {
      EXPECT_NEAR(choice.gap, gap, 0.5 * gap);
      EXPECT_NE(choice.reason.find("limbs come as near as"), std::string::npos) << choice.reason;
    }
  }
  EXPECT_GE(before, 256);
}

// Legs that all but touch cannot be kept apart: the finest voxels, and that is said.
TEST(Resolution, SaysWhereItIsNotEnough) {
  const ResolutionChoice choice = choice_for(0.001);
  EXPECT_EQ(choice.resolution, ResolutionChoice::kFinest);
  EXPECT_TRUE(choice.too_fine);
}

// Legs hang from the hips, also where the hips' own bone leads up the spine alone: what lies between a thigh and the
// hips is no gap between limbs, and asks for no finer voxels than with bones from the hips to the legs.
TEST(Resolution, LegsHangFromTheHips) {
  const Character knight = make_sample("knight");
  const Surface surface = assemble(knight).weld.surface;
  const auto with = choose_resolution(surface, test::rest_handles(knight), Context());
  const auto without = choose_resolution(surface, test::rest_handles(knight, {.rules = BoneRules::off}), Context());
  EXPECT_LE(with.resolution, without.resolution) << with.reason;
}

// One limb alone has no gap, and neither the crease of a joint nor a hole through the mesh's back side is one.
TEST(Resolution, NoGapsInOneLimb) {
  const Character cylinder = make_sample("cylinder");
  const ResolutionChoice choice = choose_resolution(cylinder.parts[0].surface, test::rest_handles(cylinder), Context());
  EXPECT_EQ(choice.gap, 0);
  EXPECT_EQ(choice.resolution, ResolutionChoice::kCoarsest) << choice.reason;
}

// The order of vertices and faces, the side that faces look to, scale and place make no difference.
TEST(Resolution, DoesNotDependOnOrder) {
  Character trousers = test::trousers(0.02, 3000);
  const auto handles = test::rest_handles(trousers);
  const Surface& surface = trousers.parts[0].surface;
  const ResolutionChoice one = choose_resolution(surface, handles, Context(1));
  Surface turned;
  const auto n = static_cast<Index>(surface.vertex_count());
  for (Index v = n; v-- > 0;) turned.positions.push_back(surface.positions[v]);
  for (std::size_t f = surface.face_count(); f-- > 0;) {
    std::vector<Index> face;
    for (const Index v : surface.face(f)) face.insert(face.begin(), n - 1 - v);
    turned.add_face(face);
  }
  const ResolutionChoice two = choose_resolution(turned, handles, Context(2));
  EXPECT_EQ(one.resolution, two.resolution);
  EXPECT_NEAR(one.gap, two.gap, 1e-9);
}

// Nothing to look at is no reason to fail.
TEST(Resolution, DegenerateInput) {
  Surface point;
  point.positions = {Vec3(1, 2, 3)};
  std::vector<Handle> handles(1);
  handles[0].shapes = {HandleShape::point(Vec3(0, 0, 0))};
  EXPECT_EQ(choose_resolution(point, handles, Context()).resolution, ResolutionChoice::kCoarsest);
}

}  // namespace
}  // namespace isochor
