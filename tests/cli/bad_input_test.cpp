/// Broken files: exit code 2, one sentence, no output file.

#include "program.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::run_isochor;
using test::TempFolder;

/// Every command that reads a file refuses it, and writes nothing.
void expect_all_refuse(const TempFolder& here, const std::string& file) {
  for (const std::string& command :
       {"inspect " + file, "bind " + file + " -o out.glb", "deform " + file + " -o out.glb",
        "render " + file + " -o out.png", "compare " + file + " " + file}) {
    expect_refused(run_isochor(here, command), command);
  }
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
  EXPECT_FALSE(std::filesystem::exists(here / "out.png"));
}

// Missing, empty, a folder, of no known kind, without a name.
TEST(BadInput, FilesThatAreNone) {
  const TempFolder here;
  std::filesystem::create_directory(here / "folder.glb");
  for (const char* extension : {"glb", "gltf", "obj", "fbx", "dae", "ply", "stl", "bvh", "tgf", "txt", "xyz"}) {
    test::write_text(here / ("empty." + std::string(extension)), "");
    expect_all_refuse(here, "empty." + std::string(extension));
  }
  for (const char* file : {"missing.glb", "folder.glb", "''"}) expect_all_refuse(here, file);
}

// Garbage under every extension.
TEST(BadInput, Garbage) {
  const TempFolder here;
  std::string garbage;
  for (int i = 0; i < 2000; ++i) garbage += static_cast<char>((i * 7919 + i * i * 31) % 251);
  for (const char* extension : {"glb", "gltf", "obj", "fbx", "dae", "ply", "stl", "bvh", "tgf", "txt"}) {
    const std::string file = "garbage." + std::string(extension);
    test::write_text(here / file, garbage);
    expect_all_refuse(here, file);
  }
}

// A GLB cut off at every 64th byte of its document, and at many places of its buffer.
TEST(BadInput, TruncatedGlb) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0);
  const std::string whole = test::read_text(here / "c.glb");
  for (std::size_t size = 64; size < whole.size(); size += size < 4096 ? 512 : 8192) {
    test::write_text(here / "cut.glb", whole.substr(0, size));
    expect_refused(run_isochor(here, "deform cut.glb -o out.glb"), "cut at " + std::to_string(size));
  }
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
}

// An FBX on which assimp aborts the process that it runs in.
TEST(BadInput, FbxThatBreaksAssimp) {
  const TempFolder here;
  const std::string seed = test::read_text(test::source_folder() / "fuzz/corpus/assimp/assertion.fbx");
  test::write_text(here / "assertion.fbx", seed.substr(1));  // the first byte is for the fuzzer
  expect_all_refuse(here, "assertion.fbx");
}

// A failed run leaves an existing output as it was.
TEST(BadInput, ExistingOutputSurvives) {
  const TempFolder here;
  test::write_text(here / "out.glb", "precious");
  test::write_text(here / "bad.glb", "glTF");
  expect_refused(run_isochor(here, "deform bad.glb -o out.glb"), "bad");
  EXPECT_EQ(test::read_text(here / "out.glb"), "precious");
}

}  // namespace
}  // namespace isochor
