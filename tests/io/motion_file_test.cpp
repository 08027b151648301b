#include "isochor/io/motion_file.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/io/playback.h"
#include "isochor/io/volume_settings.h"
#include "isochor/sample/sample.h"
#include "support/data.h"

namespace isochor {
namespace {

struct SaveMotion : testing::Test {
  test::TempFolder here;
  Context context{1};
  Loaded loaded;

  SaveMotion() { loaded.character = make_sample("cylinder"); }
};

// One call writes the clips that are asked for and says how the file plays; the settings that it was played with are in
// it if they are to travel.
TEST_F(SaveMotion, WritesAndChecks) {
  VolumeSettings settings;
  settings.options.treatment = JointTreatment::sequence;
  MotionFileOptions options{.clips = {0}};
  options.playback = [&](const WeldedCharacter&) { return PlaybackOptions{.volume = settings}; };
  const MotionFile made = save_motion(loaded, options, here / "out.glb", context);
  EXPECT_EQ(made.motion.clips.size(), 1u);
  EXPECT_GT(made.baked.targets, 0u);
  ASSERT_TRUE(made.errors);
  EXPECT_LT(made.errors->max_volume_error, 1e-6);
  EXPECT_FALSE(volume_settings_of(GltfDocument::open(here / "out.glb")));
  options.carry_settings = true;
  options.driven = here / "twins.json";
  options.bake.form = BakeForm::joints;
  EXPECT_GT(save_motion(loaded, options, here / "out.glb", context).baked.twins, 0u);
  EXPECT_EQ(volume_settings_of(GltfDocument::open(here / "out.glb")), settings);
  EXPECT_TRUE(std::filesystem::exists(here / "twins.json"));
}

// What skinning alone shows is played back if somebody asks for it; without a clip nothing is written.
TEST_F(SaveMotion, NothingToBake) {
  MotionFileOptions options{.clips = {0}};
  options.playback = [](const WeldedCharacter&) { return PlaybackOptions{.volume = std::nullopt}; };
  EXPECT_FALSE(save_motion(loaded, options, here / "out.glb", context).errors);
  options.always_check = true;
  EXPECT_GT(save_motion(loaded, options, here / "out.glb", context).errors.value().max_volume_error, 0.01);
  options.clips = {};
  EXPECT_THROW(save_motion(loaded, options, here / "no.glb", context), Error);
  EXPECT_FALSE(std::filesystem::exists(here / "no.glb"));
}

// Point caches are announced before they are written, and whoever objects stops them.
TEST_F(SaveMotion, Caches) {
  MotionFileOptions options{.clips = {0, 1}, .hold = point_cache_frames(8)};
  const auto refuse = [](const std::vector<std::filesystem::path>&) { throw Error(ErrorKind::bad_input, "no"); };
  EXPECT_THROW(save_motion_caches(loaded, options, here / "out.mdd", refuse, context), Error);
  const MotionCaches made = save_motion_caches(loaded, options, here / "out.mdd", {}, context);
  ASSERT_EQ(made.files.size(), 2u);
  for (const auto& file : made.files) {
    EXPECT_EQ(read_point_cache(file, PointCacheFormat::mdd).times.size(), made.motion.clips[0].frames.size());
  }
  EXPECT_EQ(point_cache_frames(0).fps, 24);
}

}  // namespace
}  // namespace isochor
