/// Options that make no sense are refused, whichever they are; none is silently passed over.

#include <regex>
#include <set>

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
