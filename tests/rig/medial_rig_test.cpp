#include "isochor/rig/medial_rig.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"

namespace isochor {
namespace {

/// Two guides of two drivers, the second of which nothing moves; three vertices.
MedialRig small_rig() {
  MedialRig rig;
  rig.drivers = {{1, Affine(Eigen::Translation3d(0, 0, -2))}, {kNone, Affine::Identity()}};
  rig.skin.centres = {Vec3::Zero(), Vec3::UnitX()};
  rig.skin.guides.add_row(std::vector<Influence>{{0, 1.0}});
  rig.skin.guides.add_row(std::vector<Influence>{{0, 0.5}, {1, 0.5}});
  for (int v = 0; v < 3; ++v) rig.skin.skin.add_row(std::vector<Influence>{{0, 0.25}, {1, 0.75}});
  return rig;
}

// A driver moves from its bind pose to where its joint is; one without a joint stays.
TEST(MedialRig, DriversFollowTheirJoints) {
  const MedialRig rig = small_rig();
  const std::vector<Affine> global = {Affine::Identity(), Affine(Eigen::Translation3d(5, 0, 2))};
  std::vector<Affine> out(2);
  driver_matrices(rig, global, out);
  EXPECT_TRUE(out[0].isApprox(Affine(Eigen::Translation3d(5, 0, 0))));
  EXPECT_TRUE(out[1].isApprox(Affine::Identity()));
}

// A rig that was made for another character is refused, and so is one whose rows lead nowhere.
TEST(MedialRig, Checked) {
  const MedialRigSize size{.vertices = 3, .joints = 2, .parts = 1};
  EXPECT_NO_THROW(check(small_rig(), size));
  EXPECT_THROW(check(small_rig(), {.vertices = 4, .joints = 2, .parts = 1}), Error);
  EXPECT_THROW(check(small_rig(), {.vertices = 3, .joints = 1, .parts = 1}), Error);
  MedialRig rig = small_rig();
  rig.placements.resize(2, Affine::Identity());
  EXPECT_THROW(check_size(rig, size), Error);
  rig = small_rig();
  rig.skin.guides.influences[0].joint = 2;
  EXPECT_NO_THROW(check_size(rig, size));
  EXPECT_THROW(check(rig, size), Error);
  rig = small_rig();
  rig.skin.skin.influences[0].joint = -1;
  EXPECT_THROW(check(rig, size), Error);
  rig = small_rig();
  rig.skin.centres.pop_back();
  EXPECT_THROW(check(rig, size), Error);
  rig = small_rig();
  rig.skin.guides = {};
  rig.skin.guides.add_row({});
  rig.skin.guides.add_row({});
  EXPECT_THROW(check(rig, size), Error);
}

}  // namespace
}  // namespace isochor
