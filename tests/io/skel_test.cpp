#include "isochor/io/skel.h"

#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::shared_data;

// Joints stand at their positions below their parents, in whatever order they are listed.
TEST(Skel, ReadsSkeleton) {
  const Skeleton skeleton = parse_skel("3\n0 2 0 hand arm\n0 0 0 base root\n0 1 0 arm base\n").skeleton;
  ASSERT_EQ(skeleton.size(), 3U);
  EXPECT_EQ(skeleton.joints[0].name, "base");
  EXPECT_EQ(skeleton.joints[skeleton.find("hand")].parent, skeleton.find("arm"));
  EXPECT_EQ(skeleton.joints[skeleton.find("hand")].rest.translation, Vec3(0, 1, 0));
}

// Broken files are refused.
TEST(Skel, RefusesBrokenFiles) {
  for (const char* text :
       {"", "0", "x", "1\n0 0", "1\n0 0 0 a", "2\n0 0 0 a root\n", "1\n0 0 0 a b\n", "1\n0 0 inf a root\n",
        "2\n0 0 0 a b\n0 0 0 b a\n", "2\n0 0 0 a root\n0 0 0 a root\n", "999999999999\n0 0 0 a root\n"}) {
    EXPECT_THROW(parse_skel(text), Error) << text;
  }
}

// The armadillo's skeleton has forty joints and one root.
TEST(Skel, RealFile) {
  SKIP_WITHOUT_SHARED_DATA();
  const Skeleton skeleton = read_skel(shared_data() / "armadillo/armadillo.skel").skeleton;
  ASSERT_EQ(skeleton.size(), 40U);
  EXPECT_EQ(skeleton.joints[skeleton.find("l_thumb")].parent, skeleton.find("l_wrist"));
}

}  // namespace
}  // namespace isochor
