#include "isochor/bake/driven_twins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../examples/driven_twins.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct DrivenSample {
  Character character = make_sample("cylinder");
  Context context{1};
  HeldMotion motion;
  TwinJoints twins;
  std::vector<DrivenTwin> driven;

  explicit DrivenSample(Index clip) {
    for (Part& part : character.parts) round_weights(part.weights);
    const WeldedCharacter welded(character);
    motion = hold_volume(welded, {.clips = {clip}}, context);
    twins = twin_joints(motion, welded, {}, context);
    driven = drive_twins(motion, welded, twins, context);
  }
};

// Where the joint is as it was bound, twins rest.
TEST(DrivenTwins, NothingAtRest) {
  const DrivenSample bend(0);
  ASSERT_FALSE(bend.driven.empty());
  for (std::size_t q = 0; q < bend.driven.size(); ++q) {
    const Transform at = driven_transform(bend.twins.twins[q], bend.driven[q], bend.driven[q].rest);
    EXPECT_LT((at.translation - bend.twins.twins[q].pivot).norm(), 1e-12);
    EXPECT_LT(at.rotation.vec().norm(), 1e-12);
    EXPECT_LT((at.scale - Vec3::Ones()).norm(), 1e-12);
  }
}

// A bend that they were fitted to: most of the correction, and less of the volume is lost.
TEST(DrivenTwins, BendOfACylinder) {
  DrivenSample bend(0);
  const WeldedCharacter welded(bend.character);
  const DrivenFigures figures = play_driven(bend.motion, welded, bend.twins, bend.driven, bend.context);
  EXPECT_EQ(figures.frames, bend.motion.frame_count());
  EXPECT_GT(1 - figures.left / figures.correction, 0.8);
  EXPECT_LT(figures.volume_left, 0.5 * figures.volume_before);
}

// Beyond what the clips have shown, twins stay where they were at the last turn that is known.
TEST(DrivenTwins, KnownTurnsOnly) {
  const DrivenSample bend(0);
  const DrivenTwin& driven = bend.driven[0];
  const Vec3 across = driven.axis.cross(driven.side);
  const double most = std::max({driven.high.x(), -driven.low.x(), driven.high.y(), -driven.low.y()});
  const auto turned = [&](double angle) {
    return driven_transform(bend.twins.twins[0], driven,
                            driven.rest * Quat(Eigen::AngleAxisd(angle, (driven.side + across).normalized())));
  };
  EXPECT_LT(most, 2.0);
  EXPECT_TRUE(turned(3.0).translation.isApprox(turned(3.1).translation, 1e-6));
}

// What examples/driven_twins.h makes of a twin is what the library does.
TEST(DrivenTwins, TheExampleAgrees) {
  const DrivenSample twist(1);
  for (std::size_t q = 0; q < twist.driven.size(); ++q) {
    const DrivenTwin& of = twist.driven[q];
    const auto vec = [](const Vec3& v) { return driven_twins::Vec{v.x(), v.y(), v.z()}; };
    driven_twins::DrivenTwin twin{.rest = {of.rest.x(), of.rest.y(), of.rest.z(), of.rest.w()},
                                  .axis = vec(of.axis),
                                  .side = vec(of.side),
                                  .pivot = vec(twist.twins.twins[q].pivot),
                                  .low = vec(of.low),
                                  .high = vec(of.high)};
    for (int r = 0; r < 9; ++r) {
      for (int c = 0; c < 9; ++c) {
        twin.coefficients[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = of.coefficients(r, c);
      }
    }
    for (int i = 0; i < 50; ++i) {
      const Vec3 axis = Vec3(std::sin(i), std::cos(2.0 * i), std::sin(3.0 * i + 1)).normalized();
      const Quat rotation(Eigen::AngleAxisd(0.2 * i - 4, axis));
      const Transform wanted = driven_transform(twist.twins.twins[q], of, rotation);
      const driven_twins::Placed found = driven(twin, {rotation.x(), rotation.y(), rotation.z(), rotation.w()});
      for (int k = 0; k < 3; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_NEAR(found.translation[at], wanted.translation[k], 1e-9);
        EXPECT_NEAR(found.scale[at], wanted.scale[k], 1e-9);
      }
      for (int k = 0; k < 4; ++k) {
        EXPECT_NEAR(found.rotation[static_cast<std::size_t>(k)], wanted.rotation.coeffs()[k], 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace isochor
