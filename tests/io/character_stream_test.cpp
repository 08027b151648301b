#include "io/character_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "isochor/sample/sample.h"

namespace isochor {
namespace {

std::vector<std::byte> to_bytes(const Answer& answer) {
  std::vector<std::byte> bytes;
  CharacterWriter([&](std::span<const std::byte> some) {
    bytes.insert(bytes.end(), some.begin(), some.end());
  }).write(answer);
  return bytes;
}

std::optional<Answer> from_bytes(std::span<const std::byte> bytes, std::uint64_t limit = 1 << 30) {
  return CharacterReader(
             [&](std::span<std::byte> out) {
               if (out.size() > bytes.size()) return false;
               std::copy_n(bytes.begin(), out.size(), out.begin());
               bytes = bytes.subspan(out.size());
               return true;
             },
             limit)
      .read();
}

/// Something in every field.
Character full_character() {
  Character character;
  character.name = "all";
  Part part;
  part.name = "part";
  part.surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.5}};
  part.surface.add_face({0, 1, 3, 2});
  part.normals.assign(4, Vec3(0, 0, 1));
  part.uvs.assign(4, Vec2f(0.25F, 0.5F));
  part.corner_normals.assign(4, Vec3f(0, 1, 0));
  part.corner_uvs.assign(4, Vec2f(0.75F, 1));
  part.face_material = {0};
  part.node = 0;
  part.skin = {"skin", {1}, {Affine(Eigen::Translation3d(1, 2, 3))}};
  for (int v = 0; v < 4; ++v) part.weights.add_row(std::vector<Influence>{{0, 1.0}});
  part.morphs = {{"morph", std::vector<Vec3>(4, Vec3(1, 2, 3)), std::vector<Vec3>(4, Vec3(3, 2, 1))}};
  part.morph_weights = {0.5};
  character.parts = {part, Part{}};
  Joint root;
  root.name = "root";
  root.deforms = false;
  root.rest = {{1, 2, 3}, Quat(0.5, 0.5, 0.5, 0.5), {1, 2, 1}, Mat3::Constant(0.25) + Mat3::Identity()};
  Joint tip;
  tip.name = "tip";
  tip.parent = 0;
  tip.tail = Vec3(0, 1, 0);
  character.skeleton.joints = {root, tip};
  character.clips = {{"clip",
                      {{1, ChannelPath::rotation, Interpolation::step, {0, 1}, {0, 0, 0, 1, 0, 0, 1, 0}, 4},
                       {0, ChannelPath::morph_weights, Interpolation::linear, {0.5}, {0.25}, 1}}}};
  character.materials = {{"paint", {0.1F, 0.2F, 0.3F, 0.4F}, 0.5F, 0.6F, true}};
  character.problems = {{Severity::note, "code", "a sentence", {1, 2, 3}, 17}};
  return character;
}

// Every field comes back, as its bytes show; the samples too.
TEST(CharacterStream, BringsEverythingBack) {
  std::vector<Answer> answers(3);
  answers[0].character = full_character();
  answers[1].character = make_sample("cylinder", {});
  answers[2].refusal = Refusal{ErrorKind::unsupported, "no", 17};
  for (const Answer& answer : answers) {
    const auto bytes = to_bytes(answer);
    const auto back = from_bytes(bytes);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(to_bytes(*back), bytes);
    EXPECT_TRUE(is_sound(back->character));
  }
  const Character back = from_bytes(to_bytes(answers[0]))->character;
  EXPECT_EQ(back.parts[0].surface.positions, answers[0].character.parts[0].surface.positions);
  EXPECT_EQ(back.parts[0].weights, answers[0].character.parts[0].weights);
  EXPECT_EQ(*back.skeleton.joints[1].tail, Vec3(0, 1, 0));
  EXPECT_FALSE(back.skeleton.joints[0].tail.has_value());
  EXPECT_EQ(back.clips[0].channels[0].path, ChannelPath::rotation);
  EXPECT_EQ(back.problems[0].count, 17);
  EXPECT_TRUE(back.materials[0].double_sided);
  EXPECT_EQ(from_bytes(to_bytes(answers[2]))->refusal->kind, ErrorKind::unsupported);
}

// What ends too early, or goes beyond the limit, is no answer.
TEST(CharacterStream, RefusesHalfAnAnswer) {
  Answer answer;
  answer.character = full_character();
  const auto bytes = to_bytes(answer);
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    EXPECT_FALSE(from_bytes(std::span(bytes).first(length)).has_value()) << length;
  }
  EXPECT_FALSE(from_bytes(bytes, bytes.size() - 1).has_value());
  EXPECT_TRUE(from_bytes(bytes, bytes.size()).has_value());
}

// Bytes changed at random give no answer, an unsound one, or one that can be used; never anything worse.
TEST(CharacterStream, StandsGarbage) {
  Answer answer;
  answer.character = full_character();
  const auto bytes = to_bytes(answer);
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto changed = bytes;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int c = 0; c < changes; ++c) changed[random() % changed.size()] = static_cast<std::byte>(random() % 256);
    const auto back = from_bytes(changed, 1 << 24);
    refused += !back || !is_sound(back->character) ? 1 : 0;
  }
  EXPECT_GT(refused, 100);
}

// Characters that refer to what they do not have are not sound.
TEST(CharacterStream, FindsWhatDoesNotFit) {
  const std::vector<std::function<void(Character&)>> breaks = {
      [](Character& c) { c.parts[0].surface.corners[0] = 4; },
      [](Character& c) { c.parts[0].surface.corners[0] = -1; },
      [](Character& c) { c.parts[0].surface.face_begin = {}; },
      [](Character& c) {
        c.parts[0].surface.face_begin = {0, 5};
      },
      [](Character& c) {
        c.parts[0].surface.face_begin = {0, 4, 2, 4};
      },
      [](Character& c) { c.parts[0].surface.positions[0].x() = std::numeric_limits<double>::quiet_NaN(); },
      [](Character& c) { c.parts[0].weights.begin.back() = 5; },
      [](Character& c) { c.parts[0].weights.begin = {}; },
      [](Character& c) { c.parts[0].weights.influences[0].joint = 1; },
      [](Character& c) { c.parts[0].face_material[0] = 1; },
      [](Character& c) { c.parts[0].morph_weights.push_back(1); },
      [](Character& c) { c.parts[0].skin.joints[0] = 2; },
      [](Character& c) { c.parts[0].node = 2; },
      [](Character& c) { c.skeleton.joints[1].parent = 1; },
      [](Character& c) { c.clips[0].channels[0].joint = 2; },
      [](Character& c) { c.clips[0].channels[0].times.pop_back(); }};
  ASSERT_TRUE(is_sound(full_character()));
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    Character character = full_character();
    breaks[i](character);
    EXPECT_FALSE(is_sound(character)) << i;
  }
}

}  // namespace
}  // namespace isochor
