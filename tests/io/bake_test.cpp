#include "isochor/io/bake.h"

#include <gtest/gtest.h>

#include <fstream>

#include "isochor/base/error.h"
#include "isochor/io/bake_check.h"
#include "isochor/io/written_character.h"
#include "isochor/sample/sample.h"
#include "support/data.h"
#include "support/files.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

struct Bake : testing::Test {
  test::TempFolder here;
  Context context{1};
  Loaded loaded;
  WrittenCharacter file;

  Bake() {
    loaded.character = make_sample("cylinder");
    file = as_written(loaded);
  }
};

// Morph targets and frames, written, read back and played: they show what was held.
TEST_F(Bake, PlaysWhatWasHeld) {
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {}, context);
  for (const BakeForm form : {BakeForm::morphs, BakeForm::frames}) {
    WrittenCharacter out = file;
    const BakeResult baked = bake(motion, welded, {.form = form}, out, context);
    EXPECT_EQ(baked.keys, motion.frame_count());
    EXPECT_GT(baked.targets, 0u);
    EXPECT_GT(baked.bytes, 1000u);
    out.save(here / "out.glb");
    const BakeErrors errors = check_bake(here / "out.glb", motion, context);
    EXPECT_LT(errors.max_volume_error, 1e-6) << enum_name(form);
    EXPECT_LT(errors.max_position_error, form == BakeForm::frames ? 1e-6 : 3e-4) << enum_name(form);
  }
}

// In the written file no face is turned over, at keys and half-way between, where the skin of this elephant folds so
// that the deformer itself presses faces to slivers: lines between keys and morph targets used to turn two of them.
TEST_F(Bake, NoFaceTurnsOver) {
  loaded.character = make_sample("elephant");
  const Clip sits = *loaded.character.find_clip("sit");
  loaded.character.clips = {sits};
  file = as_written(loaded);
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {}, context);
  for (const BakeForm form : {BakeForm::morphs, BakeForm::frames}) {
    WrittenCharacter out = file;
    bake(motion, welded, {.form = form}, out, context);
    out.save(here / "out.glb");
    if (form == BakeForm::morphs) {  // mended by one thread as by two
      WrittenCharacter by_one = file;
      Context one(1);
      bake(motion, welded, {.form = form}, by_one, one);
      EXPECT_TRUE(by_one.source().document.to_glb() == out.source().document.to_glb());
    }
    const BakeErrors errors = check_bake(here / "out.glb", motion, context);
    EXPECT_EQ(errors.max_turned_faces, 0u) << enum_name(form);
    EXPECT_EQ(errors.max_turned_faces_between, 0u) << enum_name(form);
    EXPECT_LT(errors.max_volume_error, 1e-6) << enum_name(form);
    EXPECT_LT(errors.max_position_error, 1e-4) << enum_name(form);
  }
}

// Twins, written, read back and played: the volume is held at their keys, most of the correction is there, and no face
// turns that was not to turn.
TEST_F(Bake, TwinsPlayWhatWasHeld) {
  file = as_written(loaded, BakeForm::joints);
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
  const BakeResult baked = bake(motion, welded, {.form = BakeForm::joints}, file, context);
  EXPECT_EQ(baked.twins, 2u);
  EXPECT_EQ(baked.targets, 0u);
  EXPECT_LT(baked.keys, motion.frame_count());
  file.save(here / "out.glb");
  const BakeErrors errors = check_bake(here / "out.glb", motion, context, baked.key_times);
  EXPECT_LT(errors.max_volume_error, 1e-6);
  EXPECT_LT(errors.max_volume_error_between, 2e-3);
  EXPECT_LT(errors.left, 0.05 * errors.correction);
  EXPECT_LE(errors.turned_faces, errors.turned_faces_wanted);
  EXPECT_GT(errors.correction, 0);
}

// A few targets on top of twins: nearer to what was held than twins alone, and no more targets than allowed.
TEST_F(Bake, TwinsAndMorphs) {
  file = as_written(loaded, BakeForm::joints_and_morphs);
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.clips = {1}}, context);  // the twist, of which twins show less
  double left = 0;
  for (const BakeForm form : {BakeForm::joints, BakeForm::joints_and_morphs}) {
    WrittenCharacter out = file;
    const BakeResult baked = bake(motion, welded, {.form = form, .basis = {.max_targets = 4}}, out, context);
    out.save(here / "out.glb");
    const BakeErrors errors = check_bake(here / "out.glb", motion, context, baked.key_times);
    EXPECT_GT(baked.twins, 0u);
    EXPECT_LE(baked.targets, form == BakeForm::joints ? 0u : 4u);
    EXPECT_GT(errors.correction, 0);
    if (form == BakeForm::joints) {
      left = errors.left;
    } else {
      EXPECT_GT(baked.targets, 0u);
      EXPECT_LT(errors.left, 0.5 * left);
    }
  }
}

// How twins follow the pose is written when it is asked for: one entry for each, by the names of the file's nodes.
TEST_F(Bake, DrivenTwins) {
  file = as_written(loaded, BakeForm::joints);
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
  const BakeResult baked = bake(motion, welded, {.form = BakeForm::joints, .drive_twins = true}, file, context);
  file.save(here / "out.glb");
  std::size_t named = 0;
  for (const Joint& joint : load_character(here / "out.glb", {.keep_baked = true}, context).character.skeleton.joints) {
    if (joint.twin && baked.driven_twins.find('"' + joint.name + '"') != std::string::npos) ++named;
  }
  EXPECT_EQ(named, baked.twins);
  EXPECT_LT(baked.driven_figures.left, baked.driven_figures.correction);
}

// Several parts with skins that share joints: they share the twins of these, and pieces that touch stay together.
TEST_F(Bake, TwinsOfSeveralSkins) {
  loaded.character = make_sample("knight");
  file = as_written(loaded, BakeForm::joints);
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
  const BakeResult baked = bake(motion, welded, {.form = BakeForm::joints}, file, context);
  EXPECT_GT(baked.twins, 10u);
  file.save(here / "out.glb");
  const BakeErrors errors = check_bake(here / "out.glb", motion, context, baked.key_times);
  EXPECT_LT(errors.max_volume_error, 0.1 * motion.volume.max_error_before());
  EXPECT_LT(errors.left, 0.35 * errors.correction);  // plates that move as no scale along joints does
}

// A file with twins, loaded for something new, has the weights, joints and clips that it had before, to the last bit;
// baked again it has the same bytes.
TEST_F(Bake, TwinsAreTakenOutAgain) {
  for (const std::string name : {"cylinder", "knight"}) {
    if (test::kSanitized && name != "cylinder") continue;
    loaded.character = make_sample(name);
    file = as_written(loaded, BakeForm::joints);
    const auto bake_into = [&](WrittenCharacter& of, const char* path) {
      const WeldedCharacter welded(of.character());
      const HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
      bake(motion, welded, {.form = BakeForm::joints}, of, context);
      of.save(here / path);
    };
    const Character before = file.character();
    bake_into(file, "once.glb");
    const Loaded kept = load_character(here / "once.glb", {.keep_baked = true}, context);
    EXPECT_GT(twin_count(kept.character), 0u);
    const Loaded again = load_character(here / "once.glb", {}, context);
    EXPECT_EQ(twin_count(again.character), 0u);
    ASSERT_EQ(again.character.skeleton.size(), before.skeleton.size());
    for (std::size_t p = 0; p < before.parts.size(); ++p) {
      EXPECT_EQ(again.character.parts[p].skin.joints, before.parts[p].skin.joints);
      SkinWeights rounded = again.character.parts[p].weights;
      round_weights(rounded);
      EXPECT_EQ(rounded, before.parts[p].weights) << name << " " << p;
    }
    for (std::size_t c = 0; c < before.clips.size(); ++c) {
      EXPECT_EQ(again.character.clips[c].channels.size(), before.clips[c].channels.size());
    }
    WrittenCharacter second = as_written(again, BakeForm::joints);
    bake_into(second, "twice.glb");
    EXPECT_EQ(test::read_bytes(here / "once.glb"), test::read_bytes(here / "twice.glb")) << name;
  }
}

// Tools may write joints in another order, and keep the marks: weights still go to the joints that they were for.
TEST_F(Bake, TwinsAreFoundWhereverTheyStand) {
  const std::string text = R"({
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
    "nodes": [{"mesh": 0, "skin": 0}, {"name": "root", "children": [2]},
              {"name": "arm", "translation": [0, 1, 0], "children": [3]},
              {"name": "arm_twin", "extras": {"isochor": {"twin": true}}}],
    "skins": [{"joints": [3, 1, 2]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                  {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
                  {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"},
                  {"bufferView": 3, "componentType": 5123, "count": 3, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12},
                    {"buffer": 0, "byteOffset": 48, "byteLength": 48}, {"buffer": 0, "byteOffset": 96, "byteLength": 6}],
    "buffers": [{"byteLength": 104, "uri": "data:application/octet-stream;base64,)"
                           "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAQACAAEAAgABAAIAAAAAPwAAgD4AAIA+"
                           "AAAAAAAAAD8AAIA+AACAPgAAAAAAAAA/AACAPgAAgD4AAAAAAAABAAIAAAA="
                           R"("}]})";
  std::ofstream(here / "moved.gltf") << text;
  const Character character = load_character(here / "moved.gltf", {}, context).character;
  EXPECT_EQ(twin_count(character), 0u);
  ASSERT_EQ(character.parts.size(), 1u);
  const Part& part = character.parts[0];
  const auto weight_of = [&](const std::string& name) {
    double sum = 0;
    for (const Influence& i : part.weights.row(0)) {
      if (character.skeleton.joints[part.skin.joints[i.joint]].name == name) sum += i.weight;
    }
    return sum;
  };
  EXPECT_EQ(weight_of("root"), 0.5);
  EXPECT_EQ(weight_of("arm"), 0.5);
}

// A file that was baked, loaded as the README's program loads it, and baked again is the same file: nothing is added a
// second time, and where somebody kept what was added before, it is refused.
TEST_F(Bake, BakedAgainIsTheSameFile) {
  save_character(make_sample("cylinder"), here / "in.glb", context);
  const auto bake_again = [&](const LoadOptions& options, const char* from, const char* to) {
    WrittenCharacter again = as_written(load_character(here / from, options, context));
    const WeldedCharacter welded(again.character());
    bake(hold_volume(welded, {.clips = {0}}, context), welded, {}, again, context);
    again.save(here / to);
  };
  bake_again({}, "in.glb", "once.glb");
  bake_again({}, "once.glb", "twice.glb");
  EXPECT_TRUE(has_baked(load_character(here / "once.glb", {.keep_baked = true}, context).character));
  EXPECT_EQ(test::read_bytes(here / "once.glb"), test::read_bytes(here / "twice.glb"));
  EXPECT_THROW(bake_again({.keep_baked = true}, "once.glb", "no.glb"), Error);
}

// What cannot be right is refused with a sentence, and the file stays as it was: joints in a file whose weights were
// not made round for them, and a motion that was held on another character.
TEST_F(Bake, RefusesAFileThatWasMadeForSomethingElse) {
  const std::string before = file.source().document.json_text();
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.clips = {0}}, context);
  for (const BakeForm form : {BakeForm::joints, BakeForm::joints_and_morphs}) {
    EXPECT_THROW(bake(motion, welded, {.form = form}, file, context), Error) << enum_name(form);
    WrittenCharacter for_joints = as_written(loaded, form);
    const WeldedCharacter round(for_joints.character());
    EXPECT_THROW(bake(motion, round, {.form = BakeForm::morphs}, for_joints, context), Error) << enum_name(form);
  }
  const Character other = file.character();
  EXPECT_THROW(bake(motion, WeldedCharacter(other), {}, file, context), Error);
  EXPECT_EQ(file.source().document.json_text(), before);
}

// A motion that skinning shows adds nothing to the document.
TEST_F(Bake, NothingToAdd) {
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.playback = {.volume = std::nullopt}}, context);
  WrittenCharacter out = file;
  const BakeResult baked = bake(motion, welded, {}, out, context);
  EXPECT_EQ(baked.targets, 0u);
  EXPECT_EQ(out.source().document.json_text(), file.source().document.json_text());
}

// One cache for each clip, named after it.
TEST_F(Bake, PointCaches) {
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {.fps = 8, .form = HeldForm::positions}, context);
  const auto files = point_cache_paths(motion, welded, here / "out.pc2");
  save_point_caches(motion, welded, here / "out.pc2", PointCacheFormat::pc2);
  ASSERT_EQ(files.size(), file.character().clips.size());
  EXPECT_EQ(files[0].filename().string(), "out-" + file.character().clips[0].name + ".pc2");
  const PointCache cache = read_point_cache(files[0], PointCacheFormat::pc2);
  EXPECT_EQ(cache.points, file.character().parts[0].surface.vertex_count());
  EXPECT_EQ(cache.times.size(), motion.clips[0].frames.size());
  EXPECT_EQ(cache.positions[0], motion.clips[0].frames[0].parts[0].positions[0].x());
}

}  // namespace
}  // namespace isochor
