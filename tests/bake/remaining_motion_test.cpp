#include "isochor/bake/remaining_motion.h"

#include <gtest/gtest.h>

#include "isochor/bake/rest_offsets.h"
#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct HeldBend {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  Context context{1};
  HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
};

// On top of the character itself, all of the motion is left.
TEST(RemainingMotion, OfTheCharacterItself) {
  HeldBend held;
  const HeldMotion left = remaining_motion(held.motion, held.welded, held.context);
  ASSERT_EQ(left.frame_count(), held.motion.frame_count());
  double largest = 0, difference = 0;
  const std::size_t count = held.character.parts[0].surface.vertex_count();
  for (std::size_t k = 0; k < left.clips[0].frames.size(); ++k) {
    const auto a = expand(held.motion.clips[0].frames[k].parts[0].offsets, count);
    const auto b = expand(left.clips[0].frames[k].parts[0].offsets, count);
    for (std::size_t v = 0; v < count; ++v) {
      largest = std::max(largest, a[v].norm());
      difference = std::max(difference, (a[v] - b[v]).norm());
    }
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_LT(difference, 1e-5);
}

// On top of a character with other weights, what is left brings every vertex to the same place.
TEST(RemainingMotion, OnOtherWeights) {
  HeldBend held;
  Character other = held.character;
  for (Influence& i : other.parts[0].weights.influences) i.weight *= i.weight;
  normalise(other.parts[0].weights);
  const WeldedCharacter shown(other);
  const HeldMotion left = remaining_motion(held.motion, shown, held.context);
  for (const HeldFrame& frame : left.clips[0].frames) {
    const Pose pose = sample(other.clips[0], other.skeleton, frame.time);
    PosedSkin posed;
    pose_skin(shown, pose, Deformer::lbs, posed, held.context);
    const auto maps = part_maps(shown, posed, 0);
    const auto offsets = expand(frame.parts[0].offsets, maps.size());
    for (std::size_t v = 0; v < maps.size(); ++v) {
      const Vec3 at = maps[v].leftCols<3>() * (other.parts[0].surface.positions[v] + offsets[v]) + maps[v].col(3);
      EXPECT_LT((at - frame.parts[0].positions[v].cast<double>()).norm(), 1e-5);
    }
  }
}

// Another character is refused.
TEST(RemainingMotion, OfAnotherCharacter) {
  HeldBend held;
  const Character other = make_sample("elephant");
  const WeldedCharacter shown(other);
  EXPECT_THROW(remaining_motion(held.motion, shown, held.context), Error);
}

}  // namespace
}  // namespace isochor
