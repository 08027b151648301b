#include "isochor/sample/giraffe.h"

#include <gtest/gtest.h>

#include "sample/checks.h"

namespace isochor {
namespace {

const Character& shared_giraffe() {
  static const Character character = make_giraffe({}, Context(0));
  return character;
}

class Giraffe : public testing::Test {
 protected:
  const Character& giraffe_ = shared_giraffe();
  const Part& part_ = giraffe_.parts.front();
};

// It has the paper's number of vertices, within 5 %.
TEST_F(Giraffe, HasThePapersSize) { EXPECT_NEAR(giraffe_.vertex_count(), 1673, 0.05 * 1673); }

// It is one closed, oriented manifold of quads, with valid weights, skeleton and clips.
TEST_F(Giraffe, IsWellFormed) {
  test::expect_one_closed_surface(part_.surface);
  test::expect_quads(part_.surface);
  test::expect_good_weights(part_, 4);
  test::expect_no_errors(giraffe_);
}

// Its right side is the reflection of its left, in shape and in weights.
TEST_F(Giraffe, IsSymmetric) { test::expect_symmetric(giraffe_, part_); }

// The neck turns by at least 90 degrees in all.
TEST_F(Giraffe, NeckBends) {
  const Clip* clip = giraffe_.find_clip("neck-bend");
  ASSERT_NE(clip, nullptr);
  const Pose pose = sample(*clip, giraffe_.skeleton, clip->duration() / 2);
  const Index neck = giraffe_.skeleton.find("Neck4");
  const Quat turn(global_transforms(giraffe_.skeleton, pose)[neck].linear());
  EXPECT_GT(turn.angularDistance(Quat::Identity()), 90 * 3.14159265 / 180);
}

// Bending the neck moves neither the legs nor the rump.
TEST_F(Giraffe, NeckWeightsDoNotBleed) {
  const Clip* clip = giraffe_.find_clip("neck-bend");
  const std::vector<Vec3> moved = test::posed(giraffe_, part_, sample(*clip, giraffe_.skeleton, clip->duration() / 2));
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const Vec3& rest = part_.surface.positions[v];
    if (rest.y() < 1.2 || rest.z() < -0.2) {
      EXPECT_LT((moved[v] - rest).norm(), 1e-9);
    }
  }
}

// Clips keep it on the ground and finite.
TEST_F(Giraffe, StaysOnTheGround) {
  ASSERT_NE(giraffe_.find_clip("idle"), nullptr);
  for (const Clip& clip : giraffe_.clips) EXPECT_NEAR(test::lowest_point(giraffe_, part_, clip), 0, 0.02) << clip.name;
}

// One step of refinement has four times the faces and the same shape.
TEST_F(Giraffe, Refines) {
  const Character fine = make_giraffe({.refinement = 1}, Context(0));
  const Surface& surface = fine.parts.front().surface;
  EXPECT_EQ(surface.face_count(), 4 * part_.surface.face_count());
  test::expect_one_closed_surface(surface);
  const double coarse = signed_volume(part_.surface, analyse(part_.surface).components.front());
  EXPECT_NEAR(signed_volume(surface, analyse(surface).components.front()) / coarse, 1, 0.03);
}

}  // namespace
}  // namespace isochor
