#include "isochor/io/load.h"

#include <gtest/gtest.h>

#include <fstream>

#include "gltf_builder.h"
#include "helpers.h"
#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/gltf_edit.h"
#include "support/data.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::sentence_of;
using test::write_text;

std::string load_sentence(const fs::path& path) {
  Context context;
  return sentence_of([&] { load_character(path, {}, context); });
}

constexpr const char* kTriangleObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
constexpr const char* kRigText =
    "joints hip 0 0 0\njoints knee 0 1 0\nroot hip\nhier hip knee\nskin 0 hip 1\nskin 1 hip 0.5 knee 0.5\nskin 2 knee "
    "1\n";

// A missing file, a directory, an empty file and an unknown kind are one sentence each.
TEST(Load, RefusesWhatCannotBeLoaded) {
  const test::TempFolder folder;
  EXPECT_TRUE(contains(load_sentence(folder / "none.glb"), "no such file"));
  EXPECT_TRUE(contains(load_sentence(folder.path()), "directory"));
  for (const char* name : {"a.glb", "a.gltf", "a.obj", "a.bvh", "a.fbx", "a.xyz"}) {
    write_text(folder / name, "");
    EXPECT_TRUE(contains(load_sentence(folder / name), "it is empty")) << name;
  }
  write_text(folder / "a.xyz", "something");
  EXPECT_TRUE(contains(load_sentence(folder / "a.xyz"), "'.xyz' are not known"));
  write_text(folder / "b.glb", "something");
  EXPECT_FALSE(load_sentence(folder / "b.glb").empty());
}

// A glTF is known by its content under any name, and keeps its document; other kinds go to their readers.
TEST(Load, TellsFilesApart) {
  const test::TempFolder folder;
  Context context;
  write_file_atomically(folder / "character.dat", test::character_document().glb());
  const Loaded loaded = load_character(folder / "character.dat", {}, context);
  EXPECT_TRUE(loaded.as_read);
  EXPECT_EQ(loaded.character.name, "character");
  EXPECT_EQ(loaded.character.parts.size(), 1u);
  write_text(folder / "t.obj", kTriangleObj);
  EXPECT_EQ(load_character(folder / "t.obj", {}, context).character.parts[0].surface.face_count(), 1u);
  EXPECT_FALSE(load_character(folder / "t.obj", {}, context).as_read);
  write_text(folder / "rig.txt", kRigText);
  EXPECT_EQ(load_character(folder / "rig.txt", {}, context).character.skeleton.size(), 2u);
}

// A character is saved by its extension: a glTF with its edits as it is, OBJ, rig.txt; other names are refused.
TEST(Load, SavesByExtension) {
  const test::TempFolder folder;
  Context context;
  write_file_atomically(folder / "in.glb", test::character_document().glb());
  Loaded loaded = load_character(folder / "in.glb", {}, context);
  save_character(loaded, folder / "out.glb", context);
  EXPECT_EQ(read_file(folder / "in.glb"), read_file(folder / "out.glb"));
  for (const char* name : {"fresh.glb", "fresh.gltf", "fresh.obj", "fresh.txt"}) {
    save_character(loaded.character, folder / name, context);
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
  EXPECT_EQ(load_character(folder / "fresh.gltf", {}, context).character.parts[0].weights,
            loaded.character.parts[0].weights);
  EXPECT_TRUE(contains(sentence_of([&] { save_character(loaded, folder / "a.fbx", context); }), "must end in"));
}

// A rig.txt brings skeleton and weights to an OBJ.
TEST(Load, AttachesARigText) {
  const test::TempFolder folder;
  Context context;
  write_text(folder / "t.obj", kTriangleObj);
  write_text(folder / "rig.txt", kRigText);
  Character character = load_character(folder / "t.obj", {}, context).character;
  attach_skeleton(character, folder / "rig.txt", context);
  EXPECT_EQ(character.skeleton.size(), 2u);
  EXPECT_TRUE(character.parts[0].skinned());
  EXPECT_EQ(character.parts[0].weights.row(1).size(), 2u);
}

// The skeleton of a glTF comes after the character's own nodes, which stay as plain ones; the old binding is gone.
TEST(Load, AttachesTheSkeletonOfAGltf) {
  const test::TempFolder folder;
  Context context;
  write_file_atomically(folder / "mesh.glb", test::triangle_document().glb());
  write_file_atomically(folder / "rig.glb", test::character_document().glb());
  Loaded loaded = load_character(folder / "mesh.glb", {}, context);
  attach_skeleton(loaded.character, folder / "rig.glb", context);
  const auto& joints = loaded.character.skeleton.joints;
  ASSERT_EQ(joints.size(), 4u);
  EXPECT_EQ(joints[0].name, "carrier");
  EXPECT_FALSE(joints[0].deforms);
  EXPECT_EQ(joints[1].name, "root");
  EXPECT_EQ(joints[3].name, "knee");
  EXPECT_EQ(joints[3].parent, 2);
  EXPECT_TRUE(joints[3].deforms);
  add_joints(*loaded.as_read, loaded.character.skeleton);
  save_character(loaded, folder / "out.glb", context);
  EXPECT_EQ(load_character(folder / "out.glb", {}, context).character.skeleton.size(), 4u);

  Character bound = load_character(folder / "rig.glb", {}, context).character;
  attach_skeleton(bound, folder / "rig.glb", context);
  EXPECT_FALSE(bound.parts[0].skinned());
  EXPECT_EQ(bound.skeleton.deforming_count(), 2u);
  EXPECT_TRUE(contains(sentence_of([&] { attach_skeleton(bound, folder / "mesh.glb", context); }), "no skeleton"));
}

// Every file of the real characters that we know by its kind loads, or is refused with one sentence.
TEST(Load, LoadsRealFiles) {
  SKIP_WITHOUT_SHARED_DATA();
  Context context;
  std::size_t loaded = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".glb" && extension != ".bvh" && extension != ".tgf" && extension != ".skel") continue;
    EXPECT_EQ(sentence_of([&] { load_character(entry.path(), {}, context); }), "") << entry.path();
    ++loaded;
  }
  EXPECT_GT(loaded, 20u);
}

// A skeleton from any format attaches to a real mesh.
TEST(Load, AttachesRealSkeletons) {
  SKIP_WITHOUT_SHARED_DATA();
  Context context;
  const fs::path data = test::shared_data();
  Loaded horse = load_character(data / "mesh2motion-horse/model-horse.glb", {}, context);
  attach_skeleton(horse.character, data / "mesh2motion-horse/rig-horse.glb", context);
  EXPECT_EQ(horse.character.skeleton.deforming_count(), 56u);
  Character giraffe = load_character(data / "rohmer-girafe/mesh.obj", {}, context).character;
  attach_skeleton(giraffe, data / "rohmer-girafe/rig.txt", context);
  EXPECT_EQ(giraffe.skeleton.size(), 59u);
  EXPECT_TRUE(giraffe.parts[0].skinned());
}

// A skeleton and its first clip can be saved as BVH; clips that find no room there are named.
TEST(Load, SavesBvh) {
  const test::TempFolder folder;
  Context context;
  Character character;
  character.skeleton.joints = {{.name = "root", .parent = kNone}, {.name = "arm", .parent = 0}};
  const auto slide = [](const char* name, double to) {
    return Clip{name, {{0, ChannelPath::translation, Interpolation::linear, {0, 1}, {0, 0, 0, to, 0, 0}}}};
  };
  character.clips = {slide("first", 3)};
  EXPECT_TRUE(save_character(character, folder / "one.bvh", context).empty());
  character.clips.push_back(slide("second", 5));
  EXPECT_EQ(save_character(character, folder / "two.bvh", context).at(0).code, "bvh-one-clip");
  const Character back = load_character(folder / "two.bvh", {}, context).character;
  ASSERT_EQ(back.skeleton.size(), 2u);
  ASSERT_EQ(back.clips.size(), 1u);
  EXPECT_NEAR(sample(back.clips[0], back.skeleton, back.clips[0].end()).local[0].translation.x(), 3, 1e-5);
  character.clips.clear();
  save_character(character, folder / "still.bvh", context);
  EXPECT_EQ(load_character(folder / "still.bvh", {}, context).character.skeleton.size(), 2u);
}

}  // namespace
}  // namespace isochor
