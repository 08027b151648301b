#include "isochor/io/bvh.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::shared_data;

std::string bvh_refusal(std::string_view text) {
  try {
    parse_bvh(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const char* const kArm = R"(HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 0 5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 4 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 0 0 0 0 0  0 0 0
10 20 30 90 0 0  0 90 0
)";

// Hierarchy, offsets, End Site and frames come out as they stand in the file.
TEST(Bvh, ReadsSkeletonAndMotion) {
  const Character character = parse_bvh(kArm);
  const Skeleton& skeleton = character.skeleton;
  ASSERT_EQ(skeleton.size(), 2U);
  EXPECT_EQ(skeleton.joints[1].name, "Arm");
  EXPECT_EQ(skeleton.joints[1].parent, 0);
  EXPECT_EQ(skeleton.joints[0].rest.translation, Vec3(1, 2, 3));
  ASSERT_TRUE(skeleton.joints[1].tail.has_value());
  EXPECT_EQ(*skeleton.joints[1].tail, Vec3(0, 4, 0));
  EXPECT_FALSE(skeleton.joints[0].tail.has_value());

  ASSERT_EQ(character.clips.size(), 1U);
  EXPECT_DOUBLE_EQ(character.clips[0].end(), 0.5);
  const Pose pose = sample(character.clips[0], skeleton, 0.5);
  const auto global = global_transforms(skeleton, pose);
  // The root stands at (10, 20, 30) turned by 90° about z; the arm's end: Rz(90) ((0,5,0) + Rx(90) (0,4,0)).
  EXPECT_TRUE((global[1] * Vec3(0, 4, 0)).isApprox(Vec3(10 - 5, 20, 30 + 4), 1e-12));
  EXPECT_TRUE(validate(character).empty());
}

Mat3 axis_rotation(char axis, double degrees) {
  const double a = degrees * std::acos(-1.0) / 180;
  const double c = std::cos(a);
  const double s = std::sin(a);
  Mat3 m;
  if (axis == 'X') m << 1, 0, 0, 0, c, -s, 0, s, c;
  if (axis == 'Y') m << c, 0, s, 0, 1, 0, -s, 0, c;
  if (axis == 'Z') m << c, -s, 0, s, c, 0, 0, 0, 1;
  return m;
}

// Rotations multiply in the order of the channels, whatever that order, with position channels anywhere between them.
TEST(Bvh, EveryChannelOrder) {
  std::string order = "XYZ";
  do {
    for (int position_at = 0; position_at <= 3; ++position_at) {
      std::string channels;
      std::string values;
      Mat3 expected = Mat3::Identity();
      for (int i = 0; i < 4; ++i) {
        if (i == position_at) {
          channels += " Zposition Xposition";
          values += " 7 8";
        }
        if (i == 3) break;
        const double angle = 20 + 35 * i;
        channels += std::string(" ") + order[static_cast<std::size_t>(i)] + "rotation";
        values += " " + std::to_string(angle);
        expected = expected * axis_rotation(order[static_cast<std::size_t>(i)], angle);
      }
      std::string text = "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 5";
      text.append(channels).append("\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n").append(values);
      const Character character = parse_bvh(text);
      const Pose pose = sample(character.clips[0], character.skeleton, 0);
      EXPECT_TRUE(to_matrix(pose.local[0]).linear().isApprox(expected, 1e-12)) << order;
      EXPECT_EQ(pose.local[0].translation, Vec3(8, 2, 7)) << order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// Subsets of channels are enough: one rotation alone, one position alone, none at all.
TEST(Bvh, SubsetsOfChannels) {
  const Character character = parse_bvh(
      "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 0 JOINT b\n{ OFFSET 1 0 0 CHANNELS 1 Yrotation JOINT c\n"
      "{ OFFSET 0 2 0 CHANNELS 1 Yposition End Site\n{ OFFSET 0 1 0 } } } }\nMOTION Frames: 1 Frame Time: 1 90 3");
  const auto global = global_transforms(character.skeleton, sample(character.clips.at(0), character.skeleton, 0));
  EXPECT_TRUE(global[2].translation().isApprox(Vec3(1, 3, 0)));
  EXPECT_TRUE((global[2].linear() * Vec3(1, 0, 0)).isApprox(Vec3(0, 0, -1)));
}

// Position channels below the root hold the whole translation, or what is added to the OFFSET: the values tell.
TEST(Bvh, PositionChannelsBelowTheRoot) {
  const auto text = [](const char* values) {
    return std::string(
               "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 0 JOINT b\n{ OFFSET 0 5 0 CHANNELS 3 Xposition "
               "Yposition Zposition End Site\n{ OFFSET 0 1 0 } } }\nMOTION Frames: 1 Frame Time: 1 ") +
           values;
  };
  const Character whole = parse_bvh(text("0 5.5 0"));
  EXPECT_EQ(sample(whole.clips[0], whole.skeleton, 0).local[1].translation, Vec3(0, 5.5, 0));
  EXPECT_TRUE(whole.problems.empty());
  const Character added = parse_bvh(text("0 0.5 0"));
  EXPECT_EQ(sample(added.clips[0], added.skeleton, 0).local[1].translation, Vec3(0, 5.5, 0));
  ASSERT_EQ(added.problems.size(), 1U);
  EXPECT_EQ(added.problems[0].code, "bvh-positions-added");
}

// Neighbouring rotations lie in the same hemisphere, so that nothing spins when they are blended.
TEST(Bvh, RotationsAreContinuous) {
  std::string text = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation }\nMOTION Frames: 80 Frame Time: 0.1\n";
  for (int f = 0; f < 80; ++f) text += std::to_string(f * 10 % 360) + "\n";
  const Character character = parse_bvh(text);
  const auto& values = character.clips[0].channels[0].values;
  for (std::size_t k = 4; k < values.size(); k += 4) {
    EXPECT_GT(values[k] * values[k - 4] + values[k + 3] * values[k - 1], 0.99);
  }
}

// A file without MOTION is a skeleton; one with too few values gives the complete frames and a warning.
TEST(Bvh, IncompleteMotion) {
  const std::string text = kArm;
  const Character skeleton = parse_bvh(text.substr(0, text.find("MOTION")));
  EXPECT_EQ(skeleton.skeleton.size(), 2U);
  EXPECT_TRUE(skeleton.clips.empty());

  const Character partial = parse_bvh(text.substr(0, text.rfind("90")));
  ASSERT_EQ(partial.clips.size(), 1U);
  EXPECT_EQ(partial.clips[0].channels[0].times.size(), 1U);
  ASSERT_EQ(partial.problems.size(), 1U);
  EXPECT_EQ(partial.problems[0].code, "bvh-fewer-frames");

  EXPECT_EQ(parse_bvh(text + " 1 2 3").problems.at(0).code, "bvh-more-values");
  std::string huge = text;
  huge.replace(huge.find("Frames: 2"), 9, "Frames: 999999999999999");
  EXPECT_EQ(parse_bvh(huge).clips[0].channels[0].times.size(), 2U);
}

// Broken files are refused with a sentence.
TEST(Bvh, RefusesBrokenFiles) {
  const std::string text = kArm;
  EXPECT_NE(bvh_refusal("").find("no BVH"), std::string::npos);
  EXPECT_NE(bvh_refusal("HIERARCHY\n").find("no joint"), std::string::npos);
  EXPECT_NE(bvh_refusal("HIERARCHY\nROOT a\n{\nOFFSET 0 0").find("ends"), std::string::npos);
  EXPECT_NE(bvh_refusal("HIERARCHY\nROOT a\n{\nCHANNELS 2 Xrotation Xrotation\n}").find("twice"), std::string::npos);
  EXPECT_NE(bvh_refusal("HIERARCHY\nROOT a\n{\nCHANNELS 1 Wrotation\n}").find("unknown channel"), std::string::npos);
  EXPECT_NE(bvh_refusal("HIERARCHY\nROOT a\n{\nCHANNELS 7\n}").find("line 4"), std::string::npos);
  std::string nan = text;
  nan.replace(nan.find("10 20"), 2, "nan");
  EXPECT_NE(bvh_refusal(nan).find("not finite"), std::string::npos);
  std::string word = text;
  word.replace(word.find("10 20"), 2, "ab");
  EXPECT_NE(bvh_refusal(word).find("\"ab\""), std::string::npos);
  std::string time = text;
  time.replace(time.find("0.5\n"), 3, "0.0");
  EXPECT_NE(bvh_refusal(time).find("frame time"), std::string::npos);
  std::string deep = "HIERARCHY\nROOT a\n{\n";
  for (int i = 0; i < 5000; ++i) deep += "JOINT a\n{\n";
  EXPECT_NE(bvh_refusal(deep).find("1000 deep"), std::string::npos);
}

// A file cut off anywhere is read or refused, never worse.
TEST(Bvh, TruncatedAnywhere) {
  const std::string text = kArm;
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      parse_bvh(std::string_view(text).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// Joints of the same name get a number and a warning.
TEST(Bvh, RepeatedNames) {
  const Character character =
      parse_bvh("HIERARCHY ROOT a\n{ OFFSET 0 0 0 JOINT a\n{ OFFSET 0 1 0 } JOINT a\n{ OFFSET 0 1 0 } }\n");
  EXPECT_EQ(character.skeleton.joints[1].name, "a.1");
  EXPECT_EQ(character.skeleton.joints[2].name, "a.2");
  EXPECT_EQ(character.problems.at(0).count, 2);
}

double largest_difference(const Character& a, const Character& b) {
  double largest = 0;
  for (const double time : frame_times(a.clips.at(0))) {
    const auto in_a = global_transforms(a.skeleton, sample(a.clips[0], a.skeleton, time));
    const auto in_b = global_transforms(b.skeleton, sample(b.clips[0], b.skeleton, time));
    for (std::size_t j = 0; j < in_a.size(); ++j) {
      largest = std::max(largest, (in_a[j].matrix() - in_b[j].matrix()).cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

// What is written reads back as the same motion.
TEST(Bvh, RoundTrip) {
  const Character character = parse_bvh(kArm);
  const Character back = parse_bvh(format_bvh(character.skeleton, character.clips[0], 0.5));
  ASSERT_EQ(back.skeleton.size(), 2U);
  EXPECT_EQ(back.skeleton.joints[1].tail, character.skeleton.joints[1].tail);
  EXPECT_LT(largest_difference(character, back), 1e-12);
  Skeleton scaled = character.skeleton;
  scaled.joints[0].rest.scale *= 2;
  EXPECT_THROW(format_bvh(scaled, character.clips[0], 0.5), Error);
  EXPECT_THROW(format_bvh(character.skeleton, character.clips[0], 0), Error);
}

// The real recordings have their joints and frames, and survive a round trip.
TEST(Bvh, RealFiles) {
  SKIP_WITHOUT_SHARED_DATA();
  const Character walk = read_bvh(shared_data() / "cmu-bvh-dev/02_01.bvh");
  EXPECT_EQ(walk.skeleton.size(), 31U);
  EXPECT_EQ(walk.clips[0].channels[0].times.size(), 344U);
  EXPECT_TRUE(validate(walk).empty());
  const Character back = parse_bvh(format_bvh(walk.skeleton, walk.clips[0], walk.clips[0].channels[0].times[1]));
  EXPECT_LT(largest_difference(walk, back), 1e-9);
  for (const char* folder : {"cmu-bvh-dev", "makehuman"}) {
    for (const auto& entry : std::filesystem::directory_iterator(shared_data() / folder)) {
      if (entry.path().extension() != ".bvh") continue;
      const Character character = read_bvh(entry.path());
      EXPECT_GE(character.skeleton.size(), 31U) << entry.path();
      EXPECT_EQ(character.clips.size(), 1U) << entry.path();
      EXPECT_TRUE(validate(character).empty()) << entry.path();
    }
  }
}

}  // namespace
}  // namespace isochor
