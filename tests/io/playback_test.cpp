#include "isochor/io/playback.h"

#include <gtest/gtest.h>

#include "gltf_builder.h"
#include "isochor/bake/held_motion.h"
#include "isochor/base/error.h"
#include "isochor/io/volume_settings.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct Playing : testing::Test {
  Context context{1};
  WrittenCharacter file;

  Playing() {
    Loaded loaded;
    loaded.character = make_sample("cylinder");
    file = as_written(loaded);
  }
  /// The extras of a body that breathes in, by another solver.
  void set_extras() {
    VolumeSettings settings;
    settings.options.solve.solver = VolumeSolver::three_step;
    settings.volume = parse_volume_settings(R"({"volume": [[0, 1], [1, 1.5]]})").volume;
    set_volume_settings(file.source().document, settings);
  }
};

// What the file says counts, over that the user's settings in its place, over these single options, and over all the
// mode. Without any of it there are the defaults.
TEST_F(Playing, OneOverTheOther) {
  EXPECT_EQ(plan_volume(nullptr), VolumeSettings{});
  EXPECT_EQ(plan_volume(&file.source()), VolumeSettings{});
  set_extras();
  const auto of_file = plan_volume(&file.source());
  ASSERT_TRUE(of_file);
  EXPECT_EQ(of_file->options.solve.solver, VolumeSolver::three_step);
  EXPECT_EQ(of_file, volume_settings_of(file.source().document));

  VolumeOverrides user{.settings = VolumeSettings{}};
  EXPECT_EQ(plan_volume(&file.source(), user), VolumeSettings{});
  user.change = [](VolumeOptions& options) { options.treatment = JointTreatment::sequence; };
  EXPECT_EQ(plan_volume(&file.source(), user)->options.treatment, JointTreatment::sequence);
  user.settings.reset();
  EXPECT_EQ(plan_volume(&file.source(), user)->options.treatment, JointTreatment::sequence);
  EXPECT_EQ(plan_volume(&file.source(), user)->volume, of_file->volume);
  user.mode = VolumeMode::linear;
  EXPECT_EQ(plan_volume(&file.source(), user)->options.solve.solver, VolumeSolver::linear);
  user.mode = VolumeMode::off;
  EXPECT_FALSE(plan_volume(&file.source(), user));
  for (const VolumeMode mode : {VolumeMode::exact, VolumeMode::three_step, VolumeMode::linear}) {
    EXPECT_EQ(enum_name(plan_volume(nullptr, {.mode = mode})->options.solve.solver), enum_name(mode));
  }
}

// A program that bakes by playback_of() holds the volume that the file asks for.
TEST_F(Playing, HoldsWhatTheFileSays) {
  set_extras();
  const WeldedCharacter welded(file.character());
  const HeldMotion motion =
      hold_volume(welded, {.playback = playback_of(file, welded), .clips = {0}, .form = HeldForm::volumes}, context);
  const HeldFrame& last = motion.clips[0].frames.back();
  EXPECT_GT(last.volume_factor, 1.05);
  EXPECT_NEAR(last.volumes[0] / welded.rest_volumes()[0], last.volume_factor, 1e-9);
}

// Maps that the settings name are those that are painted in the document; one that is not there is refused.
TEST(Playback, PaintedMaps) {
  test::GltfBuilder builder;
  const int positions = builder.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int fat = builder.accessor("SCALAR", std::vector<float>{0, 0.25f, 0.5f}, 5126, 1);
  builder.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", positions}, {"_FAT", fat}}}}}}});
  builder.push("nodes", {{"mesh", 0}});
  builder.push("scenes", {{"nodes", {0}}});
  Loaded loaded;
  GltfDocument document = GltfDocument::parse(builder.glb());
  GltfCharacter read = read_gltf(document);
  loaded.character = std::move(read.character);
  loaded.as_read = GltfSource{std::move(document), std::move(read.map)};
  WrittenCharacter file = as_written(loaded);
  const WeldedCharacter welded(file.character());
  EXPECT_TRUE(playback_of(file, welded).painted.empty());
  const auto name_map = [&](const std::string& name) {
    set_volume_settings(file.source().document,
                        parse_volume_settings(R"({"default": {"effect": "painted", "map": ")" + name + R"("}})"));
  };
  name_map("fat");
  const PlaybackOptions playback = playback_of(file, welded);
  ASSERT_EQ(playback.painted.size(), 1u);
  EXPECT_EQ(playback.painted[0].values, (std::vector<double>{0, 0.25, 0.5}));
  EXPECT_TRUE(playback_of(file, welded, {.mode = VolumeMode::off}).painted.empty());
  name_map("lean");
  EXPECT_THROW(playback_of(file, welded), Error);
}

}  // namespace
}  // namespace isochor
