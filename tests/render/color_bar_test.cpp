#include "isochor/render/color_bar.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// Ticks are round numbers, and ends that are round themselves are among them.
TEST(Ticks, AreRound) {
  EXPECT_EQ(ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.2 * 3, 0.8, 1}));
  EXPECT_EQ(ticks(-3, 17, 4), (std::vector<double>{0, 5, 10, 15}));
  EXPECT_EQ(ticks(-1, 1, 4).size(), 5u);
}

// However the range lies, there are a few ticks, increasing, inside it.
TEST(Ticks, AreInsideAndIncreasing) {
  for (const auto& [min, max] : {std::pair{1e-9, 3e-9}, {-1e12, 5e12}, {99.97, 100.02}, {0.0, 7.3}, {-0.3, 0.0}}) {
    const auto t = ticks(min, max, 5);
    ASSERT_GE(t.size(), 3u);
    ASSERT_LE(t.size(), 9u);
    const double grace = 1e-3 * (max - min);
    for (std::size_t i = 0; i < t.size(); ++i) {
      EXPECT_GE(t[i], min - grace);
      EXPECT_LE(t[i], max + grace);
      if (i > 0) {
        EXPECT_GT(t[i], t[i - 1]);
      }
    }
  }
}

// Labels have the decimals that their step needs, and no others.
TEST(Ticks, Labels) {
  EXPECT_EQ(tick_label(0.2, 0.2), "0.2");
  EXPECT_EQ(tick_label(-0.25, 0.05), "-0.25");
  EXPECT_EQ(tick_label(15, 5), "15");
  EXPECT_EQ(tick_label(0, 5), "0");
  EXPECT_EQ(tick_label(2e7, 1e7), "2e+07");
  EXPECT_EQ(tick_label(2e-6, 1e-6), "2e-06");
}

// The bar shows the map from bottom to top, and nothing leaves its strip.
TEST(ColorBar, ShowsTheMapWithinItsStrip) {
  const ColorScale scale{.min = -12.5, .max = 250, .title = "error [%]"};
  const ColorBarLayout layout = color_bar_layout(scale, 300);
  Image image(layout.width + 20, 320);
  draw_color_bar(image, {10, 10, layout.width, 300}, scale);
  const int x = 10 + layout.bar.x + layout.bar.width / 2;
  const int top = 10 + layout.bar.y;
  for (const int y : {0, layout.bar.height / 3, layout.bar.height - 1}) {
    EXPECT_EQ(image.at(x, top + y), to_srgb8(map_color(scale.map, 1 - (y + 0.5) / layout.bar.height)));
  }
  for (int y = 0; y < image.height; ++y) {
    for (int outside = 0; outside < image.width; ++outside) {
      const bool in_strip = outside >= 10 && outside < 10 + layout.width && y >= 10 && y < 310;
      if (!in_strip) {
        EXPECT_EQ(image.at(outside, y), (std::array<std::uint8_t, 3>{255, 255, 255}));
      }
    }
  }
}

// A title widens the strip where it needs to.
TEST(ColorBar, MakesRoomForItsTitle) {
  const ColorScale plain{.min = 0, .max = 1};
  ColorScale titled = plain;
  titled.title = "a rather long explanation of what is shown";
  EXPECT_GT(color_bar_layout(titled, 400).width, 2 * color_bar_layout(plain, 400).width);
}

}  // namespace
}  // namespace isochor
