#include "isochor/io/bake.h"

#include <gtest/gtest.h>

#include "isochor/io/bake_check.h"
#include "isochor/io/written_character.h"
#include "isochor/sample/sample.h"
#include "support/data.h"

namespace isochor {
namespace {

struct Bake : testing::Test {
  test::TempFolder here;
  Context context{1};
  Loaded loaded;
  WrittenCharacter file;

  Bake() {
    loaded.character = make_sample("cylinder");
    file = as_written(loaded);
  }
};

// Morph targets and frames, written, read back and played: they show what was held.
TEST_F(Bake, PlaysWhatWasHeld) {
  const WeldedCharacter welded(file.character);
  const HeldMotion motion = hold_volume(welded, {}, context);
  for (const BakeForm form : {BakeForm::morphs, BakeForm::frames}) {
    GltfSource source = file.source;
    const BakeResult baked = bake(motion, welded, {.form = form}, source, context);
    EXPECT_EQ(baked.keys, motion.frame_count());
    EXPECT_GT(baked.targets, 0u);
    EXPECT_GT(baked.bytes, 1000u);
    source.document.save(here / "out.glb");
    const BakeErrors errors = check_bake(here / "out.glb", motion, context);
    EXPECT_LT(errors.max_volume_error, 1e-6) << enum_name(form);
    EXPECT_LT(errors.max_position_error, form == BakeForm::frames ? 1e-6 : 3e-4) << enum_name(form);
  }
}

// A motion that skinning shows adds nothing to the document.
TEST_F(Bake, NothingToAdd) {
  const WeldedCharacter welded(file.character);
  const HeldMotion motion = hold_volume(welded, {.playback = {.volume = std::nullopt}}, context);
  GltfSource source = file.source;
  const BakeResult baked = bake(motion, welded, {}, source, context);
  EXPECT_EQ(baked.targets, 0u);
  EXPECT_EQ(source.document.json_text(), file.source.document.json_text());
}

// One cache for each clip, named after it.
TEST_F(Bake, PointCaches) {
  const WeldedCharacter welded(file.character);
  const HeldMotion motion = hold_volume(welded, {.fps = 8, .form = HeldForm::positions}, context);
  const auto files = point_cache_paths(motion, welded, here / "out.pc2");
  save_point_caches(motion, welded, here / "out.pc2", PointCacheFormat::pc2);
  ASSERT_EQ(files.size(), file.character.clips.size());
  EXPECT_EQ(files[0].filename().string(), "out-" + file.character.clips[0].name + ".pc2");
  const PointCache cache = read_point_cache(files[0], PointCacheFormat::pc2);
  EXPECT_EQ(cache.points, file.character.parts[0].surface.vertex_count());
  EXPECT_EQ(cache.times.size(), motion.clips[0].frames.size());
  EXPECT_EQ(cache.positions[0], motion.clips[0].frames[0].parts[0].positions[0].x());
}

}  // namespace
}  // namespace isochor
