#include "isochor/io/motion.h"

#include <gtest/gtest.h>

#include "helpers.h"
#include "isochor/io/load.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::contains;
using test::sentence_of;

constexpr const char* kWalkingBvh =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Spine\n{\nOFFSET 0 1 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 1\n0 0 0 0 0 0\n30 0 0 20 0 0\n";

/// Joints of the given names, each below the one before, and clips that turn the first of them.
Character character_of(const std::vector<std::string>& joints, const std::vector<std::string>& clips) {
  Character character;
  for (const std::string& name : joints) {
    Joint joint;
    joint.name = name;
    joint.parent = static_cast<Index>(character.skeleton.size()) - 1;
    joint.rest.translation = Vec3(0, 1, 0);
    character.skeleton.joints.push_back(joint);
  }
  for (std::size_t c = 0; c < clips.size(); ++c) {
    Channel channel;
    channel.joint = 0;
    channel.path = ChannelPath::rotation;
    channel.width = 4;
    channel.times = {0, 1.0 + static_cast<double>(c)};
    channel.values = {0, 0, 0, 1, 0.6, 0, 0, 0.8};
    character.clips.push_back({clips[c], {channel}});
  }
  return character;
}

struct Motion : testing::Test {
  test::TempFolder folder;
  Context context;

  void SetUp() override {
    test::write_text(folder / "walk.bvh", kWalkingBvh);
    save_character(character_of({"Hips", "Spine"}, {"idle", "run"}), folder / "moves.glb", context);
    save_character(character_of({"Hips", "Spine"}, {}), folder / "still.glb", context);
  }
};

// A motion becomes a clip of the character, called as its file.
TEST_F(Motion, BecomesAClip) {
  Character character = character_of({"pelvis", "spine_01"}, {"walk"});
  const BroughtMotion motion = bring_motion(character, folder / "walk.bvh", {}, context);
  ASSERT_EQ(character.clips.size(), 2u);
  EXPECT_EQ(motion.clip, 1);
  EXPECT_EQ(motion.taken, 0);
  EXPECT_EQ(motion.retargeted.matched.size(), 2u);
  EXPECT_EQ(motion.source.joints[1].name, "Spine");
  EXPECT_EQ(character.clips[1].name, "walk 2");  // the character has a walk of its own
  EXPECT_DOUBLE_EQ(character.clips[1].end(), 1);
}

// A clip is picked by name or number, and lends its name; without a choice the first is taken.
TEST_F(Motion, PicksAClip) {
  Character character = character_of({"Hips", "Spine"}, {"run"});
  const BroughtMotion first = bring_motion(character, folder / "moves.glb", {}, context);
  EXPECT_EQ(first.file_clips, (std::vector<std::string>{"idle", "run"}));
  EXPECT_EQ(first.taken, 0);
  EXPECT_EQ(character.clips[1].name, "moves");
  EXPECT_EQ(bring_motion(character, folder / "moves.glb", {.clip = "run"}, context).taken, 1);
  EXPECT_EQ(character.clips[2].name, "run (moves)");
  EXPECT_DOUBLE_EQ(character.clips[2].end(), 2);
  EXPECT_EQ(bring_motion(character, folder / "moves.glb", {.clip = "0"}, context).taken, 0);
  EXPECT_EQ(character.clips[3].name, "idle");
}

// What cannot be brought is refused with a sentence, and the character stays as it was.
TEST_F(Motion, Refuses) {
  Character character = character_of({"a", "b", "c"}, {});
  const auto sentence = [&](const char* file, const MotionOptions& options) {
    return sentence_of([&] { bring_motion(character, folder / file, options, context); });
  };
  EXPECT_TRUE(contains(sentence("moves.glb", {.clip = "jump"}), "moves.glb has idle, run"));
  EXPECT_TRUE(contains(sentence("still.glb", {}), "no clip"));
  EXPECT_TRUE(contains(sentence("walk.bvh", {}), "only 0 of the 2 joints that the motion moves"));
  EXPECT_TRUE(character.clips.empty());
}

}  // namespace
}  // namespace isochor
