#include "isochor/render/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace isochor {
namespace {

/// The smallest rectangle that holds all ink; empty (width 0) without any.
PixelRect ink(const Image& image) {
  int left = image.width, right = -1, top = image.height, bottom = -1;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (image.at(x, y)[0] >= 250) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  }
  return right < 0 ? PixelRect{} : PixelRect{left, top, right - left + 1, bottom - top + 1};
}

double darkness(const Image& image) {
  double sum = 0;
  for (const std::uint8_t v : image.pixels) sum += (255 - v) / 765.0;
  return sum;
}

// Every character stays within the box that text_width() and the size promise, and one pixel around it.
TEST(Text, DrawsWithinItsBox) {
  std::string all;
  for (char c = '!'; c <= '~'; ++c) all += c;
  for (const double size : {9.0, 16.0, 40.0}) {
    const TextStyle style{.size = size};
    for (const std::string& text : {all, std::string("("), std::string("gjpqy"), std::string("AMW@|{")}) {
      const double width = text_width(text, style);
      Image image(static_cast<int>(width) + 40, static_cast<int>(size) + 40);
      draw_text(image, text, {20, 20}, style);
      const PixelRect box = ink(image);
      EXPECT_GE(box.x, 19) << text << " " << size;
      EXPECT_GE(box.y, 19) << text << " " << size;
      EXPECT_LE(box.x + box.width, 21 + std::ceil(width)) << text << " " << size;
      EXPECT_LE(box.y + box.height, 21 + std::ceil(size)) << text << " " << size;
    }
  }
}

// Text is as wide as it is drawn: ink reaches both ends of the promised width.
TEST(Text, WidthIsThatOfTheInk) {
  const TextStyle style{.size = 30};
  Image image(400, 60);
  draw_text(image, "Hamburg H", {10, 10}, style);
  const PixelRect box = ink(image);
  EXPECT_NEAR(box.x, 10, 1.5);
  EXPECT_NEAR(box.x + box.width, 10 + text_width("Hamburg H", style), 1.5);
  EXPECT_EQ(text_width("", style), 0);
}

// Centred and right-aligned text ends where it should.
TEST(Text, Alignment) {
  TextStyle style{.size = 20, .align = TextAlign::right};
  Image image(200, 40);
  draw_text(image, "MMM", {150, 5}, style);
  EXPECT_NEAR(ink(image).x + ink(image).width, 150, 1.5);
  style.align = TextAlign::center;
  image = Image(200, 40);
  draw_text(image, "MMM", {100, 5}, style);
  EXPECT_NEAR(ink(image).x + ink(image).width / 2.0, 100, 1.5);
}

// No two characters look the same, and only the space leaves no ink.
TEST(Text, CharactersAreDistinct) {
  std::vector<Image> seen;
  for (char c = ' '; c <= '~'; ++c) {
    Image image(40, 40);
    draw_text(image, std::string(1, c), {4, 4}, {.size = 30});
    EXPECT_EQ(darkness(image) > 1, c != ' ') << c;
    for (const Image& other : seen) EXPECT_NE(image, other) << c;
    seen.push_back(image);
  }
}

// The degree sign is read from UTF-8 as one character; an unknown one is one box; broken bytes do no harm.
TEST(Text, Utf8) {
  const TextStyle style;
  EXPECT_LT(text_width("\u00b0", style), text_width("0", style));
  EXPECT_EQ(text_width("\u4e2d", style), text_width("\u00e9", style));
  Image image(60, 30);
  draw_text(image, "\xff\xc2", {5, 5}, style);
  draw_text(image, "\xf0\x9f", {5, 5}, style);
  EXPECT_GT(darkness(image), 1);
}

// Bold strokes are darker than plain ones.
TEST(Text, BoldIsHeavier) {
  Image plain(100, 40);
  Image bold(100, 40);
  draw_text(plain, "Volume", {5, 5}, {.size = 20});
  draw_text(bold, "Volume", {5, 5}, {.size = 20, .bold = true});
  EXPECT_GT(darkness(bold), 1.2 * darkness(plain));
}

}  // namespace
}  // namespace isochor
