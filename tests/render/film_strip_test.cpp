#include "isochor/render/film_strip.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

struct FilmStrip : testing::Test {
  Character character = make_sample("cylinder");
  Context context{1};
  RenderOptions picture{.width = 60, .height = 80, .samples = 1, .ground = false};

  std::vector<StripMoment> moments(int count) const {
    const Clip& bend = character.clips[0];
    std::vector<StripMoment> out;
    for (const double time : even_times(bend, count)) {
      out.push_back({sample(bend, character.skeleton, time), "moment"});
    }
    return out;
  }
  Strip strip(std::span<const StripMoment> of, const StripOptions& options = {}) {
    return render_strip(character, of, options, picture, context);
  }
};

/// How many pixels of some columns show something.
int shown(const Image& image, int from, int to, const Color& background) {
  const Image plain(1, 1, background);
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = from; x < to; ++x) {
      const auto pixel = image.at(x, y);
      count += pixel != plain.at(0, 0) && pixel != std::array<std::uint8_t, 3>{255, 255, 255} ? 1 : 0;
    }
  }
  return count;
}

// One moment is a picture of the size asked for; several stand side by side, with their labels below.
TEST_F(FilmStrip, SizeAndLabels) {
  const auto one = strip(moments(1)).image;
  EXPECT_EQ(one.width, picture.width);
  EXPECT_EQ(one.height, picture.height);
  const auto three = strip(moments(3)).image;
  EXPECT_GE(three.width, 3 * picture.width);
  EXPECT_GT(three.height, picture.height + 20);
}

// All moments are seen from one place, or each is framed by itself: a character that walks away then fills its picture.
TEST_F(FilmStrip, FromOnePlaceOrFollowing) {
  std::vector<StripMoment> walking(2, {rest_pose(character.skeleton), ""});
  walking[1].pose.local[0].translation.x() += 20;
  const Image fixed = strip(walking).image, followed = strip(walking, {.follow = true}).image;
  const Color& background = picture.colors.background;
  const int half = fixed.width / 2;
  EXPECT_GT(shown(fixed, 0, half, background), 0);
  EXPECT_LT(2 * shown(fixed, 0, half, background), shown(followed, 0, half, background));
}

// Pairs of faces that cross are counted moment by moment: none at rest, some in a sharp bend.
TEST_F(FilmStrip, CountsCrossings) {
  const Strip made = strip(moments(2), {.crossings = true});
  ASSERT_EQ(made.crossings.size(), 2u);
  EXPECT_EQ(made.crossings[0], 0u);
  EXPECT_GT(made.crossings[1], 0u);
  EXPECT_TRUE(strip(moments(2)).crossings.empty());
}

// What a rig of the medial is needed for is refused without one.
TEST_F(FilmStrip, MedialNeedsItsRig) {
  EXPECT_THROW(strip(moments(1), {.deformer = Deformer::medial}), Error);
  EXPECT_THROW(strip(moments(1), {.complex = MedialColor::radius}), Error);
}

// By the medial the skin bends; the complex is drawn in its place if that is asked for.
TEST_F(FilmStrip, ByTheMedial) {
  const WeldedCharacter welded(character);
  BindOptions coarse;
  coarse.gvb.resolution = 32;
  const PreparedMedial medial = prepare_medial(welded, coarse, context);
  const auto bent = moments(2);
  const auto last = std::span(bent).last(1);
  const auto draw = [&](const StripOptions& options) {
    return render_strip(character, last, options, picture, context, MedialOf{welded, medial}).image;
  };
  const Image skin = draw({.deformer = Deformer::medial});
  EXPECT_FALSE(skin == render_strip(character, std::span(bent).first(1), {.deformer = Deformer::medial}, picture,
                                    context, MedialOf{welded, medial})
                           .image);
  EXPECT_FALSE(skin == draw({.complex = MedialColor::joint}));
}

}  // namespace
}  // namespace isochor
