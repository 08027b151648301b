/// The program's commands on the procedural characters.

#include <algorithm>
#include <sstream>

#include "program.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::read_json;
using test::run_isochor;
using test::TempFolder;

// --version prints one line with the name and a version.
TEST(Cli, Version) {
  const TempFolder here;
  const auto ran = run_isochor(here, "--version");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.rfind("isochor 0.", 0), 0u) << ran.out;
}

// Help of the program lists the commands; help of a command gives defaults and ranges.
TEST(Cli, HelpGivesDefaultsAndRanges) {
  const TempFolder here;
  const auto general = run_isochor(here, "--help");
  EXPECT_EQ(general.code, 0);
  for (const char* command : {"demo", "sample", "inspect", "bind", "deform", "compare", "render"}) {
    EXPECT_NE(general.out.find(command), std::string::npos) << command;
    EXPECT_EQ(run_isochor(here, std::string(command) + " --help").code, 0) << command;
  }
  const auto render = run_isochor(here, "render --help");
  EXPECT_NE(render.out.find("between 1 and 8192 px; default 800"), std::string::npos) << render.out;
}

// Options that few people need are left to --help-all, and the rest of `bind` fits a screen.
TEST(Cli, HelpFitsAScreen) {
  const TempFolder here;
  const auto help = run_isochor(here, "bind --help"), all = run_isochor(here, "bind --help-all");
  EXPECT_EQ(all.code, 0);
  EXPECT_LE(std::count(help.out.begin(), help.out.end(), '\n'), 40);
  EXPECT_EQ(help.out.find("--sampling"), std::string::npos);
  EXPECT_NE(all.out.find("--sampling"), std::string::npos);
  EXPECT_NE(help.out.find("--falloff"), std::string::npos);
}

// Wrong usage is refused with one sentence.
TEST(Cli, WrongUsage) {
  const TempFolder here;
  for (const char* arguments : {"", "fly", "sample", "sample giraffe", "sample unicorn -o u.glb", "inspect",
                                "render --width", "deform x.glb", "sample giraffe -o out.glb --threads -3",
                                "sample giraffe -o out.glb --no-such-option", "sample giraffe -o nowhere/out.glb",
                                "sample giraffe -o .", "sample giraffe -o out.xyz", "demo --only unicorn"}) {
    expect_refused(run_isochor(here, arguments), arguments);
  }
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
  EXPECT_FALSE(std::filesystem::exists(here / "isochor-demo"));
}

// A sample as GLB and as OBJ with its rig holds the same character.
TEST(Cli, SampleAsGlbAndObj) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample giraffe -o g.glb --report s.json").code, 0);
  ASSERT_EQ(run_isochor(here, "sample giraffe -o g.obj").code, 0);
  EXPECT_TRUE(std::filesystem::exists(here / "g_rig.txt"));
  const auto report = read_json(here / "s.json");
  EXPECT_EQ(report["command"], "sample");
  const auto ran = run_isochor(here, "compare g.glb g.obj --skeleton-b g_rig.txt --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto compared = nlohmann::json::parse(ran.out);
  EXPECT_LT(compared["shape"]["max_distance"].get<double>(), 1e-6);
  EXPECT_LT(compared["weights"]["l1_max"].get<double>(), 1e-5);
  EXPECT_EQ(compared["weights"]["precision"], 1.0);
}

// inspect reports the fields that other tools rely on.
TEST(Cli, InspectFields) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample knight -o k.glb").code, 0);
  const auto ran = run_isochor(here, "inspect k.glb --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_GT(json["vertices"], 1000);
  for (const char* field : {"triangles", "quads", "polygons"}) EXPECT_TRUE(json["faces"].contains(field));
  EXPECT_GT(json["faces"]["quads"], 100) << "polygons survive the way through glTF";
  ASSERT_GT(json["components"].size(), 5u);
  for (const char* field : {"vertices", "closed", "oriented", "volume"})
    EXPECT_TRUE(json["components"][0].contains(field));
  EXPECT_GT(json["joints"], 10);
  EXPECT_GE(json["clips"].size(), 3u);
  std::vector<std::string> codes;
  for (const auto& problem : json["problems"]) codes.push_back(problem["code"]);
  for (const char* code : {"boundary-edges", "non-manifold-edges", "duplicate-faces"}) {
    EXPECT_NE(std::find(codes.begin(), codes.end(), code), codes.end()) << code;
  }
}

// A character equals itself; a different pose of it does not.
TEST(Cli, CompareSelfIsZero) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0);
  const auto self = nlohmann::json::parse(run_isochor(here, "compare c.glb c.glb --json").out);
  EXPECT_EQ(self["shape"]["max_distance"], 0.0);
  EXPECT_EQ(self["weights"]["l1_mean"], 0.0);
  ASSERT_FALSE(self["clips"].empty());
  EXPECT_EQ(self["clips"][0]["max_distance"], 0.0);
  EXPECT_GT(self["clips"][0]["max_volume_change"]["a"], 0.01) << "linear blend skinning loses volume in a bend";
  ASSERT_EQ(run_isochor(here, "deform c.glb -o bent.glb --clip bend --time 1").code, 0);
  const auto bent = nlohmann::json::parse(run_isochor(here, "compare c.glb bent.glb --json").out);
  EXPECT_GT(bent["shape"]["max_distance"], 0.05);
}

// Weights are measured by themselves and against each other; a rig beside an OBJ is as good as a GLB, and the clips of
// the one play the weights of both.
TEST(Cli, CompareWeights) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample elephant -o e.glb").code, 0);
  ASSERT_EQ(run_isochor(here, "sample elephant -o e.obj").code, 0);
  const auto ran = run_isochor(here, "compare e.obj e.glb --skeleton e_rig.txt --moments 3 --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto w = nlohmann::json::parse(ran.out)["weights"];
  EXPECT_LT(w["l1_max"], 1e-5);
  EXPECT_LT(w["pruned"]["l1_max"], 1e-3);
  EXPECT_GT(w["pruned"]["vertices"], 1000);
  EXPECT_GT(w["smoothness"]["a"], 0.001);
  EXPECT_NEAR(w["smoothness"]["a"].get<double>(), w["smoothness"]["b"].get<double>(), 1e-3);
  EXPECT_NEAR(w["bleed"]["a"]["mean"].get<double>(), w["bleed"]["b"]["mean"].get<double>(), 1e-5);
  EXPECT_EQ(w["symmetry"]["a"]["axis"], "x");
  EXPECT_LT(w["symmetry"]["b"]["max"], 1e-4) << "the sample is symmetric";
  EXPECT_EQ(w["influences"]["b"]["histogram"].size(), 5u) << "up to four";
  ASSERT_FALSE(w["position_error"].is_null());
  EXPECT_LT(w["position_error"]["max"], 1e-5);
  const auto text = run_isochor(here, "compare e.glb e.glb --moments 2");
  EXPECT_NE(text.out.find("mean L1"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("bleed"), std::string::npos);
}

// Other weights on the same shape and motion are seen, and their error is in the range of the motion.
TEST(Cli, CompareSeesOtherWeights) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.obj").code, 0);
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0);
  std::istringstream rig(test::read_text(here / "c_rig.txt"));
  std::string all_on_first, line;
  while (std::getline(rig, line)) {
    const bool is_skin = line.rfind("skin", 0) == 0;
    const auto vertex = line.substr(0, line.find(' ', 5));
    all_on_first += (is_skin ? vertex + " Bone1 1" : line) + "\n";
  }
  test::write_text(here / "stiff.txt", all_on_first);
  const auto w = nlohmann::json::parse(
      run_isochor(here, "compare c.obj c.glb --skeleton stiff.txt --moments 5 --json").out)["weights"];
  EXPECT_GT(w["l1_mean"], 0.5);
  EXPECT_LT(w["recall"], 0.8);
  EXPECT_EQ(w["influences"]["a"]["mean"], 1.0);
  EXPECT_GT(w["position_error"]["max"], 0.1);
  EXPECT_GT(w["smoothness"]["b"], w["smoothness"]["a"]);
}

// render writes a PNG of the size asked for, the same bytes for one and two threads.
TEST(Cli, RenderWritesPng) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0);
  for (const char* extra : {"", "--wireframe --bones", "--clip bend --frames 3", "--views front,left", "--section x",
                            "--bind-pose", "--clip twist --time 0.5 --deformer dqs", "--weights '*'", "--weights Bone2",
                            "--voxels all --section x --resolution 16 --bones",
                            "--voxels cells --resolution 32 --wireframe", "--voxels bones --resolution 16",
                            "--distance Bone1 --resolution 16", "--distance Bone2 --section z --resolution 16"}) {
    const auto ran =
        run_isochor(here, "render c.glb -o p.png --width 64 --height 48 --samples 2 " + std::string(extra));
    ASSERT_EQ(ran.code, 0) << extra << ran.err;
    EXPECT_EQ(test::read_text(here / "p.png").substr(1, 3), "PNG");
  }
  ASSERT_EQ(run_isochor(here, "render c.glb -o 1.png --width 64 --height 48 --threads 1").code, 0);
  ASSERT_EQ(run_isochor(here, "render c.glb -o 2.png --width 64 --height 48 --threads 2").code, 0);
  EXPECT_EQ(test::read_text(here / "1.png"), test::read_text(here / "2.png"));
}

// A joint's weights are shown; a joint that is not there, and a view that is not there, are refused.
TEST(Cli, RenderWeights) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample elephant -o e.glb").code, 0);
  const auto parts = run_isochor(here, "render e.glb -o w.png --width 64 --height 64 --samples 1 --weights Nobody");
  expect_refused(parts, "weights of nobody");
  for (const char* arguments :
       {"--weights 'X*'", "--views inside", "--voxels some", "--voxels all --resolution 100", "--distance Nobody",
        "--voxels all --weights Head", "--voxels all --section x --views front,left"}) {
    expect_refused(run_isochor(here, "render e.glb -o w.png " + std::string(arguments)), arguments);
  }
  EXPECT_FALSE(std::filesystem::exists(here / "w.png"));
}

// The demo writes a GLB, pictures and a page for a character.
TEST(Cli, Demo) {
  const TempFolder here;
  const auto ran = run_isochor(here, "demo -o d --only cylinder --samples 1 --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const char* file : {"cylinder.glb", "cylinder.png", "cylinder-bound.glb", "cylinder-bound.png",
                           "cylinder-bend.png", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(here.path() / "d" / file)) << file;
  }
  const std::string page = test::read_text(here.path() / "d" / "report.html");
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("cylinder-bend.png"), std::string::npos);
  const auto character = read_json(here / "r.json")["characters"][0];
  EXPECT_EQ(character["name"], "cylinder");
  EXPECT_EQ(character["binding"]["bound"], character["binding"]["vertices"]);
}

// --quiet prints nothing at all where all is well.
TEST(Cli, Quiet) {
  const TempFolder here;
  const auto ran = run_isochor(here, "sample cylinder -o c.glb --quiet");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
}

}  // namespace
}  // namespace isochor
