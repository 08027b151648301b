#include "isochor/io/retarget_map.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/io/bvh.h"
#include "isochor/io/rig_txt.h"
#include "support/data.h"

namespace isochor {
namespace {

// Pairs, comments, quotes, and joints to leave out.
TEST(RetargetMap, Reads) {
  const JointNameMap map = parse_retarget_map(
      "# source target\nLeftHandIndex1\tLeftHandFinger1  # a finger\r\n\n\"Bip01 Spine\" \"my spine\"\nToe -\nA#1 B\n");
  EXPECT_EQ(map, (JointNameMap{
                     {"LeftHandIndex1", "LeftHandFinger1"}, {"Bip01 Spine", "my spine"}, {"Toe", ""}, {"A#1", "B"}}));
  EXPECT_TRUE(parse_retarget_map("").empty());
}

// Lines that are no pair are refused with their number.
TEST(RetargetMap, RefusesBrokenLines) {
  for (const char* text : {"a\n", "a b c\n", "\"a b\n", "\n{\"a\": \"b\", \"c\": \"d\"}\n"}) {
    EXPECT_THROW(parse_retarget_map(text), Error) << text;
  }
}

Vec3 direction(const Skeleton& skeleton, const std::vector<Affine>& global, const char* from, const char* to) {
  return (global[skeleton.find(to)].translation() - global[skeleton.find(from)].translation()).normalized();
}

// Recorded motions drive a character of another build and another rest pose: its limbs point where the recorded limbs
// point, all the time, and it stays about as far above the ground as the performer did.
TEST(RetargetMap, RealMotionsOnRealCharacter) {
  SKIP_WITHOUT_SHARED_DATA();
  const Skeleton body = to_skeleton(read_rig_txt(test::shared_data() / "makehuman/body_rig.txt"));
  const JointNameMap names = parse_retarget_map("LeftHandIndex1 LeftHandFinger1\nRightHandIndex1 RightHandFinger1\n");
  const std::pair<const char*, const char*> limbs[] = {
      {"LeftUpLeg", "LeftLeg"}, {"RightLeg", "RightFoot"}, {"LeftArm", "LeftForeArm"}, {"RightForeArm", "RightHand"}};
  for (const char* file : {"02_01.bvh", "02_04.bvh", "05_06.bvh", "49_06.bvh"}) {
    const Character motion = read_bvh(test::shared_data() / "cmu-bvh-dev" / file);
    const Retargeted result =
        retarget(motion.skeleton, motion.clips[0], body, {.placement = RootPlacement::at_rest, .names = names});
    EXPECT_EQ(result.matched.size(), 31U);
    EXPECT_TRUE(result.unmatched_source.empty());
    EXPECT_EQ(result.unmatched_target.size(), 7U);
    EXPECT_NEAR(result.scale, 0.545, 0.01);
    EXPECT_TRUE(validate(result.clip, body).empty());
    double widest = 0;
    for (const double time : frame_times(result.clip, 10)) {
      const auto from = global_transforms(motion.skeleton, sample(motion.clips[0], motion.skeleton, time));
      const auto to = global_transforms(body, sample(result.clip, body, time));
      for (const auto& [a, b] : limbs) {
        const Vec3 cross = direction(motion.skeleton, from, a, b).cross(direction(body, to, a, b));
        widest = std::max(widest, cross.norm());
      }
    }
    EXPECT_LT(widest, 0.02) << file;
  }
}

}  // namespace
}  // namespace isochor
