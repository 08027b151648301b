/// Every file among the real characters: it loads, or it is refused with one sentence.

#include "program.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::quoted;
using test::run_isochor;
using test::TempFolder;
namespace fs = std::filesystem;

std::vector<fs::path> files_with(const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    if (entry.is_regular_file() && (extension.empty() || entry.path().extension() == extension))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Formats we read load; anything else is refused with one sentence.
TEST(RealCharacters, EveryFileLoadsOrIsRefused) {
  SKIP_WITHOUT_SHARED_DATA();
  const TempFolder here;
  std::size_t loaded = 0;
  for (const fs::path& file : files_with("")) {
    const auto ran = run_isochor(here, "inspect --json " + quoted(file));
    const std::string extension = file.extension().string();
    const bool known = extension == ".glb" || extension == ".obj" || extension == ".fbx" || extension == ".bvh" ||
                       extension == ".tgf" || extension == ".off" || file.filename() == "rig.txt";
    if (known) {
      EXPECT_EQ(ran.code, 0) << file << "\n" << ran.err;
    } else if (ran.code != 0) {
      expect_refused(ran, file.string());
    }
    loaded += ran.code == 0 ? 1 : 0;
  }
  EXPECT_GE(loaded, 50u);
}

std::vector<fs::path> glbs_with_a_clip(const TempFolder& here) {
  std::vector<fs::path> files = files_with(".glb");
  const auto still = [&](const fs::path& file) {
    return nlohmann::json::parse(run_isochor(here, "inspect --json " + quoted(file)).out)["clips"].empty();
  };
  std::erase_if(files, test::leave_out);
  std::erase_if(files, still);
  return files;
}

// Every GLB goes through deform, each clip and both deformers where there is a skin and a clip.
TEST(RealCharacters, EveryGlbGoesThroughDeform) {
  SKIP_WITHOUT_SHARED_DATA();
  const TempFolder here;
  for (const fs::path& file : glbs_with_a_clip(here)) {
    const std::string clip = " --clip 0 ";
    const auto ran = run_isochor(here, "deform " + quoted(file) + clip + "-o out.glb --volume off --report r.json");
    ASSERT_EQ(ran.code, 0) << file << "\n" << ran.err;
    const auto report = test::read_json(here / "r.json");
    EXPECT_GT(report["frames"], 0) << file;
    const auto again = run_isochor(here, "compare " + quoted(file) + " out.glb --moments 3 --json");
    ASSERT_EQ(again.code, 0) << file << again.err;
    EXPECT_EQ(nlohmann::json::parse(again.out)["clips"][0]["max_distance"], 0.0) << file;
  }
}

/// Deforms the first clip, one target a frame, and checks every component: to 1e-9 as computed, to 1e-6 in the file
/// that was written. Returns the report.
nlohmann::json expect_volume_kept(const TempFolder& here, const fs::path& file, const std::string& options) {
  const auto ran =
      run_isochor(here, "deform " + quoted(file) + " --clip 0 --bake frames -o out.glb --report r.json " + options);
  EXPECT_EQ(ran.code, 0) << file << options << "\n" << ran.err;
  if (ran.code != 0) return {};
  auto report = test::read_json(here / "r.json");
  EXPECT_FALSE(report["volume"]["components"].empty()) << file;
  for (const auto& component : report["volume"]["components"]) {
    EXPECT_LT(component["max_error_after"], 1e-9) << file << options;
  }
  EXPECT_LT(report["bake"]["max_volume_error"], 1e-6) << file << options;
  return report;
}

// Every GLB with a clip keeps its volume without any setting, and the joints' own volumes end nearer to rest in the
// mean.
TEST(RealCharacters, EveryGlbKeepsItsVolume) {
  SKIP_WITHOUT_SHARED_DATA();
  const TempFolder here;
  for (const fs::path& file : glbs_with_a_clip(here)) {
    const auto report = expect_volume_kept(here, file, test::kSanitized ? "--fps 1" : "--fps 5");
    double before = 0, after = 0;
    for (const auto& joint : report["volume"]["joints"]) {
      before += joint["mean_local_error_before"].get<double>();
      after += joint["mean_local_error_after"].get<double>();
    }
    EXPECT_LE(after, before) << file;
  }
}

// So does it by dual quaternions, with joints in sequence and by the other exact solver.
TEST(RealCharacters, EveryGlbKeepsItsVolumeInEveryWay) {
  SKIP_WITHOUT_SHARED_DATA();
  const TempFolder here;
  for (const fs::path& file : glbs_with_a_clip(here)) {
    for (const char* way :
         {"--deformer dqs --joints together --volume three-step",
          "--deformer lbs --joints sequence --volume three-step", "--deformer dqs --joints sequence --volume exact"}) {
      expect_volume_kept(here, file, std::string("--fps 0.5 ") + way);
    }
  }
}

// The quad body of a human walks by a recorded motion that names the same joints.
TEST(RealCharacters, HumanBodyWalks) {
  SKIP_WITHOUT_SHARED_DATA();
  const TempFolder here;
  const auto human = test::shared_data() / "makehuman";
  const auto ran =
      run_isochor(here, "deform " + quoted(human / "body.obj") + " --skeleton " + quoted(human / "body_rig.txt") +
                            " --motion " + quoted(test::shared_data() / "cmu-bvh-dev" / "02_01.bvh") +
                            " --motion-rest first-frame --motion-fps 30 -o walk.glb --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto report = test::read_json(here / "r.json");
  EXPECT_GE(report["motion"]["matched"], 15);
  EXPECT_LT(report["volume"]["components"][0]["max_error_before"], 0.2);
}

// The same recording finds the joints of humans whose names follow other conventions; on animals it is refused, with
// the way out.
TEST(RealCharacters, RecordingOntoOtherConventions) {
  SKIP_WITHOUT_SHARED_DATA();
  const TempFolder here;
  const std::string motion = " --motion " + quoted(test::shared_data() / "cmu-bvh-dev" / "02_01.bvh") +
                             " --motion-rest first-frame --time 1 --volume off -o out.obj --report r.json";
  for (const char* human : {"mesh2motion-human-male/human-male.glb", "gdquest-mannequin/mannequiny-0.3.0.glb",
                            "quaternius-adventurer/Adventurer.glb", "kaykit-knight/Knight.glb",
                            "khronos-cesiumman/CesiumMan.glb", "khronos-riggedfigure/RiggedFigure.glb"}) {
    const auto ran = run_isochor(here, "deform " + quoted(test::shared_data() / human) + motion);
    ASSERT_EQ(ran.code, 0) << human << ran.err;
    EXPECT_GE(test::read_json(here / "r.json")["motion"]["matched"], 14) << human;
  }
  for (const char* animal :
       {"mesh2motion-horse/horse-animations.glb", "mesh2motion-dragon/dragon-animations.glb",
        "quaternius-husky/Husky.glb", "quaternius-frog/Frog.glb", "libigl-elephant/elephant.glb"}) {
    const auto ran = run_isochor(here, "deform " + quoted(test::shared_data() / animal) + motion);
    test::expect_refused(ran, animal);
    EXPECT_NE(ran.err.find("--motion-map"), std::string::npos) << animal << ran.err;
  }
}

}  // namespace
}  // namespace isochor
