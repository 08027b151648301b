#include "isochor/io/rig_txt.h"

#include <cmath>

#include "helpers.h"
#include "isochor/base/error.h"
#include "isochor/deform/skinning.h"
#include "isochor/io/obj.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::expect_no_error;
using test::shared_data;
using test::TempFolder;

std::string rig_refusal(std::string_view text) {
  try {
    parse_rig_txt(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const char* const kRig = R"(# children before parents, rows out of order
joints hand 0 2 0.1
joints arm 0.1 1 0
root arm
hier arm hand
skin 2 hand 0.75 arm 0.25
skin 0 arm 1
)";

Character square() { return parse_obj("v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4\n"); }

// Joints come parents first, rows in the order of their vertices.
TEST(RigTxt, Reads) {
  const RigText rig = parse_rig_txt(kRig);
  EXPECT_EQ(rig.names, (std::vector<std::string>{"arm", "hand"}));
  EXPECT_EQ(rig.parents, (std::vector<Index>{kNone, 0}));
  EXPECT_EQ(rig.positions[1], Vec3(0, 2, 0.1));
  EXPECT_EQ(rig.vertices, (std::vector<Index>{0, 2}));
  EXPECT_EQ(rig.weights.row(1)[0], (Influence{1, 0.75}));
  const Skeleton skeleton = to_skeleton(rig);
  EXPECT_TRUE(global_transforms(skeleton, rest_pose(skeleton))[1].translation().isApprox(Vec3(0, 2, 0.1)));
}

// What is written reads back the same, to the last bit.
TEST(RigTxt, RoundTripIsExact) {
  RigText rig = parse_rig_txt(kRig);
  rig.positions[0] = {1.0 / 3.0, 1e-300, -0.1};
  rig.weights.influences[0].weight = std::nextafter(1.0, 0.0);
  EXPECT_EQ(parse_rig_txt(format_rig_txt(rig)), rig);
  TempFolder folder;
  write_rig_txt(folder / "rig.txt", rig);
  EXPECT_EQ(read_rig_txt(folder / "rig.txt"), rig);
}

// Broken files are refused with the line's number.
TEST(RigTxt, RefusesBrokenFiles) {
  EXPECT_NE(rig_refusal("").find("no joint"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0\n").find("line 1"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 nan\n").find("not finite"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\njoints a 0 0 0\n").find("line 2"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\nhier a b\n").find("no joint \"b\""), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\nroot b\n").find("line 2"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\nskin -1 a 1\n").find("vertex index"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\nskin 0 a\n").find("weight"), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\nskin 0 a x\n").find("\"x\""), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\nsink 0 a 1\n").find("\"sink\""), std::string::npos);
  EXPECT_NE(rig_refusal("joints a 0 0 0\njoints b 0 0 0\nhier a b\nhier b a\n"), "");
  EXPECT_NE(rig_refusal("joints a 0 0 0\njoints b 0 0 0\njoints c 0 0 0\nhier a b\nhier c b\n").find("already"),
            std::string::npos);
}

// A file cut off anywhere is read or refused, never worse.
TEST(RigTxt, TruncatedAnywhere) {
  const std::string text = kRig;
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      parse_rig_txt(std::string_view(text).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// Attached weights fit the part by vertex number; vertices that the rig does not name follow the root, with a warning.
TEST(RigTxt, Attaches) {
  Character character = square();
  attach(parse_rig_txt(kRig), character);
  const Part& part = character.parts[0];
  ASSERT_TRUE(part.skinned());
  ASSERT_EQ(part.weights.vertex_count(), 4U);
  EXPECT_EQ(part.weights.row(2)[0], (Influence{1, 0.75}));
  EXPECT_EQ(part.weights.row(1)[0], (Influence{0, 1.0}));
  ASSERT_EQ(character.problems.size(), 1U);
  EXPECT_EQ(character.problems[0].code, "weights-missing");
  expect_no_error(character);
  // At rest nothing moves.
  const PosedPart posed = pose_part(character, part, rest_pose(character.skeleton), Deformer::lbs, Context());
  for (std::size_t v = 0; v < 4; ++v) EXPECT_TRUE(posed.positions[v].isApprox(part.surface.positions[v], 1e-15));
}

// A rig for another mesh is refused, and so is a second skeleton.
TEST(RigTxt, RefusesToAttach) {
  Character character = square();
  EXPECT_THROW(attach(parse_rig_txt("joints a 0 0 0\nskin 4 a 1\n"), character), Error);
  EXPECT_THROW(attach(parse_rig_txt("joints a 0 0 0\nskin 2000000000 a 1\n"), character), Error);
  EXPECT_THROW(attach(parse_rig_txt(kRig), character, 1), Error);
  attach(parse_rig_txt(kRig), character);
  EXPECT_THROW(attach(parse_rig_txt(kRig), character), Error);
}

// A row given twice is put together; NaN weights are repaired and reported.
TEST(RigTxt, RepairsRows) {
  Character character = square();
  attach(parse_rig_txt(
             "joints a 0 0 0\njoints b 0 1 0\nskin 0 a 1\nskin 1 a nan b 1\nskin 0 b 1\nskin 2 a 1\nskin 3 a 1\n"),
         character);
  EXPECT_EQ(character.parts[0].weights.row(0).size(), 2U);
  EXPECT_EQ(character.parts[0].weights.row(1)[0], (Influence{1, 1.0}));
  EXPECT_EQ(character.problems.at(0).code, "skin-rows-repeated");
  expect_no_error(character);
}

// A character gives back the rig that it was given, plain nodes above the joints and blanks in names apart.
TEST(RigTxt, FromCharacter) {
  Character character = square();
  const RigText rig = parse_rig_txt(std::string(kRig) + "skin 1 arm 1\nskin 3 arm 1\n");
  attach(rig, character);
  EXPECT_EQ(to_rig_text(character.skeleton, &character.parts[0]), rig);

  // The same under a scaled armature node: positions are those of the bind pose.
  Character scaled = character;
  Joint armature;
  armature.name = "Armature";
  armature.rest.scale = Vec3::Constant(100);
  armature.deforms = false;
  scaled.skeleton.joints.insert(scaled.skeleton.joints.begin(), armature);
  for (std::size_t j = 1; j < scaled.skeleton.size(); ++j) ++scaled.skeleton.joints[j].parent;
  for (Index& j : scaled.parts[0].skin.joints) ++j;
  scaled.skeleton.joints[1].name = "left arm";
  const RigText back = to_rig_text(scaled.skeleton, &scaled.parts[0]);
  EXPECT_EQ(back.names[0], "left_arm");
  EXPECT_EQ(back.problems.at(0).code, "joints-renamed");
  EXPECT_EQ(back.parents, rig.parents);
  EXPECT_TRUE(back.positions[1].isApprox(rig.positions[1], 1e-12));
  EXPECT_EQ(back.weights, rig.weights);
  RigText blank = rig;
  blank.names[0] = "a b";
  EXPECT_THROW(format_rig_txt(blank), Error);
}

// The real rigs fit their meshes.
TEST(RigTxt, RealFiles) {
  SKIP_WITHOUT_SHARED_DATA();
  const std::array<const char*, 3> files[] = {
      {"rohmer-girafe/rig.txt", "rohmer-girafe/mesh.obj", ""},
      {"rohmer-dragon/rig.txt", "rohmer-dragon/mesh.obj", ""},
      {"rohmer-spot/rig.txt", "rohmer-spot/mesh.obj", ""},
      {"libigl-arm/rig.txt", "libigl-arm/arm.obj", ""},
      {"makehuman/body_rig.txt", "makehuman/body.obj", ""},
      {"makehuman/rig.txt", "makehuman/base.obj", ""},
      {"quaternius-rat/neutral/rig.txt", "quaternius-rat/neutral/mesh.obj", ""},
      {"0ad-elephant-bush/neutral/rig.txt", "0ad-elephant-bush/neutral/mesh.obj", ""}};
  for (const auto& [rig_file, mesh_file, unused] : files) {
    const RigText rig = read_rig_txt(shared_data() / rig_file);
    EXPECT_EQ(parse_rig_txt(format_rig_txt(rig)), rig) << rig_file;
    Character character = read_obj(shared_data() / mesh_file);
    attach(rig, character);
    EXPECT_EQ(rig.vertices.size(), character.parts[0].surface.vertex_count()) << rig_file;
    expect_no_error(character);
  }
}

}  // namespace
}  // namespace isochor
