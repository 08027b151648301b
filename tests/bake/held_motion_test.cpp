#include "isochor/bake/held_motion.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/bind/prepare_medial.h"
#include "isochor/mesh/volume.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct Held : testing::Test {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  Context context{1};

  /// What linear blend skinning makes of a frame's offsets, by vertex of the welded surface.
  std::vector<Vec3> shown(const HeldClip& clip, const HeldFrame& frame) const {
    PosedSkin posed;
    pose_skin(welded, sample(character.clips[clip.clip], character.skeleton, frame.time), Deformer::lbs, posed,
              context);
    for (std::size_t p = 0; p < frame.parts.size(); ++p) {
      const auto offsets = expand(frame.parts[p].offsets, character.parts[p].surface.vertex_count());
      for (std::size_t v = 0; v < offsets.size(); ++v) {
        if (!welded.whole().leads(p, v)) continue;
        const Index w = welded.whole().welded(p, v);
        posed.positions[w] += posed.maps[w].leftCols<3>() * offsets[v];
      }
    }
    return posed.positions;
  }
};

// Every clip, key by key: what the offsets show encloses the volume, to a float's precision, whatever the deformer.
TEST_F(Held, OffsetsHoldTheVolume) {
  const auto medial = std::make_shared<MedialRig>(prepare_medial(welded, {}, context).rig);
  for (const Deformer deformer : {Deformer::lbs, Deformer::dqs, Deformer::medial}) {
    const HeldMotion motion = hold_volume(welded, {.playback = {.deformer = deformer, .medial = medial}}, context);
    ASSERT_EQ(motion.clips.size(), character.clips.size());
    EXPECT_FALSE(motion.shown_by_skinning);
    EXPECT_LT(motion.volume.max_error_after(), 1e-9);
    for (const HeldClip& clip : motion.clips) {
      for (const HeldFrame& frame : clip.frames) {
        const double volume = signed_volume(welded.surface(), welded.topology().components[0], shown(clip, frame));
        EXPECT_LT(relative_volume_error(volume, frame.volumes[0]), 1e-6);
        EXPECT_LT(relative_volume_error(frame.volumes[0], frame.target_volumes[0]), 1e-9);
      }
    }
  }
}

// Times increase, and keys between keys are where they belong; each counts as one frame of the report.
TEST_F(Held, KeysBetweenKeys) {
  HoldOptions few;
  few.between.volume_error = 0;
  HoldOptions many;
  many.between.volume_error = 1e-5;
  const HeldMotion coarse = hold_volume(welded, few, context), fine = hold_volume(welded, many, context);
  EXPECT_FALSE(coarse.between.has_value());
  ASSERT_TRUE(fine.between.has_value());
  EXPECT_GT(fine.between->added.size(), 0u);
  EXPECT_EQ(fine.frame_count(), coarse.frame_count() + fine.between->added.size());
  EXPECT_EQ(fine.volume.frames(), fine.frame_count());
  for (const HeldClip& clip : fine.clips) {
    for (std::size_t k = 1; k < clip.frames.size(); ++k) EXPECT_GT(clip.frames[k].time, clip.frames[k - 1].time);
  }
}

// Some clips alone, at a rate of their own.
TEST_F(Held, ChosenClips) {
  const HeldMotion motion = hold_volume(welded, {.clips = {1}, .fps = 10, .between = {.volume_error = 0}}, context);
  ASSERT_EQ(motion.clips.size(), 1u);
  EXPECT_EQ(motion.clips[0].clip, 1);
  EXPECT_EQ(motion.clips[0].frames.size(), frame_times(character.clips[1], 10).size());
  EXPECT_THROW(hold_volume(welded, {.clips = {99}}, context), Error);
  EXPECT_THROW(hold_volume(welded, {.between = {.volume_error = -1}}, context), Error);
}

// Where nothing is corrected, linear blend skinning shows it all; point caches keep positions alone.
TEST_F(Held, NothingToBake) {
  const HeldMotion plain = hold_volume(welded, {.playback = {.volume = std::nullopt}}, context);
  EXPECT_TRUE(plain.shown_by_skinning);
  EXPECT_GT(plain.volume.frames(), 0u);
  const HeldMotion cache = hold_volume(welded, {.fps = 5, .form = HeldForm::positions}, context);
  for (const HeldFrame& frame : cache.clips[0].frames) {
    EXPECT_EQ(frame.parts[0].positions.size(), character.parts[0].surface.vertex_count());
    EXPECT_TRUE(frame.parts[0].offsets.vertices.empty());
  }
}

// One and several threads give the same frames, to the last bit, with keys between keys and with effects that know the
// past.
TEST_F(Held, SameForAnyNumberOfThreads) {
  for (const JointTreatment treatment : {JointTreatment::together, JointTreatment::sequence}) {
    VolumeSettings settings;
    settings.options.treatment = treatment;
    settings.otherwise = default_effect(Effect::muscle);
    HoldOptions options{.playback = {.volume = settings}};
    options.between.volume_error = 1e-5;
    Context many(4);
    const HeldMotion one = hold_volume(welded, options, context), other = hold_volume(welded, options, many);
    ASSERT_EQ(one.frame_count(), other.frame_count());
    EXPECT_GT(one.between->added.size(), 0u);
    EXPECT_EQ(one.between->added, other.between->added);
    for (std::size_t c = 0; c < one.clips.size(); ++c) {
      for (std::size_t k = 0; k < one.clips[c].frames.size(); ++k) {
        const HeldFrame &a = one.clips[c].frames[k], &b = other.clips[c].frames[k];
        EXPECT_EQ(a.time, b.time);
        EXPECT_EQ(a.volumes, b.volumes);
        EXPECT_EQ(a.parts[0].positions, b.parts[0].positions);
        EXPECT_EQ(a.parts[0].offsets.values, b.parts[0].offsets.values);
        EXPECT_EQ(a.parts[0].normals.values, b.parts[0].normals.values);
      }
    }
  }
}

// Only what is not zero as a float is kept.
TEST(SparseOffsets, ThereAndBack) {
  const std::vector<Vec3> values = {Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(1e-60, 0, 0), Vec3(0, -0.5, 0)};
  const SparseOffsets sparse = compress(values);
  EXPECT_EQ(sparse.vertices, (std::vector<Index>{1, 3}));
  const auto back = expand(sparse, 4);
  EXPECT_EQ(back[1], Vec3(1, 2, 3));
  EXPECT_EQ(back[2], Vec3(0, 0, 0));
}

// So far away that no number holds the shape any more: it is said, and no keys are spent on it.
TEST(HeldMotion, FarAway) {
  Character character = make_sample("cylinder");
  character.clips.resize(1);
  Channel far{.joint = 0, .path = ChannelPath::translation, .times = {0, 1, 2}};
  far.values = {0, 0, 0, 1e30, 0, 0, 0, 0, 0};
  far.width = 3;
  std::erase_if(character.clips[0].channels, [](const Channel& c) { return c.joint == 0; });
  character.clips[0].channels.push_back(far);
  const WeldedCharacter welded(character);
  Context context;
  const HeldMotion motion = hold_volume(welded, {}, context);
  const auto is_far = [](const Problem& problem) { return problem.code == "channel-far"; };
  EXPECT_TRUE(std::any_of(motion.problems.begin(), motion.problems.end(), is_far));
  ASSERT_TRUE(motion.between.has_value());
  EXPECT_LT(motion.between->added.size(), 3u);
}

}  // namespace
}  // namespace isochor
