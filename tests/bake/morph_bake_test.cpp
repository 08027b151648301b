#include "isochor/bake/morph_bake.h"

#include <gtest/gtest.h>

#include "isochor/mesh/volume.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

// A few targets with their weights show every frame within the tolerance, and the volume better than that.
TEST(MorphBake, FewTargetsHoldTheVolume) {
  const Character character = make_sample("cylinder");
  const WeldedCharacter welded(character);
  Context context(1);
  const HeldMotion motion = hold_volume(welded, {}, context);
  ASSERT_TRUE(moves(motion, 0));
  const MorphBasisOptions options;
  const auto bases = morph_bases(motion, welded, options, context);
  ASSERT_EQ(bases.size(), 1u);
  ASSERT_TRUE(bases[0].has_value());
  const MorphBasis& basis = *bases[0];
  EXPECT_LT(basis.targets.size(), motion.frame_count());
  EXPECT_EQ(basis.weights.rows(), static_cast<Eigen::Index>(motion.frame_count()));
  EXPECT_GE(basis.weights.minCoeff(), 0);
  EXPECT_EQ(basis.targets[0].name, "isochor.0");
  const double size = bounding_box(welded.surface().positions).diagonal().norm();
  Eigen::Index row = 0;
  for (const HeldClip& clip : motion.clips) {
    for (const HeldFrame& frame : clip.frames) {
      PosedSkin posed;
      pose_skin(welded, sample(character.clips[clip.clip], character.skeleton, frame.time), Deformer::lbs, posed,
                context);
      for (std::size_t t = 0; t < basis.targets.size(); ++t) {
        const double weight = basis.weights(row, static_cast<Eigen::Index>(t));
        for (std::size_t v = 0; v < posed.positions.size(); ++v) {
          const PartVertex file = welded.whole().first_vertex(static_cast<Index>(v));
          posed.positions[v] += weight * (posed.maps[v].leftCols<3>() * basis.targets[t].positions[file.vertex]);
        }
      }
      for (std::size_t v = 0; v < posed.positions.size(); ++v) {
        const PartVertex file = welded.whole().first_vertex(static_cast<Index>(v));
        const Vec3 wanted = frame.parts[0].positions[file.vertex].cast<double>();
        EXPECT_LT((posed.positions[v] - wanted).norm(), 3 * options.tolerance * size);
      }
      const double volume = signed_volume(welded.surface(), welded.topology().components[0], posed.positions);
      EXPECT_LT(relative_volume_error(volume, frame.volumes[0]), 1e-6);
      ++row;
    }
  }
}

// One target for each frame, named after its clip; a motion that moves nothing has none.
TEST(MorphBake, FrameTargets) {
  const Character character = make_sample("cylinder");
  const WeldedCharacter welded(character);
  Context context(1);
  const HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
  const auto targets = frame_targets(motion.clips[0], welded, 0);
  ASSERT_EQ(targets.size(), motion.clips[0].frames.size());
  EXPECT_EQ(targets[1].name, character.clips[0].name + ".1");
  EXPECT_EQ(targets[1].positions.size(), character.parts[0].surface.vertex_count());
  HeldMotion still = motion;
  for (HeldFrame& frame : still.clips[0].frames) frame.parts[0].offsets = {};
  EXPECT_FALSE(moves(still, 0));
  EXPECT_FALSE(morph_bases(still, welded, {}, context)[0].has_value());
}

}  // namespace
}  // namespace isochor
