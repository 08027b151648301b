#include <gtest/gtest.h>

#include <filesystem>

#include "gltf_reference.h"
#include "isochor/deform/skinning.h"
#include "isochor/io/gltf_read.h"
#include "support/data.h"
#include "support/files.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;

struct Difference {
  double largest = 0;
  std::size_t compared = 0;
};

/// Our skinning against the specification's formula, in one pose.
void compare(const GltfCharacter& ours, const test::GltfReference& theirs, const Pose& pose,
             const test::GltfReference::Overrides& over, Difference& difference) {
  const Context context(1);
  for (std::size_t p = 0; p < ours.character.parts.size(); ++p) {
    const Part& part = ours.character.parts[p];
    const PosedPart posed = pose_part(ours.character, part, pose, Deformer::lbs, context);
    for (const GltfPrimitiveSource& primitive : ours.map.parts[p].primitives) {
      const auto expected = theirs.pose(ours.map.parts[p].node, static_cast<std::size_t>(primitive.primitive), over);
      ASSERT_EQ(static_cast<Index>(expected.size()), primitive.vertex_count);
      Box box;
      for (const Vec3& x : expected) {
        if (x.allFinite()) box.extend(x);
      }
      const double size = box.diagonal().norm();
      for (std::size_t v = 0; v < expected.size(); ++v) {
        if (!expected[v].allFinite()) continue;
        const Vec3& x = posed.positions[static_cast<std::size_t>(primitive.first_vertex) + v];
        difference.largest = std::max(difference.largest, (x - expected[v]).norm() / size);
        ++difference.compared;
      }
    }
  }
}

// Every real character loads, and our LBS equals the specification's formula within 1e-6 of its box in all its clips.
TEST(GltfRead, SkinsRealCharactersByTheSpecification) {
  SKIP_WITHOUT_SHARED_DATA();
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    if (entry.path().extension() != ".glb") continue;
    const bool skeleton_alone = entry.path().filename().string().rfind("rig-", 0) == 0;
    const auto document = GltfDocument::open(entry.path());
    const GltfCharacter ours = read_gltf(document, {.require_triangles = !skeleton_alone});
    const test::GltfReference theirs(test::read_bytes(entry.path()));
    if (skeleton_alone) {
      EXPECT_GT(ours.character.skeleton.deforming_count(), 40u);
      continue;
    }
    Difference difference;
    compare(ours, theirs, rest_pose(ours.character.skeleton), {}, difference);
    for (std::size_t a = 0; a < ours.character.clips.size(); ++a) {
      const double end = theirs.duration(a);
      for (const double share : {0.0, 0.31, 0.777}) {
        const Pose pose = sample(ours.character.clips[a], ours.character.skeleton, end * share);
        compare(ours, theirs, pose, theirs.sample(a, end * share), difference);
      }
    }
    RecordProperty(entry.path().stem().string(), std::to_string(difference.largest * 1e9) + "e-9");
    EXPECT_LT(difference.largest, 1e-6) << entry.path();
    EXPECT_GT(difference.compared, 100u) << entry.path();
    for (const Problem& problem : validate(ours.character)) {
      EXPECT_NE(problem.severity, Severity::error) << entry.path() << ": " << problem.sentence;
    }
  }
}

}  // namespace
}  // namespace isochor
