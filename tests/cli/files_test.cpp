/// What a call reads and what it writes are different files; Ctrl-C leaves neither half.

#include "program.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::read_text;
using test::run_isochor;
using test::TempFolder;

struct Files : testing::Test {
  TempFolder here;

  void SetUp() override {
    ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0);
    ASSERT_EQ(run_isochor(here, "sample cylinder -o c.obj").code, 0);
    test::write_text(here / "pose.json", R"({"joints": {"Bone2": {"rotation": [0, 0, 0, 1]}}})");
    test::write_text(here / "effects.json", R"({"effects": []})");
  }

  /// Refused in one sentence, and every file in the folder is what it was.
  void expect_harmless(const std::string& arguments) {
    const auto before = contents();
    expect_refused(run_isochor(here, arguments), arguments);
    EXPECT_EQ(contents(), before) << arguments;
  }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(here.path())) {
      const std::string name = entry.path().filename().string();
      if (name != ".stdout" && name != ".stderr") out[name] = read_text(entry.path());
    }
    return out;
  }
};

TEST_F(Files, ReportIsNoInput) {
  for (const char* arguments :
       {"inspect c.glb --report c.glb", "inspect c.glb --report ./c.glb",
        "inspect c.obj --skeleton c_rig.txt --report c_rig.txt", "inspect c.obj --report c.mtl",
        "bind c.obj --skeleton c_rig.txt -o o.glb --report c_rig.txt", "bind c.glb -o o.glb --report c.glb",
        "bind c.glb -o c.glb --overwrite --report c.glb", "deform c.glb --pose pose.json -o o.glb --report pose.json",
        "deform c.glb --effects effects.json -o o.glb --report effects.json",
        "deform c.glb --motion c.glb -o o.glb --report c.glb", "compare c.glb c.obj --report c.obj",
        "compare c.glb c.obj --skeleton-b c_rig.txt --report c_rig.txt",
        "render c.glb --pose pose.json -o o.png --report pose.json", "render c.glb -o o.png --report c.glb"}) {
    expect_harmless(arguments);
  }
}

TEST_F(Files, OutputsDiffer) {
  for (const char* arguments :
       {"bind c.glb -o o.glb --report o.glb", "deform c.glb -o o.glb --report o.glb",
        "sample cylinder -o n.obj --report n.obj", "sample cylinder -o n.obj --report n.mtl",
        "sample cylinder -o n.obj --report n_rig.txt", "render c.glb -o o.png --report o.png",
        "compare c.glb c.glb --plot p.html --report p.html", "deform c.glb -o o.pc2 --report o-bend.pc2",
        "demo -o d --only cylinder --report d/report.html", "demo -o dd --only cylinder --report dd",
        "sample cylinder -o g.gltf --report g.bin", "deform c.glb -o g.gltf --report g.bin",
        "deform c.glb -o g.gltf --report g-1.bin",
        "deform c.glb -o o.glb --bake joints --bake-driven o.json --report o.json"}) {
    expect_refused(run_isochor(here, arguments), arguments);
    for (const char* file :
         {"o.glb", "n.obj", "o.png", "p.html", "o-bend.pc2", "d/report.html", "g.gltf", "o.json", "dd"}) {
      EXPECT_FALSE(std::filesystem::exists(here / file)) << arguments;
    }
  }
}

TEST_F(Files, OutputIsNoInput) {
  for (const char* arguments :
       {"bind c.glb -o c.glb", "bind c.obj --skeleton c.glb -o c.glb",
        "bind c.obj --skeleton c.glb -o c.glb --overwrite", "deform c.glb --pose pose.json -o c.glb",
        "deform c.obj --skeleton c_rig.txt --pose pose.json -o c.obj",
        "deform c.obj --skeleton c_rig.txt --motion c.glb -o c.glb --overwrite",
        "compare c.glb c.obj --plot c.html c.html", "deform c.glb -o o.glb --bake joints --bake-driven c.glb",
        "deform c.glb -o o.glb --overwrite --bake joints --bake-driven c.glb",
        "deform c.glb -o o.glb --bake joints --bake-driven pose.txt"}) {
    expect_harmless(arguments);
  }
  // The material library of an input is one too, though its name is given nowhere.
  std::string text = read_text(here / "c.obj");
  text.replace(text.find("c.mtl"), 5, "o.mtl");
  test::write_text(here / "c.obj", text);
  std::filesystem::rename(here / "c.mtl", here / "o.mtl");
  expect_harmless("deform c.obj --skeleton c_rig.txt --pose pose.json -o o.obj");
  EXPECT_EQ(run_isochor(here, "bind c.glb -o c.glb --overwrite").code, 0);
}

// What a .gltf refers to belongs to it.
TEST_F(Files, BuffersAreInputs) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.gltf").code, 0);
  expect_harmless("inspect c.gltf --report c.bin");
  expect_harmless("deform c.gltf -o o.glb --report c.bin");
  const std::string bin = read_text(here / "c.bin");
  EXPECT_EQ(run_isochor(here, "deform c.gltf --clip bend -o o.gltf").code, 0);
  EXPECT_EQ(read_text(here / "c.bin"), bin);
}

// The buffer of a .gltf takes no other document's name, whatever that one is there for; its own is taken again.
TEST_F(Files, ABufferReplacesNoOther) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o o.gltf").code, 0);
  std::filesystem::rename(here / "o.gltf", here / "other.gltf");  // whose buffer is o.bin
  const std::string bin = read_text(here / "o.bin");
  for (const char* arguments : {"bind c.obj --skeleton other.gltf -o o.gltf --resolution 16",
                                "deform c.glb --motion other.gltf -o o.gltf", "sample cylinder3 -o o.gltf"}) {
    const auto ran = run_isochor(here, arguments);
    EXPECT_EQ(ran.code, 0) << arguments << ran.err;
    EXPECT_EQ(read_text(here / "o.bin"), bin) << arguments;
    EXPECT_EQ(run_isochor(here, "inspect other.gltf").code, 0) << arguments;
    EXPECT_EQ(run_isochor(here, "inspect o.gltf").code, 0) << arguments;
  }
  EXPECT_TRUE(std::filesystem::exists(here / "o-1.bin"));
  EXPECT_FALSE(std::filesystem::exists(here / "o-2.bin"));
}

// Whatever a .gltf is that is replaced.
TEST_F(Files, ReplacesAGltfWithoutBuffers) {
  for (const char* text :
       {R"({"asset": {"version": "2.0"}})", R"({"buffers": []})", R"({"buffers": [3]})", "[1, 2]", "{", ""}) {
    test::write_text(here / "e.gltf", text);
    EXPECT_EQ(run_isochor(here, "sample cylinder -o e.gltf").code, 0) << text;
    EXPECT_EQ(run_isochor(here, "inspect e.gltf").code, 0) << text;
  }
}

// An OBJ that is replaced by its own still takes its material library along.
TEST_F(Files, AnObjIsReplacedWithItsMaterials) {
  ASSERT_TRUE(std::filesystem::exists(here / "c.mtl"));
  const auto ran = run_isochor(here, "deform c.obj --skeleton c_rig.txt --pose pose.json -o c.obj --overwrite");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(run_isochor(here, "inspect c.obj").code, 0);
}

// The names of what was written are printed, not the one that they were made from.
TEST_F(Files, NamesThatWereWritten) {
  const auto ran = run_isochor(here, "deform c.glb -o d.pc2");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("d-bend.pc2 written"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("\nd.pc2 written"), std::string::npos) << ran.out;
  EXPECT_TRUE(std::filesystem::exists(here / "d-bend.pc2"));
}

TEST_F(Files, PicturesArePng) {
  for (const char* name : {"x.jpg", "x", "x.png.gz"}) {
    expect_refused(run_isochor(here, "render c.glb -o " + std::string(name)), name);
    EXPECT_FALSE(std::filesystem::exists(here / name));
  }
  EXPECT_EQ(run_isochor(here, "render c.glb -o x.PNG --width 32 --height 32 --samples 1").code, 0);
}

}  // namespace
}  // namespace isochor
