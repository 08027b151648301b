#include "isochor/io/tgf.h"

#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::shared_data;

std::string tgf_refusal(std::string_view text) {
  try {
    parse_tgf(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Vertices are joints at their positions, edges give the hierarchy, further columns and sections do not count.
TEST(Tgf, ReadsSkeleton) {
  const Character character = parse_tgf("  1 0 0 0 junk 4e-323\n2 0 1 0\r\n7 0 2 1\n#\n1 2 0 1\n2 7\n#\n1 1\n");
  const Skeleton& skeleton = character.skeleton;
  ASSERT_EQ(skeleton.size(), 3U);
  EXPECT_EQ(skeleton.joints[2].name, "joint7");
  EXPECT_EQ(skeleton.joints[2].parent, 1);
  EXPECT_EQ(skeleton.joints[2].rest.translation, Vec3(0, 1, 1));
  EXPECT_FALSE(skeleton.joints[2].tail.has_value());
  EXPECT_TRUE(validate(skeleton).empty());
}

// Children may come before parents in the file, trees may be several, and an edge may point the wrong way.
TEST(Tgf, AnyForest) {
  const Skeleton skeleton = parse_tgf("1 0 0 0\n2 0 1 0\n3 5 0 0\n4 5 1 0\n5 9 9 9\n#\n2 1\n3 4\n5 4\n").skeleton;
  ASSERT_EQ(skeleton.size(), 5U);
  EXPECT_EQ(skeleton.joints[skeleton.find("joint1")].parent, skeleton.find("joint2"));
  EXPECT_EQ(skeleton.joints[skeleton.find("joint4")].parent, skeleton.find("joint3"));
  EXPECT_EQ(skeleton.joints[skeleton.find("joint5")].parent, skeleton.find("joint4"));
  const auto global = global_transforms(skeleton, rest_pose(skeleton));
  EXPECT_TRUE(global[skeleton.find("joint5")].translation().isApprox(Vec3(9, 9, 9)));
}

// Cycles, unknown ids and broken numbers are refused with the line's number.
TEST(Tgf, RefusesBrokenFiles) {
  EXPECT_NE(tgf_refusal("").find("no vertex"), std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 0 0\n2 0 0 0\n3 0 0 0\n#\n1 2\n2 3\n3 1\n").find("line 7: the edge closes a cycle"),
            std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 0 0\n#\n1 1\n").find("cycle"), std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 0 0\n#\n1 2\n").find("vertex 2"), std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 0\n").find("too few"), std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 nan 0\n").find("not finite"), std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 0 0\n1 0 0 0\n").find("twice"), std::string::npos);
  EXPECT_NE(tgf_refusal("x 0 0 0\n").find("\"x\""), std::string::npos);
  EXPECT_NE(tgf_refusal("1 0 0 0\n#\n1\n").find("line 3"), std::string::npos);
}

// The real skeletons have their joints in one tree each.
TEST(Tgf, RealFiles) {
  SKIP_WITHOUT_SHARED_DATA();
  const std::pair<const char*, std::size_t> files[] = {
      {"libigl-arm/arm.tgf", 5}, {"libigl-elephant/elephant.tgf", 25}, {"libigl-hand/hand.tgf", 21}};
  for (const auto& [file, joints] : files) {
    const Skeleton skeleton = read_tgf(shared_data() / file).skeleton;
    EXPECT_EQ(skeleton.size(), joints) << file;
    for (std::size_t j = 1; j < joints; ++j) EXPECT_NE(skeleton.joints[j].parent, kNone) << file;
  }
}

}  // namespace
}  // namespace isochor
