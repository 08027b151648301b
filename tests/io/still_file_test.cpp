#include "isochor/io/still_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isochor/mesh/volume.h"
#include "isochor/sample/sample.h"
#include "support/data.h"

namespace isochor {
namespace {

struct SaveStill : testing::Test {
  test::TempFolder here;
  Context context{1};
  Loaded loaded;

  SaveStill() { loaded.character = make_sample("cylinder"); }

  Pose bent() const { return sample(loaded.character.clips[0], loaded.character.skeleton, 1); }

  /// Of the only component.
  double volume_of(const Character& character) const {
    const WeldedCharacter welded(character);
    return std::abs(signed_volume(welded.surface(), welded.topology().components.at(0), welded.surface().positions));
  }
};

// A glTF is as large as its triangles are at rest, an OBJ as its polygons are; neither has joints.
TEST_F(SaveStill, HoldsTheVolumeOfWhatItWrites) {
  const double wanted = volume_of(loaded.character);
  for (const std::string name : {"still.glb", "still.obj"}) {
    const StillFile made = save_still(loaded, bent(), {}, here / name, context);
    EXPECT_GT(made.volume.max_error_before(), 0.01) << name;
    EXPECT_LT(made.volume.max_error_after(), 1e-12) << name;
    const Loaded read = load_character(here / name, {}, context);
    EXPECT_EQ(read.character.skeleton.deforming_count(), 0u) << name;
    EXPECT_EQ(read.character.parts.at(0).surface.face_count(), loaded.character.parts.at(0).surface.face_count());
    const double drawn = volume_of(as_written(read).character());
    EXPECT_NEAR((name == "still.glb" ? drawn : volume_of(read.character)) / wanted, 1, 1e-6) << name;
    EXPECT_EQ(std::abs(drawn / wanted - 1) > 1e-5, name == "still.obj") << drawn / wanted;
  }
}

TEST_F(SaveStill, WarnsOfPosesFarAway) {
  const auto far = [](const StillFile& made) {
    return std::any_of(made.problems.begin(), made.problems.end(),
                       [](const Problem& p) { return p.code == "pose-far"; });
  };
  Pose pose = bent();
  EXPECT_FALSE(far(save_still(loaded, pose, {}, here / "still.glb", context)));
  pose.local[0].translation.x() = 1e30;
  EXPECT_TRUE(far(save_still(loaded, pose, {}, here / "still.glb", context)));
}

TEST_F(SaveStill, SkinnedAlone) {
  StillFileOptions options;
  options.playback = [](const WeldedCharacter&) { return PlaybackOptions{.volume = std::nullopt}; };
  const StillFile made = save_still(loaded, bent(), options, here / "still.obj", context);
  EXPECT_EQ(made.volume.frames(), 1u);
  EXPECT_LT(volume_of(load_character(here / "still.obj", {}, context).character), 0.99 * volume_of(loaded.character));
}

}  // namespace
}  // namespace isochor
