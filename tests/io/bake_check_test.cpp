#include "isochor/io/bake_check.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"
#include "support/data.h"

namespace isochor {
namespace {

/// A cube on one joint that moves along x from time 0 to 2.
Character moving_cube() {
  Character character;
  character.skeleton.joints.push_back({.name = "root"});
  Part part;
  part.node = 0;
  for (int k = 0; k < 8; ++k) part.surface.positions.emplace_back(k & 1, (k >> 1) & 1, k >> 2);
  for (const auto& face :
       {std::array<Index, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    part.surface.add_face(face);
  }
  part.skin = {"skin", {0}, {Affine::Identity()}};
  for (int k = 0; k < 8; ++k) part.weights.add_row(std::vector<Influence>{{0, 1.0}});
  character.parts.push_back(std::move(part));
  character.clips.push_back(
      {"move", {{0, ChannelPath::translation, Interpolation::linear, {0, 2}, {0, 0, 0, 4, 0, 0}}}});
  return character;
}

struct BakeCheck : testing::Test {
  test::TempFolder here;
  Context context;
  Character character = moving_cube();
  GltfWritten written = write_gltf(character);

  /// The cube with a corner pulled out by `pull` at time 1.
  HeldMotion motion(double pull) {
    HeldMotion out;
    HeldClip& clip = out.clips.emplace_back();
    for (const double time : {0.0, 1.0, 2.0}) {
      HeldFrame& frame = clip.frames.emplace_back();
      frame.time = time;
      frame.parts.resize(1);
      for (const Index v : written.vertex[0]) {
        Vec3 p = character.parts[0].surface.positions[v] + Vec3(2 * time, 0, 0);
        if (v == 7 && time == 1) p += Vec3(pull, 0, 0);
        frame.parts[0].positions.push_back(p.cast<float>());
      }
      // What is baked says nothing about the volume that is meant: settings do, as of a body that breathes.
      frame.volume_factor = 1 + (time == 1 ? pull * share() : 0);
      frame.volumes = frame.target_volumes = {frame.volume_factor};
    }
    return out;
  }
  /// What the corner adds to the volume as it is pulled: a third of the area of its triangles on the side x = 1, which
  /// is one or two halves of that side, as its quad is cut.
  double share() const {
    const Surface surface = read_gltf(written.source.document, {.polygons = false}).character.parts[0].surface;
    double area = 0;
    for (std::size_t f = 0; f < surface.face_count(); ++f) {
      bool on_side = true, holds_corner = false;
      for (const Index v : surface.face(f)) {
        on_side = on_side && surface.positions[v].x() == 1;
        holds_corner = holds_corner || surface.positions[v] == Vec3(1, 1, 1);
      }
      area += on_side && holds_corner ? 0.5 : 0;
    }
    return area / 3;
  }
  void bake(double pull) {
    MorphFrames frames{0, {0, 1, 2}, {}};
    for (int k = 0; k < 3; ++k) {
      MorphTarget target{"f" + std::to_string(k), std::vector<Vec3>(written.vertex[0].size(), Vec3::Zero()), {}};
      for (std::size_t v = 0; v < target.positions.size(); ++v) {
        if (written.vertex[0][v] == 7 && k == 1) target.positions[v].x() = pull;
      }
      frames.frames.push_back(std::move(target));
    }
    add_morph_frames(written.source, 0, std::span(&frames, 1));
    written.source.document.save(here / "cube.glb");
  }
};

// A file that plays what was baked has no error at its frames, and none between them where all is linear.
TEST_F(BakeCheck, ExactFile) {
  bake(0.5);
  const BakeErrors errors = check_bake(here / "cube.glb", motion(0.5), context);
  EXPECT_LT(errors.max_position_error, 1e-7);
  EXPECT_LT(errors.max_volume_error, 1e-7);
  EXPECT_LT(errors.max_volume_error_between, 1e-7);
  EXPECT_EQ(errors.max_turned_faces, 0u);
  EXPECT_EQ(errors.max_turned_faces_between, 0u);
  ASSERT_EQ(errors.volume_errors.size(), 1u);
}

// Faces that are turned over are counted against what skinning alone shows: a corner that is pushed through the other
// side of the cube turns a triangle of both sides that it slides along, and none half-way.
TEST_F(BakeCheck, TurnedFaces) {
  bake(-1.5);
  const BakeErrors errors = check_bake(here / "cube.glb", motion(-1.5), context);
  EXPECT_EQ(errors.max_turned_faces, 2u);
  EXPECT_EQ(errors.max_turned_faces_between, 0u);
  bake(-3);
  EXPECT_EQ(check_bake(here / "cube.glb", motion(-3), context).max_turned_faces_between, 2u);
}

// One that plays something else is found out, by how much and in what.
TEST_F(BakeCheck, WrongFile) {
  bake(0.5);
  const BakeErrors errors = check_bake(here / "cube.glb", motion(0.6), context);
  EXPECT_NEAR(errors.max_position_error, 0.1 / Vec3(1.6, 1, 1).norm(), 1e-6);
  EXPECT_NEAR(errors.max_volume_error, 0.1 * share() / (1 + 0.6 * share()), 1e-6);
  EXPECT_NEAR(errors.max_volume_error_between, 0.05 * share() / (1 + 0.3 * share()), 1e-6);
}

// A motion of another character is refused.
TEST_F(BakeCheck, RefusesStrangers) {
  bake(0.5);
  const auto refused = [&](auto&& spoil) {
    HeldMotion spoilt = motion(0.5);
    spoil(spoilt.clips[0]);
    EXPECT_THROW(check_bake(here / "cube.glb", spoilt, context), Error);
  };
  refused([](HeldClip& clip) { clip.clip = 1; });
  refused([](HeldClip& clip) { clip.frames[1].parts.emplace_back(); });
  refused([](HeldClip& clip) { clip.frames[1].parts[0].positions.pop_back(); });
  refused([](HeldClip& clip) { clip.frames[1].target_volumes.push_back(1); });
  EXPECT_THROW(check_bake(here / "missing.glb", motion(0.5), context), Error);
}

}  // namespace
}  // namespace isochor
