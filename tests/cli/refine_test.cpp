/// isochor deform --refine.

#include <map>

#include "program.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::read_json;
using test::run_isochor;
using test::TempFolder;

struct Refine : testing::Test {
  TempFolder here;

  void SetUp() override { ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb --segments 16 --rings 25").code, 0); }
  nlohmann::json inspect(const std::string& file) {
    const auto ran = run_isochor(here, "inspect " + file + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
};

// The written file is the refined character: more vertices, closed, the volume exact in the file at keys and between.
TEST_F(Refine, WritesTheRefinedCharacter) {
  const auto before = inspect("c.glb");
  std::map<int, std::size_t> vertices;
  for (const int levels : {1, 2}) {
    const auto ran =
        run_isochor(here, "deform c.glb -o out.glb --refine 0.3 --bake frames --report r.json --overwrite --levels " +
                              std::to_string(levels));
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("split"), std::string::npos) << ran.out;
    const auto report = read_json(here / "r.json");
    EXPECT_EQ(report["options"]["levels"], levels);
    EXPECT_EQ(report["refine"]["vertices_before"], before["vertices"]);
    EXPECT_GT(report["refine"]["split_faces"], 50);
    EXPECT_GT(report["refine"]["max_distance"], 0.0);
    EXPECT_LT(report["refine"]["max_distance"], 0.01);
    EXPECT_LT(report["volume"]["components"][0]["max_error_after"], 1e-9);
    EXPECT_LT(report["bake"]["max_volume_error"], 1e-6);
    const auto after = inspect("out.glb");
    EXPECT_EQ(after["vertices"], report["refine"]["vertices"]);
    ASSERT_EQ(after["components"].size(), 1u);
    EXPECT_TRUE(after["components"][0]["closed"].get<bool>());
    EXPECT_GT(after["faces"]["quads"], before["faces"]["quads"]);
    vertices[levels] = after["vertices"];
  }
  EXPECT_GT(vertices[1], before["vertices"].get<std::size_t>());
  EXPECT_GT(vertices[2], 2 * vertices[1]);
}

// A still pose, as GLB and as OBJ, by weights and by bends of the displacement, from a glTF and from an OBJ with a rig.
TEST_F(Refine, StillPoses) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.obj --segments 16 --rings 25").code, 0);
  const std::size_t plain = inspect("c.glb")["vertices"];
  for (const std::string output : {"o.glb", "o.obj"}) {
    for (const std::string how : {"--refine 0.3", "--refine 0.05 --refine-by curvature"}) {
      const auto ran = run_isochor(here, "deform c.glb -o " + output + " --clip bend --time 1.5 " + how);
      ASSERT_EQ(ran.code, 0) << ran.err;
      EXPECT_GT(inspect(output)["vertices"], plain * 12 / 10) << output << how;
    }
  }
  ASSERT_EQ(run_isochor(here, "deform c.obj --skeleton c_rig.txt --motion c.glb -o o2.glb --refine 0.3").code, 0);
  EXPECT_GT(inspect("o2.glb")["vertices"], plain);
}

// Where nothing bends, nothing is split, and the file says so.
TEST_F(Refine, NothingToSplit) {
  ASSERT_EQ(run_isochor(here, "deform c.glb -o o.glb --clip bend --time 0 --refine 0.3 --report r.json").code, 0);
  EXPECT_EQ(read_json(here / "r.json")["refine"]["split_faces"], 0);
}

// The same bytes for one thread and for two.
TEST_F(Refine, SameBytes) {
  for (const std::string threads : {"1", "2"}) {
    ASSERT_EQ(
        run_isochor(here, "deform c.glb -o t" + threads + ".glb --refine 0.1 --levels 2 --fps 8 --threads " + threads)
            .code,
        0);
  }
  EXPECT_EQ(test::read_text(here / "t1.glb"), test::read_text(here / "t2.glb"));
}

// What makes no sense is refused with one sentence, and nothing is written.
TEST_F(Refine, Refusals) {
  for (const std::string options : {"--refine -0.1", "--refine 1.1", "--refine x", "--refine 0.5 --levels 0",
                                    "--refine 0.5 --levels 6", "--refine 0.5 --levels 1.5", "--levels 2",
                                    "--refine-by weight", "--refine 0.1 --levels 4 --refine-max-vertices 2000",
                                    "--refine 0.5 --volume off", "--refine 0.5 --refine-by size"}) {
    expect_refused(run_isochor(here, "deform c.glb -o o.glb " + options), options);
    EXPECT_FALSE(std::filesystem::exists(here / "o.glb")) << options;
  }
  expect_refused(run_isochor(here, "deform c.glb -o o.pc2 --refine 0.5"), "point cache");
}

}  // namespace
}  // namespace isochor
