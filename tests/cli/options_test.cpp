/// Options that make no sense are refused, whichever they are; none is silently passed over.

#include <regex>
#include <set>
#include <sstream>

#include "program.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::run_isochor;
using test::TempFolder;

struct Options : testing::Test {
  TempFolder here;

  void SetUp() override {
    ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb --segments 8 --rings 9").code, 0);
    ASSERT_EQ(run_isochor(here, "sample cylinder -o c.obj --segments 8 --rings 9").code, 0);
  }

  /// The options of a command that take a number, from its help.
  std::set<std::string> numeric_options(const std::string& command) const {
    const std::string help = run_isochor(here, command + " --help-all").out;
    std::set<std::string> found;
    static const std::regex kOption(R"((--[a-z-]+) (N|T|E|S|N\|auto)( |\n))");
    for (std::sregex_iterator it(help.begin(), help.end(), kOption), end; it != end; ++it) found.insert((*it)[1]);
    return found;
  }
};

// Not a number, infinite, text, and far beyond any range: exit code 2 and one sentence; other values that are refused
// name the range. The report of what was accepted holds no number that is not one.
TEST_F(Options, NumbersThatMakeNoSense) {
  const std::map<std::string, std::string> commands = {{"sample", "sample cylinder -o o.glb"},
                                                       {"inspect", "inspect c.glb"},
                                                       {"bind", "bind c.glb -o o.glb"},
                                                       {"deform", "deform c.glb -o o.glb --clip bend"},
                                                       {"compare", "compare c.glb c.glb"},
                                                       {"render", "render c.glb -o o.png"},
                                                       {"demo", "demo -o demo"}};
  for (const auto& [command, call] : commands) {
    const auto options = numeric_options(command);
    EXPECT_TRUE(options.count("--threads")) << command;
    for (const std::string& option : options) {
      for (const char* value : {"nan", "-inf", "x", "''", "1e300"}) {
        if (test::kSanitized && *value != 'n' && *value != '1') continue;
        const std::string what = call + " " + option + " " + value;
        const auto ran = run_isochor(here, what);
        expect_refused(ran, what);
        EXPECT_EQ(ran.err.find("1.79769"), std::string::npos) << ran.err;
        const bool says_which =
            ran.err.find(option) != std::string::npos || ran.err.find("the clip bend") != std::string::npos;
        EXPECT_TRUE(says_which) << ran.err;
      }
    }
  }
  EXPECT_FALSE(std::filesystem::exists(here / "o.glb"));
}

TEST_F(Options, WrongCommand) {
  const auto ran = run_isochor(here, "deforme c.glb -o o.glb");
  expect_refused(ran, "deforme");
  EXPECT_NE(ran.err.find("deforme"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("bind"), std::string::npos) << "the commands are named: " << ran.err;
}

// Angles choose the view that they are for; beside another view they are refused.
TEST_F(Options, CameraAngles) {
  const std::string small = " --width 48 --height 48 --samples 1";
  ASSERT_EQ(run_isochor(here, "render c.glb -o a.png --azimuth 77" + small).code, 0);
  ASSERT_EQ(run_isochor(here, "render c.glb -o b.png --view custom --azimuth 77" + small).code, 0);
  ASSERT_EQ(run_isochor(here, "render c.glb -o c.png" + small).code, 0);
  EXPECT_EQ(test::read_text(here / "a.png"), test::read_text(here / "b.png"));
  EXPECT_NE(test::read_text(here / "a.png"), test::read_text(here / "c.png"));
  expect_refused(run_isochor(here, "render c.glb -o d.png --view front --azimuth 77"), "view and angle");
  expect_refused(run_isochor(here, "render c.glb -o d.png --views front,left --elevation 7"), "views and angle");
}

// With several views the angles are those of the custom one among them.
TEST_F(Options, CameraAnglesAmongViews) {
  const std::string small = " --width 48 --height 48 --samples 1";
  ASSERT_EQ(run_isochor(here, "render c.glb -o a.png --azimuth 77 --views front,custom" + small).code, 0);
  ASSERT_EQ(run_isochor(here, "render c.glb -o b.png --azimuth 10 --views front,custom" + small).code, 0);
  EXPECT_NE(test::read_text(here / "a.png"), test::read_text(here / "b.png"));
}

// What would do nothing is refused, and so is a value that an unset variable of a shell has left empty.
TEST_F(Options, WithoutEffect) {
  for (const char* arguments :
       {"render c.glb -o o.png --frames 3 --time 1", "render c.glb -o o.png --frames 3 --bind-pose",
        "render c.glb -o o.png --section-position 0.2", "render c.glb -o o.png --wire-width 2",
        "render c.glb -o o.png --bone-opacity 0.5", "render c.glb -o o.png --view front --views back",
        "deform c.glb -o o.glb --bake frames --bake-targets 3", "deform c.glb -o o.pc2 --bake-tolerance 0.1",
        "sample elephant -o o.glb --radius 0.3", "sample cylinder -o o.glb --refinement 1",
        "deform c.glb -o o.glb --motion ''", "deform c.glb -o o.glb --effects ''",
        "bind c.glb -o o.glb --exclude ''"}) {
    expect_refused(run_isochor(here, arguments), arguments);
    EXPECT_FALSE(std::filesystem::exists(here / "o.glb") || std::filesystem::exists(here / "o.png")) << arguments;
  }
}

TEST_F(Options, WholeNumbers) {
  for (const char* option : {"--threads", "--influences"}) {
    const auto ran = run_isochor(here, "bind c.glb -o o.glb " + std::string(option) + " 2.5");
    expect_refused(ran, option);
    EXPECT_NE(ran.err.find("whole number"), std::string::npos) << ran.err;
  }
}

// Options before a command are named, and a slip in one points to the command's own help.
TEST_F(Options, BeforeACommand) {
  const auto ran = run_isochor(here, "--foo");
  expect_refused(ran, "--foo");
  EXPECT_NE(ran.err.find("--foo"), std::string::npos) << ran.err;
  EXPECT_NE(run_isochor(here, "bind c.glb -o o.glb --hlp").err.find("isochor bind --help"), std::string::npos);
}

// Names of joints are what other options ask for.
TEST_F(Options, InspectListsJoints) {
  const auto ran = run_isochor(here, "inspect c.glb --verbose --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("  Bone2\n"), std::string::npos) << ran.out;
  EXPECT_EQ(run_isochor(here, "inspect c.glb").out.find("Bone2"), std::string::npos);
  const auto names = test::read_json(here / "r.json")["joint_names"];
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[1]["parent"], names[0]["name"]);
}

// A mesh far from all joints is somebody else's, or in other units: every method says so.
TEST_F(Options, JointsFarAway) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o far.obj").code, 0);
  std::string text, line;
  std::istringstream lines(test::read_text(here / "far.obj"));
  while (std::getline(lines, line)) text += (line.starts_with("v ") ? "v 1e6 " + line.substr(2) : line) + "\n";
  text = std::regex_replace(text, std::regex("v 1e6 \\S+ "), "v 1e6 ");
  test::write_text(here / "far.obj", text);
  for (const char* method : {"auto", "heat", "distance"}) {
    const auto ran = run_isochor(here, "bind far.obj --skeleton far_rig.txt -o o.glb --method " + std::string(method));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("times the mesh's size away"), std::string::npos) << method << ran.out;
  }
  expect_refused(run_isochor(here, "bind far.obj --skeleton far_rig.txt -o p.glb --method gvb"), "far");
}

TEST_F(Options, PatternsThatFitNothing) {
  const auto ran = run_isochor(here, "bind c.glb -o o.glb --exclude 'Twist*'");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("Twist*"), std::string::npos) << ran.out;
  expect_refused(run_isochor(here, "bind c.glb -o p.glb --exclude Bone7"), "no such joint");
}

// The same shape and skeleton get the same voxels, whatever file they come from.
TEST_F(Options, AutomaticResolutionIsOfTheShape) {
  for (const char* name : {"elephant", "cylinder", "giraffe"}) {
    const std::string sample = "sample " + std::string(name);
    ASSERT_EQ(run_isochor(here, sample + " -o s.glb").code, 0);
    ASSERT_EQ(run_isochor(here, sample + " -o s.obj").code, 0);
    ASSERT_EQ(run_isochor(here, "bind s.glb -o a.glb --method gvb --report a.json").code, 0);
    ASSERT_EQ(run_isochor(here, "bind s.obj --skeleton s_rig.txt -o b.glb --method gvb --report b.json").code, 0);
    EXPECT_EQ(test::read_json(here / "a.json")["resolution"], test::read_json(here / "b.json")["resolution"]) << name;
  }
}

}  // namespace
}  // namespace isochor
