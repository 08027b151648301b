/// What isochor deform bakes, and how.

#include <sstream>

#include "isochor/io/point_cache.h"
#include "program.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::read_json;
using test::run_isochor;
using test::TempFolder;

struct Baking : testing::Test {
  TempFolder here;

  void SetUp() override { ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0); }
  nlohmann::json deform(const std::string& arguments) {
    const auto ran = run_isochor(here, "deform c.glb " + arguments + " --report r.json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return read_json(here / "r.json");
  }
  double distance(const std::string& a, const std::string& b) {
    const auto ran = run_isochor(here, "compare " + a + " " + b + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out)["shape"]["max_distance"];
  }
};

// One target per frame is exact at the frames: positions to single precision, volumes to a millionth, measured on the
// file.
TEST_F(Baking, FramesAreExact) {
  for (const char* deformer : {"lbs", "dqs"}) {
    const auto report = deform("-o out.glb --clip bend --bake frames --deformer " + std::string(deformer));
    EXPECT_EQ(report["bake"]["targets"], report["frames"]) << deformer;
    EXPECT_LT(report["bake"]["max_position_error"], 1e-6) << deformer;
    EXPECT_LT(report["bake"]["max_volume_error"], 1e-6) << deformer;
  }
}

// A few targets keep the tolerance, measured on the file; a tighter one takes more. The volume is right with any
// number.
TEST_F(Baking, MorphsKeepTheTolerance) {
  const auto loose = deform("-o loose.glb --clip bend --bake morphs --bake-tolerance 1e-3 --volume-faces free")["bake"];
  const auto tight = deform("-o tight.glb --clip bend --bake morphs --bake-tolerance 1e-5 --volume-faces free")["bake"];
  // The tolerance is of the box at rest, the error of the posed one, whose diagonal is 0.859 of it where the bend ends.
  constexpr double kPosed = 0.859;
  EXPECT_LE(kPosed * loose["max_position_error"].get<double>(), 1e-3);
  EXPECT_LE(tight["max_position_error"], 1.1e-5);
  EXPECT_LT(loose["max_volume_error"], 1e-6);
  EXPECT_LT(tight["max_volume_error"], 1e-6);
  EXPECT_LT(loose["targets"], tight["targets"]);
  EXPECT_LE(tight["targets"], 15);  // quads cut into triangles are less even than quads, which took 13
  EXPECT_GT(tight["max_turned_faces"], 0);
  // Corners that slide apart in a fold move each in its own time, and take targets of their own (26 in all).
  const auto kept = deform("-o kept.glb --clip bend --bake morphs --bake-tolerance 1e-5")["bake"];
  EXPECT_LE(kept["max_position_error"], 1.1e-5);
  EXPECT_LE(kept["targets"], 30);
  EXPECT_EQ(kept["max_turned_faces"], 0);
  EXPECT_EQ(kept["max_turned_faces_between"], 0);
  const auto two = deform("-o two.glb --clip bend --bake morphs --bake-targets 2")["bake"];
  EXPECT_LE(two["targets"], 2);
  EXPECT_LT(two["max_volume_error"], 1e-6);
}

// Options that a volume which is not held leaves without effect are named.
TEST_F(Baking, OptionsWithoutEffect) {
  const auto report = deform("-o plain.glb --volume off --contact hold --volume-stiffness 1");
  std::vector<std::string> warnings;
  for (const auto& warning : report["warnings"]) warnings.push_back(warning["sentence"]);
  EXPECT_EQ(warnings, (std::vector<std::string>{"--contact has no effect with --volume off",
                                                "--volume-stiffness has no effect with --volume off"}));
  EXPECT_TRUE(deform("-o held.glb --contact hold --volume-stiffness 1")["warnings"].empty());
}

// Joints instead of morph targets: what the report says of them; the same bytes when a file that has them is baked
// again; and when it is played as it is, as viewers do, it is the same file.
TEST_F(Baking, Joints) {
  const auto report = deform("-o joints.glb --clip bend --bake joints");
  const auto& bake = report["bake"];
  EXPECT_EQ(bake["mode"], "joints");
  EXPECT_EQ(bake["targets"], 0);
  EXPECT_EQ(bake["joints"]["added"], 2);
  EXPECT_GT(bake["joints"]["correction"], 0.95);
  EXPECT_GE(bake["joints"]["correction_with_shear"], bake["joints"]["correction_fitted"]);
  EXPECT_LT(bake["max_volume_error"], 1e-6);
  EXPECT_EQ(run_isochor(here, "deform joints.glb -o twice.glb --bake joints --clip bend").code, 0);
  EXPECT_EQ(test::read_text(here / "joints.glb"), test::read_text(here / "twice.glb"));
  EXPECT_EQ(run_isochor(here, "deform joints.glb -o played.glb --volume off").code, 0);
  EXPECT_EQ(test::read_text(here / "joints.glb"), test::read_text(here / "played.glb"));

  const auto one = deform("-o one.glb --clip bend --bake joints --bake-joints 1 --influences 4")["bake"];
  EXPECT_EQ(one["joints"]["added"], 1);
  EXPECT_LT(one["joints"]["correction"], bake["joints"]["correction"]);
  expect_refused(run_isochor(here, "deform c.glb -o x.glb --bake joints --influences 1"), "influences");
  expect_refused(run_isochor(here, "deform c.glb -o x.pc2 --bake joints"), "extension");
  expect_refused(run_isochor(here, "deform c.glb -o x.glb --bake-driven d.json"), "requires --bake joints");
  expect_refused(run_isochor(here, "deform c.glb -o x.glb --clip bend --time 0.5 --bake joints"), "needs a motion");
  expect_refused(run_isochor(here, "deform c.glb -o x.glb --bake-joints 3"), "requires --bake joints");
  expect_refused(run_isochor(here, "deform c.glb -o x.glb --bake frames --influences 4"), "requires --bake joints");
}

// Joints with a few morph targets on top of them: they show more than joints alone, and baking again gives the same
// bytes (views whose length is no multiple of four used to leave some behind).
TEST_F(Baking, JointsAndMorphs) {
  const auto alone = deform("-o joints.glb --bake joints")["bake"];
  const auto both = deform("-o both.glb --bake joints+morphs")["bake"];
  EXPECT_GT(both["targets"], 0);
  EXPECT_LT(both["max_position_error"], alone["max_position_error"]);
  EXPECT_EQ(run_isochor(here, "deform both.glb -o twice.glb --bake joints+morphs").code, 0);
  EXPECT_EQ(test::read_text(here / "both.glb"), test::read_text(here / "twice.glb"));
}

// A file with joints becomes one with morph targets, and is then as if it had never had them.
TEST_F(Baking, JointsThenMorphs) {
  deform("-o joints.glb --clip bend --bake joints");
  EXPECT_EQ(run_isochor(here, "deform joints.glb -o morphs.glb --clip bend").code, 0);
  deform("-o plain.glb --clip bend");
  EXPECT_LT(distance("morphs.glb", "plain.glb"), 1e-5);
  const auto inspected = nlohmann::json::parse(run_isochor(here, "inspect morphs.glb --json").out);
  const auto original = nlohmann::json::parse(run_isochor(here, "inspect c.glb --json").out);
  EXPECT_EQ(inspected["joints"], original["joints"]);
}

// Between keys that are far apart a played file loses volume; keys are added until it does not, in both modes, and the
// file shows it when it is played finely. With --fps there are the frames that were asked for, unless --between is
// given.
TEST_F(Baking, KeysBetweenKeys) {
  const auto played = [&](const std::string& file) {
    EXPECT_EQ(
        run_isochor(here, "deform " + file + " -o played.glb --clip twist --volume off --fps 97 --report p.json").code,
        0);
    return read_json(here / "p.json")["volume"]["max_error_after"].get<double>();
  };
  for (const std::string mode : {"morphs", "frames"}) {
    const std::string common = "-o out.glb --clip twist --fps 4 --bake " + mode;
    const auto few = deform(common);
    EXPECT_FALSE(few["bake"].contains("between"));
    EXPECT_EQ(few["bake"]["keys"], few["frames"]);
    EXPECT_GT(played("out.glb"), 4e-3) << mode;
    const auto more = deform(common + " --between 0.002");
    EXPECT_GT(more["bake"]["keys"], few["bake"]["keys"]);
    EXPECT_EQ(more["bake"]["keys"], more["frames"]);
    EXPECT_EQ(more["bake"]["between"]["gaps_beyond"], 0);
    EXPECT_LE(more["bake"]["between"]["max_volume_error"], 0.002);
    EXPECT_LE(played("out.glb"), 0.002) << mode;
    EXPECT_LT(more["bake"]["max_volume_error"], 1e-6);
  }
  EXPECT_TRUE(deform("-o out.glb --clip twist")["bake"].contains("between"));
  EXPECT_FALSE(deform("-o out.glb --clip twist --between 0")["bake"].contains("between"));
}

// A joint that steps while another does not costs one key a step, and the file steps with it.
TEST_F(Baking, StepsStaySteps) {
  ASSERT_EQ(run_isochor(here, "sample cylinder3 -o c.gltf").code, 0);
  nlohmann::json gltf = read_json(here / "c.gltf");
  auto& clip = gltf["animations"][0];
  ASSERT_GE(clip["channels"].size(), 2u);
  clip["samplers"][clip["channels"][1]["sampler"].get<std::size_t>()]["interpolation"] = "STEP";
  test::write_text(here / "c.gltf", gltf.dump());
  ASSERT_EQ(run_isochor(here, "deform c.gltf -o out.glb --clip 0 --report r.json").code, 0);
  const auto bake = read_json(here / "r.json")["bake"];
  EXPECT_EQ(bake["between"]["gaps_beyond"], 0);
  ASSERT_EQ(run_isochor(here, "deform out.glb -o played.glb --clip 0 --volume off --fps 97 --report p.json").code, 0);
  EXPECT_LT(read_json(here / "p.json")["volume"]["max_error_after"], 1e-4);
}

// What a twist by 180 degrees makes unreachable is told, and its volume is right all the same.
TEST_F(Baking, UnreachableVerticesAreTold) {
  const auto report = deform("-o out.glb --deformer dqs --volume off --bake frames --clip twist");
  EXPECT_GT(report["bake"]["unreached_vertices"], 0);
  EXPECT_GT(report["bake"]["max_unreached"], 0.01);
  // As far off as dual quaternions are, and no farther.
  EXPECT_NEAR(report["bake"]["max_volume_error"].get<double>(), report["volume"]["max_error_after"].get<double>(),
              1e-6);
  bool told = false;
  for (const auto& warning : report["warnings"]) told |= warning["code"] == "bake-unreached";
  EXPECT_TRUE(told);
}

// Point caches hold the deformed vertices in the file's order, at 24 frames a second unless told otherwise.
TEST_F(Baking, PointCaches) {
  ASSERT_EQ(run_isochor(here, "deform c.glb -o still.obj --clip bend --time 0.5").code, 0);
  std::vector<float> wanted;
  std::istringstream lines(test::read_text(here / "still.obj"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    float x = 0, y = 0, z = 0;
    if (words >> kind >> x >> y >> z && kind == "v") wanted.insert(wanted.end(), {x, y, z});
  }
  for (const PointCacheFormat format : {PointCacheFormat::pc2, PointCacheFormat::mdd}) {
    const std::string file = "bend." + enum_name(format);
    const auto report = deform("-o " + file + " --clip bend");
    EXPECT_EQ(report["bake"]["files"].size(), 1u);
    const PointCache cache = read_point_cache(here / file, format);
    ASSERT_EQ(3 * cache.points, wanted.size());
    ASSERT_GT(cache.times.size(), 12u);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(cache.positions[12 * wanted.size() + i], wanted[i], 1e-5);
    }
    const auto inspected = nlohmann::json::parse(run_isochor(here, "inspect " + file + " --json").out);
    EXPECT_EQ(inspected["points"], cache.points);
    EXPECT_EQ(inspected["samples"], cache.times.size());
    EXPECT_EQ(inspected["times"].back(), cache.times.back());
    double highest = -1e9;
    for (std::size_t i = 1; i < cache.positions.size(); i += 3) {
      highest = std::max(highest, static_cast<double>(cache.positions[i]));
    }
    EXPECT_EQ(inspected["box"][1][1], highest);
  }
  EXPECT_EQ(deform("-o all.pc2")["bake"]["files"].size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(here / "all-bend.pc2"));
}

// A character from another format is baked as the glTF that it becomes, polygons, split corners and single precision
// included.
TEST_F(Baking, OtherFormats) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o rig.obj").code, 0);
  test::write_text(here / "pose.json", R"({"joints": {"*": {"turn": [0, 0, 0]}}})");
  for (const auto& entry : std::filesystem::directory_iterator(here.path())) {
    if (entry.path().extension() != ".txt") continue;
    const auto ran = run_isochor(here, "deform rig.obj --skeleton " + entry.path().filename().string() +
                                           " --motion c.glb -o out.glb --bake frames --deformer dqs --report r.json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_LT(read_json(here / "r.json")["bake"]["max_position_error"], 1e-6);
    EXPECT_LT(read_json(here / "r.json")["bake"]["max_volume_error"], 1e-6);
    return;
  }
  FAIL() << "the sample has no rig.txt";
}

// A mode and an extension that do not fit each other are refused, and nothing is written.
TEST_F(Baking, ImpossibleChoices) {
  expect_refused(run_isochor(here, "deform c.glb -o out.glb --bake pc2"), "a cache in a glTF");
  expect_refused(run_isochor(here, "deform c.glb -o out.pc2 --bake mdd"), "one cache in the other");
  expect_refused(run_isochor(here, "deform c.glb -o out.mdd --bake morphs"), "morphs in a cache");
  expect_refused(run_isochor(here, "deform c.glb -o out.pc2 --clip bend --time 0.5"), "a still in a cache");
  expect_refused(run_isochor(here, "deform c.glb -o out.glb --bake spline"), "unknown mode");
  expect_refused(run_isochor(here, "deform c.glb -o out.glb --bake-tolerance -1"), "negative tolerance");
  for (const char* file : {"out.glb", "out.pc2", "out.mdd"}) EXPECT_FALSE(std::filesystem::exists(here / file)) << file;
}

// One and two threads write the same bytes.
TEST_F(Baking, SameBytesForAnyNumberOfThreads) {
  for (const char* mode : {"morphs", "frames"}) {
    const std::string common = "--clip bend --fps 12 --bake " + std::string(mode);
    deform(common + " -o 1.glb --threads 1");
    deform(common + " -o 2.glb --threads 2");
    EXPECT_EQ(test::read_text(here / "1.glb"), test::read_text(here / "2.glb")) << mode;
  }
}

}  // namespace
}  // namespace isochor
