#include "volume/contact_room.h"

#include <gtest/gtest.h>

#include <random>

namespace isochor::volume {
namespace {

struct RandomTriangles {
  std::mt19937 random{7};

  Vec3 point(double size) {
    std::uniform_real_distribution<double> coordinate(-size, size);
    return {coordinate(random), coordinate(random), coordinate(random)};
  }
  Triangle triangle(const Vec3& middle) { return {middle + point(1), middle + point(1), middle + point(1)}; }
};

// What is said to be enough room is no more than there is, in whatever way the two lie to each other; and half of what
// there is, is mostly known to be there.
TEST(ContactRoom, IsNeverMoreThanThereIs) {
  RandomTriangles make;
  std::size_t far = 0, known = 0, behind = 0;
  for (int i = 0; i < 20000; ++i) {
    const Triangle a = make.triangle(Vec3::Zero()), b = make.triangle(make.point(3));
    const Vec3 towards = make.point(1).normalized();
    const double room = room_between(a, b, towards);
    EXPECT_FALSE(has_room(a, b, 2 * towards, room)) << i;
    for (const double share : {0.5, 0.9, 1.1, 2.0}) {
      const bool enough = has_room(a, b, towards, share * room);
      EXPECT_FALSE(enough && share > 1) << i << ": " << share;
      if (share != 0.5 || room < 0.5) continue;
      ++far;
      known += enough ? 1 : 0;
    }
    behind += triangle_gap(a, b).dot(towards) < 0 ? 1 : 0;
  }
  EXPECT_GT(known, 8 * far / 10);
  EXPECT_GT(behind, 1000u);
}

// What is clearly beyond the other does not cross it; and most of what is apart is seen to be.
TEST(ContactRoom, KnowsWhatDoesNotCross) {
  RandomTriangles make;
  std::size_t crossing = 0, apart = 0, known = 0;
  for (int i = 0; i < 20000; ++i) {
    const Triangle a = make.triangle(Vec3::Zero()), b = make.triangle(make.point(1.5));
    const bool crosses = triangle_crossing(a, b).has_value();
    EXPECT_FALSE(crosses && clearly_beyond(a, b)) << i;
    (crosses ? crossing : apart) += 1;
    known += clearly_beyond(a, b) ? 1 : 0;
  }
  EXPECT_GT(crossing, 500u);
  EXPECT_GT(known, apart / 2);
}

}  // namespace
}  // namespace isochor::volume
