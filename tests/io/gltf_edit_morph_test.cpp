/// The morph targets that gltf_edit.h adds: one per frame, or a small basis.

#include <cmath>
#include <functional>
#include <limits>

#include "gltf_edit_cases.h"

namespace isochor {
namespace {

using namespace test;

// ------------------------------------------------------------------------------------------------ morph frames

// Frames become targets behind the old ones; at each frame's time the file plays the old motion plus that frame.
TEST(GltfEdit, AddsMorphFrames) {
  for (const char* mode : {"LINEAR", "STEP", "CUBICSPLINE"}) {
    GltfBuilder b = test::character_document();
    auto& sampler = b.json["animations"][0]["samplers"][1];
    sampler["input"] = b.scalars({0.25f, 0.5f, 2});
    sampler["output"] =
        b.accessor("SCALAR",
                   mode == std::string("CUBICSPLINE") ? std::vector<float>{7, 0, 1, 2, 0.5f, -1, 0.5f, 1, 7}
                                                      : std::vector<float>{0, 0.5f, 1},
                   5126, 1);
    sampler["interpolation"] = mode;
    Opened o = open(b);
    const GltfSource before = o.source;
    const test::GltfReference old = reference_of(before);
    MorphFrames frames{
        0,
        {0, 0.4, 1.0},
        {offsets("f0", 6, 0, {1, 0, 0}), offsets("f1", 6, 3, {0, 2, 0}), offsets("f2", 6, 5, {0, 0, 3})}};
    add_morph_frames(o.source, 0, std::span(&frames, 1));
    expect_prefix(before, o.source);
    expect_only(json_of(before), o.source, and_new_data({"/meshes/0/", "/animations/0/samplers/1/"}));
    const test::GltfReference now = reference_of(o.source);
    EXPECT_EQ(now.json["meshes"][0]["extras"]["targetNames"], Json({"bulge", "f0", "f1", "f2"}));
    EXPECT_EQ(now.json["meshes"][0]["weights"].size(), 4u);
    const auto weights = [](const test::GltfReference& file, double time) {
      return file.sample(0, time).at({3, "weights"});
    };
    for (const double time : {-1.0, 0.0, 0.1, 0.25, 0.3, 0.4, 0.49, 0.5, 0.8, 1.0, 1.7, 2.0, 3.0}) {
      const auto row = weights(now, time);
      ASSERT_EQ(row.size(), 4u);
      EXPECT_NEAR(row[0], weights(old, time)[0], 1e-6) << mode << " " << time;
      const double f = static_cast<float>(0.4);
      const double first = time <= 0 ? 1 : time < f ? 1 - time / f : 0;
      const double last = time >= 1 ? 1 : time > f ? (time - f) / (1 - f) : 0;
      EXPECT_NEAR(row[1], first, 1e-6) << mode << " " << time;
      EXPECT_NEAR(row[3], last, 1e-6) << mode << " " << time;
      EXPECT_NEAR(row[2], 1 - first - last, 1e-6) << mode << " " << time;
    }
    const auto moved = now.pose(3, 0, {{{3, "weights"}, {0, 0, 1, 0}}});
    const auto rest = now.pose(3, 0, {{{3, "weights"}, {0, 0, 0, 0}}});
    EXPECT_LT((moved[3] - rest[3] - Vec3(0, 2, 0)).norm(), 1e-6);
    EXPECT_EQ(moved[0], rest[0]);
    for (const Problem& problem : validate(open(o.source.document).character))
      EXPECT_NE(problem.severity, Severity::error);
  }
}

// Old targets that a clip does not animate keep their default weights in it; other clips play as before.
TEST(GltfEdit, KeepsDefaultWeights) {
  GltfBuilder b = test::character_document();
  b.json["animations"][0]["channels"].erase(1);
  Opened o = open(b);
  MorphFrames frames{0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.25, 0, 1}));
  EXPECT_EQ(now.sample(0, 0).at({3, "weights"}), (std::vector<double>{0.25, 1, 0}));
}

// Old weights whose times stand still, run backwards or are no numbers lose the same keys as when they are read.
TEST(GltfEdit, LeavesOutKeysThatCannotBePlayed) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  struct Case {
    std::vector<float> times, values;
    double at_start, at_end;  // what the old target's weight is then
  };
  const std::vector<Case> cases = {{{1, 0}, {0.5f, 0.75f}, 0.5, 0.5},
                                   {{0, 0, 0}, {0.5f, 0.75f, 1}, 0.5, 0.5},
                                   {{kNan, 0, kNan, 1}, {1, 0.5f, 1, 0.75f}, 0.5, 0.75},
                                   {{-kInf, 0, 1, kInf}, {1, 0.5f, 0.75f, 1}, 0.5, 0.75},
                                   {{kNan, kInf}, {1, 1}, 0.25, 0.25},
                                   {{0, 1}, {kNan, 1}, 0.25, 0.25}};
  for (const char* mode : {"LINEAR", "STEP", "CUBICSPLINE"}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      GltfBuilder b = test::character_document();
      auto& sampler = b.json["animations"][0]["samplers"][1];
      std::vector<float> values;
      for (const float value : cases[i].values) {
        if (mode == std::string("CUBICSPLINE")) {
          values.insert(values.end(), {0, value, 0});
        } else {
          values.push_back(value);
        }
      }
      sampler["input"] = b.accessor("SCALAR", cases[i].times, 5126, 1);
      sampler["output"] = b.accessor("SCALAR", values, 5126, 1);
      sampler["interpolation"] = mode;
      b.push("animations", b.json["animations"][0]);
      Opened o = open(b);
      const MorphFrames frames{
          0,
          {0, 0.5, 1},
          {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0}), offsets("c", 6, 0, {3, 0, 0})}};
      add_morph_frames(o.source, 0, std::span(&frames, 1));
      const test::GltfReference now = reference_of(o.source);
      for (const int clip : {0, 1}) {
        const double one = clip == 0 ? 1 : 0;
        EXPECT_EQ(now.sample(clip, 0).at({3, "weights"}), (std::vector<double>{cases[i].at_start, one, 0, 0}))
            << mode << " " << i;
        EXPECT_EQ(now.sample(clip, 1).at({3, "weights"}), (std::vector<double>{cases[i].at_end, 0, 0, one}))
            << mode << " " << i;
      }
    }
  }
}

// Frames of several clips are added at once; a clip without frames gets zeros for them.
TEST(GltfEdit, AddsFramesOfSeveralClips) {
  GltfBuilder b = test::character_document();
  Json second = b.json["animations"][0], third = second;
  second["name"] = "second";
  second["channels"].erase(1);
  b.push("animations", second);
  b.push("animations", third);
  Opened o = open(b);
  const std::vector<MorphFrames> frames = {{1, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}},
                                           {0, {0.5}, {offsets("c", 6, 1, {1, 0, 0})}}};
  add_morph_frames(o.source, 0, frames);
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 0, 1}));
  EXPECT_EQ(now.sample(1, 1).at({3, "weights"}), (std::vector<double>{0.25, 0, 1, 0}));
  EXPECT_EQ(now.sample(2, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 0, 0}));
  EXPECT_EQ(now.json["animations"][2]["samplers"].size(), 2u);
}

// Normals of frames are written; targets that had none get zeros, as some viewers need the same attributes in all.
TEST(GltfEdit, AddsNormalsOfFrames) {
  Opened o = open(test::character_document());
  MorphFrames frames{0, {0}, {offsets("a", 6, 0, {1, 0, 0})}};
  frames.frames[0].normals.assign(6, Vec3(0, 0.5, -0.5));
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const Part part = open(o.source.document).character.parts[0];
  EXPECT_EQ(part.morphs[0].normals, std::vector<Vec3>(6, Vec3::Zero()));
  EXPECT_EQ(part.morphs[1].normals, std::vector<Vec3>(6, Vec3(0, 0.5, -0.5)));
}

// Offsets of a few vertices are stored as sparse accessors, dense ones as they are.
TEST(GltfEdit, StoresSparseOffsets) {
  GltfBuilder b;
  std::vector<float> positions(900);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<float>(i % 7);
  const int position = b.vec3(positions);
  b.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  b.push("nodes", {{"mesh", 0}});
  const int times = b.scalars({0, 1});
  const int places = b.vec3({0, 0, 0, 1, 1, 1});
  b.push("animations", {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}},
                        {"samplers", {{{"input", times}, {"output", places}}}}});
  Opened o = open(b);
  MorphFrames frames{0,
                     {0, 1, 2},
                     {offsets("a", 300, 7, {1, 2, 3}),
                      {"b", std::vector<Vec3>(300, Vec3(1, 0, 0)), {}},
                      {"c", std::vector<Vec3>(300, Vec3::Zero()), {}}}};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const Json json = json_of(o.source);
  const Json& targets = json["meshes"][0]["primitives"][0]["targets"];
  const Json& sparse = json["accessors"][targets[0]["POSITION"].get<std::size_t>()];
  ASSERT_TRUE(sparse.contains("sparse"));
  EXPECT_EQ(sparse["sparse"]["count"], 1);
  EXPECT_EQ(sparse["max"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(sparse["min"], Json({0.0, 0.0, 0.0}));
  EXPECT_FALSE(json["accessors"][targets[1]["POSITION"].get<std::size_t>()].contains("sparse"));
  const Part part = open(o.source.document).character.parts[0];
  EXPECT_EQ(part.morphs[0].positions[7], Vec3(1, 2, 3));
  EXPECT_EQ(part.morphs[0].positions[8], Vec3::Zero());
}

// A twin of the mesh keeps its own number of targets, and its weights channel.
TEST(GltfEdit, AddsFramesToOneInstanceOnly) {
  GltfBuilder b = test::character_document();
  b.push("nodes", {{"name", "twin"}, {"mesh", 0}, {"skin", 0}});
  b.json["scenes"][0]["nodes"].push_back(4);
  b.json["animations"][0]["channels"].push_back({{"sampler", 1}, {"target", {{"node", 4}, {"path", "weights"}}}});
  Opened o = open(b);
  MorphFrames frames{0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.json["meshes"].size(), 2u);
  EXPECT_EQ(now.json["meshes"][0], b.json["meshes"][0]);
  EXPECT_EQ(now.sample(0, 1).at({4, "weights"}), std::vector<double>{0.5});
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 1}));
}

// Frames that do not fit are refused with a sentence, and nothing changes.
TEST(GltfEdit, RefusesFramesThatDoNotFit) {
  Opened o = open(test::character_document());
  const Json before = json_of(o.source);
  const auto refused = [&](MorphFrames frames) {
    return !sentence_of([&] { add_morph_frames(o.source, 0, std::span(&frames, 1)); }).empty();
  };
  EXPECT_TRUE(refused({5, {0}, {offsets("a", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {}, {}}));
  EXPECT_TRUE(refused({0, {0}, {offsets("a", 5, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {1, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {-1}, {offsets("a", 6, 0, {1, 0, 0})}}));
  EXPECT_TRUE(refused({0, {0}, {offsets("a", 6, 0, {std::numeric_limits<double>::quiet_NaN(), 0, 0})}}));
  EXPECT_EQ(json_of(o.source), before);
}

// ------------------------------------------------------------------------------------------------ morph basis

// New targets stand behind the old ones and follow their curves; the old targets and their animation play as before,
// whatever the interpolations of both.
TEST(GltfEdit, AddsMorphBasis) {
  for (const char* mode : {"LINEAR", "STEP", "CUBICSPLINE"}) {
    for (const Interpolation added : {Interpolation::linear, Interpolation::step}) {
      GltfBuilder b = test::character_document();
      auto& sampler = b.json["animations"][0]["samplers"][1];
      sampler["input"] = b.scalars({0.25f, 0.5f, 2});
      sampler["output"] =
          b.accessor("SCALAR",
                     mode == std::string("CUBICSPLINE") ? std::vector<float>{7, 0, 1, 2, 0.5f, -1, 0.5f, 1, 7}
                                                        : std::vector<float>{0, 0.5f, 1},
                     5126, 1);
      sampler["interpolation"] = mode;
      Opened o = open(b);
      const GltfSource before = o.source;
      const test::GltfReference old = reference_of(before);
      const std::vector<MorphTarget> targets = {offsets("t0", 6, 0, {1, 0, 0}), offsets("t1", 6, 3, {0, 2, 0})};
      const MorphCurve curve{0, {0, 0.5, 1.0}, {0.25, 1, 0.75, 0.5, 0, 0.125}, added};
      add_morph_basis(o.source, 0, targets, std::span(&curve, 1));
      expect_prefix(before, o.source);
      expect_only(json_of(before), o.source, and_new_data({"/meshes/0/", "/animations/0/samplers/1/"}));
      const test::GltfReference now = reference_of(o.source);
      EXPECT_EQ(now.json["meshes"][0]["extras"]["targetNames"], Json({"bulge", "t0", "t1"}));
      for (const double time : {-1.0, 0.0, 0.1, 0.25, 0.3, 0.49, 0.5, 0.8, 0.99, 1.0, 1.7, 2.0, 3.0}) {
        const auto row = now.sample(0, time).at({3, "weights"});
        ASSERT_EQ(row.size(), 3u);
        EXPECT_NEAR(row[0], old.sample(0, time).at({3, "weights"})[0], 1e-6) << mode << " " << time;
        const double t = std::clamp(time, 0.0, 1.0);
        const bool late = t >= 0.5;
        const double s = added == Interpolation::step ? (t == 1 ? 1 : 0) : 2 * t - (late ? 1 : 0);
        const double first = late ? 0.75 * (1 - s) : 0.25 + 0.5 * s, second = late ? 0.5 - 0.375 * s : 1 - 0.5 * s;
        EXPECT_NEAR(row[1], first, 1e-6) << mode << " " << time;
        EXPECT_NEAR(row[2], second, 1e-6) << mode << " " << time;
      }
      for (const Problem& problem : validate(open(o.source.document).character))
        EXPECT_NE(problem.severity, Severity::error);
    }
  }
}

// Two clips share the targets, a third has them at zero; nothing is added where there is no target.
TEST(GltfEdit, AddsABasisForSeveralClips) {
  GltfBuilder b = test::character_document();
  Json second = b.json["animations"][0], third = second;
  second["channels"].erase(1);
  b.push("animations", second);
  b.push("animations", third);
  Opened o = open(b);
  const Json before = json_of(o.source);
  add_morph_basis(o.source, 0, {}, {});
  EXPECT_EQ(json_of(o.source), before);
  const std::vector<MorphTarget> targets = {offsets("t0", 6, 0, {1, 0, 0}), offsets("t1", 6, 3, {0, 2, 0})};
  const std::vector<MorphCurve> curves = {{1, {0, 1}, {0, 1, 1, 0}}, {0, {0.5}, {0.25, 0.75}}};
  add_morph_basis(o.source, 0, targets, curves);
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.5, 0.25, 0.75}));
  EXPECT_EQ(now.sample(1, 0.5).at({3, "weights"}), (std::vector<double>{0.25, 0.5, 0.5}));
  EXPECT_EQ(now.sample(2, 1).at({3, "weights"}), (std::vector<double>{0.5, 0, 0}));
}

// A clip whose joints step gets frames that step: no key of a line before each.
TEST(GltfEdit, FramesMayStep) {
  GltfBuilder b = test::character_document();
  b.json["animations"][0]["channels"].erase(1);
  Opened o = open(b);
  MorphFrames frames{0, {0, 1}, {offsets("a", 6, 0, {1, 0, 0}), offsets("b", 6, 0, {2, 0, 0})}, Interpolation::step};
  add_morph_frames(o.source, 0, std::span(&frames, 1));
  const test::GltfReference now = reference_of(o.source);
  EXPECT_EQ(now.sample(0, 0.9).at({3, "weights"}), (std::vector<double>{0.25, 1, 0}));
  EXPECT_EQ(now.sample(0, 1).at({3, "weights"}), (std::vector<double>{0.25, 0, 1}));
}

// Curves and targets that do not fit are refused with a sentence, and nothing changes.
TEST(GltfEdit, RefusesABasisThatDoesNotFit) {
  Opened o = open(test::character_document());
  const Json before = json_of(o.source);
  const std::vector<MorphTarget> targets = {offsets("t", 6, 0, {1, 0, 0})};
  const auto refused = [&](const std::vector<MorphCurve>& curves) {
    return !sentence_of([&] { add_morph_basis(o.source, 0, targets, curves); }).empty();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused({{5, {0}, {1}}}));
  EXPECT_TRUE(refused({{0, {0, 1}, {1}}}));
  EXPECT_TRUE(refused({{0, {0}, {nan}}}));
  EXPECT_TRUE(refused({{0, {1, 0}, {1, 1}}}));
  EXPECT_TRUE(refused({{0, {}, {}}}));
  EXPECT_TRUE(refused({{0, {0}, {1}}, {0, {1}, {1}}}));
  EXPECT_TRUE(refused({{0, {0}, {1}, Interpolation::cubic_spline}}));
  const std::vector<MorphTarget> small = {offsets("t", 5, 0, {1, 0, 0})};
  const MorphCurve curve{0, {0}, {1}};
  EXPECT_FALSE(sentence_of([&] { add_morph_basis(o.source, 0, small, std::span(&curve, 1)); }).empty());
  EXPECT_FALSE(sentence_of([&] { add_morph_basis(o.source, 9, targets, std::span(&curve, 1)); }).empty());
  EXPECT_EQ(json_of(o.source), before);
}

// ------------------------------------------------------------------------------------------------ baked targets

// What was added is known again as such in the file, and taken out again: targets, names, weights and their animation.
// The author's own targets play as they did.
TEST(GltfEdit, RemovesBakedTargets) {
  for (const bool own_targets : {true, false}) {
    GltfBuilder b = test::character_document();
    if (!own_targets) {
      b.json["animations"][0]["channels"].erase(1);
      b.json["animations"][0]["samplers"].erase(1);
      for (auto& primitive : b.json["meshes"][0]["primitives"]) primitive.erase("targets");
      b.json["meshes"][0].erase("weights");
      b.json["meshes"][0].erase("extras");
      for (auto& node : b.json["nodes"]) node.erase("weights");
    }
    Opened o = open(b);
    const test::GltfReference old = reference_of(o.source);
    MorphFrames frames{0, {0, 0.4, 1.0}, {}};
    for (std::size_t k = 0; k < 3; ++k) frames.frames.push_back(offsets("f" + std::to_string(k), 6, k, {1, 0, 0}));
    add_morph_frames(o.source, 0, std::span(&frames, 1));
    const Character baked = open(o.source.document).character;
    const std::size_t own = own_targets ? 1 : 0;
    ASSERT_EQ(baked.parts[0].morphs.size(), own + 3);
    for (std::size_t t = 0; t < own + 3; ++t) EXPECT_EQ(baked.parts[0].morphs[t].baked, t >= own);
    EXPECT_TRUE(has_baked(baked));

    EXPECT_EQ(remove_baked_targets(o.source.document), 3u);
    EXPECT_EQ(remove_baked_targets(o.source.document), 0u);
    const Character back = open(o.source.document).character;
    EXPECT_EQ(back.parts[0].morphs.size(), own);
    EXPECT_FALSE(has_baked(back));
    const test::GltfReference now = reference_of(o.source);
    for (const double time : {0.0, 0.2, 0.4, 0.7, 1.0}) {
      const auto a = old.pose(3, 0, old.sample(0, time)), c = now.pose(3, 0, now.sample(0, time));
      for (std::size_t v = 0; v < a.size(); ++v) EXPECT_LT((a[v] - c[v]).norm(), 1e-6) << time;
    }
    for (const Problem& problem : validate(back)) EXPECT_NE(problem.severity, Severity::error);
  }
}

// ------------------------------------------------------------------------------------------------ pruning

// What an edit leaves without use is not written, bytes and all; what had no use before stays.
TEST(GltfEdit, DropsWhatItReplaced) {
  GltfBuilder b = test::character_document();
  const std::vector<float> idle(300, 7.0f);
  const auto unused = b.accessor("SCALAR", idle, 5126, 1);
  Opened o = open(b);
  const std::size_t before = o.source.document.accessor_count();
  SkinWeights weights = rigid_weights(6, 1);
  for (int i = 0; i < 5; ++i) {
    replace_weights(o.source, 0, o.character.parts[0].skin, weights);
    weights = rigid_weights(6, i % 2);
  }
  const GltfDocument written = GltfDocument::parse(o.source.document.to_glb());
  EXPECT_EQ(written.accessor_count(), before);
  EXPECT_LE(written.buffer(0).size(), o.source.document.buffer(0).size() - 4 * 6 * (4 + 16));
  std::size_t sevens = 0;
  for (std::size_t a = 0; a < written.accessor_count(); ++a) {
    const auto values = written.read_accessor(static_cast<Index>(a));
    sevens += values == std::vector<double>(300, 7.0) ? 1 : 0;
  }
  EXPECT_EQ(sevens, 1u) << unused;
  const Opened back = open(written);
  const test::GltfReference a = reference_of(o.source), c = reference_of(back.source);
  for (const double time : {0.0, 0.5, 1.0}) EXPECT_EQ(a.pose(3, 0, a.sample(0, time)), c.pose(3, 0, c.sample(0, time)));
}

// An extension that counts something might count accessors: nothing is renumbered then.
TEST(GltfEdit, UnknownCountsKeepTheirNumbers) {
  GltfBuilder b = test::character_document();
  b.json["nodes"][0]["extensions"] = {{"EXT_of_somebody", {{"accessor", 0}}}};
  b.json["extensionsUsed"] = {"EXT_of_somebody"};
  Opened o = open(b);
  replace_weights(o.source, 0, o.character.parts[0].skin, rigid_weights(6, 1));
  EXPECT_EQ(GltfDocument::parse(o.source.document.to_glb()).accessor_count(), o.source.document.accessor_count());
}

}  // namespace
}  // namespace isochor
