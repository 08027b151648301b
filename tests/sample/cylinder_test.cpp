#include "isochor/sample/cylinder.h"

#include <gtest/gtest.h>

#include "sample/checks.h"

namespace isochor {
namespace {

const Context kContext(0);
constexpr double kPi = 3.14159265358979;

Character plain(int segments, int rings) {
  return make_cylinder({.segments = segments, .rings = rings, .rounding = 0, .cap = CylinderCap::strip}, kContext);
}

// The default cylinder is one closed surface of quads with valid weights, skeleton and clips.
TEST(Cylinder, IsWellFormed) {
  for (const CylinderCap cap : {CylinderCap::grid, CylinderCap::strip}) {
    for (const double rounding : {0.0, 0.06}) {
      const Character cylinder = make_cylinder({.rounding = rounding, .cap = cap}, kContext);
      const Part& part = cylinder.parts.front();
      test::expect_one_closed_surface(part.surface);
      test::expect_quads(part.surface);
      test::expect_good_weights(part, 2);
      test::expect_no_errors(cylinder);
    }
  }
}

// The 256 vertices of Rohmer 2008, table 1.
TEST(Cylinder, CanHave256Vertices) { EXPECT_EQ(plain(16, 16).vertex_count(), 256u); }

// The volume is that of the prism over the regular polygon.
TEST(Cylinder, VolumeIsKnown) {
  const Character cylinder = plain(64, 20);
  const Surface& surface = cylinder.parts.front().surface;
  const double area = 64 * 0.25 * 0.25 * std::sin(2 * kPi / 64) / 2;
  EXPECT_NEAR(signed_volume(surface, analyse(surface).components.front()), 2 * area, 1e-12);
}

// At the joint both bones weigh the same; beyond the blend one weighs all; weights are monotone along the axis.
TEST(Cylinder, WeightsFollowTheHeight) {
  const Character cylinder = make_cylinder({}, kContext);
  const Part& part = cylinder.parts.front();
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    const double y = part.surface.positions[v].y();
    double upper = 0;
    for (const Influence& i : part.weights.row(v)) upper += i.joint == 1 ? i.weight : 0;
    if (y < 0.75) {
      EXPECT_EQ(upper, 0);
    }
    if (y > 1.25) {
      EXPECT_EQ(upper, 1);
    }
    if (std::abs(y - 1) < 1e-12) {
      EXPECT_NEAR(upper, 0.5, 1e-12);
    }
  }
}

// "bend" ends with the last bone turned by 120 degrees, "twist" by 180, "s-bend" comes back to upright.
TEST(Cylinder, ClipsReachTheirAngles) {
  for (const int bones : {2, 3}) {
    const Character cylinder = make_cylinder({.bones = bones}, kContext);
    EXPECT_EQ(cylinder.clips.size(), bones == 2 ? 2u : 3u);
    const auto end_turn = [&](const char* name) {
      const Clip* clip = cylinder.find_clip(name);
      const Pose pose = sample(*clip, cylinder.skeleton, clip->end());
      return Quat(global_transforms(cylinder.skeleton, pose).back().linear()).angularDistance(Quat::Identity());
    };
    EXPECT_NEAR(end_turn("bend"), 120 * kPi / 180, 1e-9);
    EXPECT_NEAR(end_turn("twist"), kPi, 1e-9);
    if (bones == 3) {
      EXPECT_NEAR(end_turn("s-bend"), 0, 1e-9);
    }
  }
}

// Bad options are refused with the option's name.
TEST(Cylinder, RefusesBadOptions) {
  EXPECT_THROW(make_cylinder({.segments = 10}, kContext), Error);
  EXPECT_THROW(make_cylinder({.segments = 7, .cap = CylinderCap::strip}, kContext), Error);
  EXPECT_THROW(make_cylinder({.rounding = 0.25}, kContext), Error);
  EXPECT_THROW(make_cylinder({.radius = -1}, kContext), Error);
  EXPECT_THROW(make_cylinder({.bones = 1}, kContext), Error);
}

}  // namespace
}  // namespace isochor
