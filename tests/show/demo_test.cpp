#include "isochor/show/demo.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/io/load.h"
#include "support/data.h"

namespace isochor {
namespace {

// What is announced is written, the character with its volume held among it, and nothing that was not asked for.
TEST(Demo, WritesWhatItAnnounces) {
  const test::TempFolder here;
  Context context;
  DemoOptions options{.folder = here.path(), .only = {"cylinder"}, .samples = 1};
  std::vector<std::string> begun;
  options.begin = [&](const std::string& name) { begun.push_back(name); };
  const std::vector<std::filesystem::path> announced = demo_files(options);
  const std::vector<DemoCharacter> shown = write_demo(options, context);
  EXPECT_EQ(begun, options.only);
  for (const auto& file : announced) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].binding.bound, shown[0].binding.vertices);
  ASSERT_FALSE(shown[0].clips.empty());
  for (const DemoClip& clip : shown[0].clips) {
    EXPECT_LT(clip.volume_lbs, -0.01) << clip.name;
    EXPECT_NEAR(clip.volume_exact, 0, 1e-9) << clip.name;
  }
  const Loaded held = load_character(here / "cylinder-volume.glb", {.keep_baked = true}, context);
  EXPECT_FALSE(held.character.parts.at(0).morphs.empty());
}

TEST(Demo, UnknownSample) {
  DemoOptions options{.only = {"unicorn"}};
  EXPECT_THROW(demo_files(options), Error);
}

}  // namespace
}  // namespace isochor
