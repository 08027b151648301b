#include "isochor/sample/sample.h"

#include <gtest/gtest.h>

#include <set>

#include "sample/checks.h"

namespace isochor {
namespace {

// Every listed sample can be made, has its name, clips and materials, and is valid.
TEST(Sample, AllCanBeMade) {
  std::set<std::string> names;
  for (const SampleInfo& info : samples()) {
    SCOPED_TRACE(info.name);
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_EQ(info.description.back(), '.');
    const Character character = make_sample(info.name);
    EXPECT_EQ(character.name, info.name);
    EXPECT_GE(character.clips.size(), 2u);
    EXPECT_FALSE(character.materials.empty());
    test::expect_no_errors(character);
    for (const Part& part : character.parts) {
      EXPECT_EQ(part.normals.size(), part.surface.vertex_count());
      for (const Index material : part.face_material)
        ASSERT_LT(material, static_cast<Index>(character.materials.size()));
    }
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"cylinder", "cylinder3", "giraffe", "elephant", "knight", "mouth", "shoulder"}));
}

// The same bits come out twice, and with one thread or two.
TEST(Sample, IsDeterministic) {
  const Context one(1);
  const Context two(2);
  for (const SampleInfo& info : samples()) {
    SCOPED_TRACE(info.name);
    const Character first = make_sample(info.name, {}, one);
    test::expect_same_bits(first, make_sample(info.name, {}, one));
    test::expect_same_bits(first, make_sample(info.name, {}, two));
  }
}

// At rest every skinned part is where it was modelled.
TEST(Sample, RestPoseIsTheBindPose) {
  for (const SampleInfo& info : samples()) {
    const Character character = make_sample(info.name);
    for (const Part& part : character.parts) {
      if (!part.skinned()) continue;
      const std::vector<Vec3> rest = test::posed(character, part, rest_pose(character.skeleton));
      for (std::size_t v = 0; v < rest.size(); ++v) ASSERT_LT((rest[v] - part.surface.positions[v]).norm(), 1e-12);
    }
  }
}

// "cylinder3" has three bones, whatever the options say; the other options reach the cylinder.
TEST(Sample, PassesOptionsOn) {
  SampleOptions options;
  options.cylinder.bones = 5;
  options.cylinder.segments = 8;
  options.cylinder.rings = 10;
  options.cylinder.rounding = 0;
  const Character cylinder = make_sample("cylinder3", options);
  EXPECT_EQ(cylinder.skeleton.size(), 3u);
  EXPECT_EQ(cylinder.vertex_count(), 82u);
}

// An unknown name is refused with the names that exist.
TEST(Sample, RefusesUnknownNames) {
  try {
    make_sample("unicorn");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    for (const SampleInfo& info : samples()) EXPECT_NE(std::string(error.what()).find(info.name), std::string::npos);
  }
}

}  // namespace
}  // namespace isochor
