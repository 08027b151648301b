#include "isochor/render/image.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isochor {
namespace {

using Rgb = std::array<std::uint8_t, 3>;

// Every 8-bit sRGB value survives the way to linear light and back.
TEST(Color, SrgbRoundTrip) {
  for (std::uint32_t v = 0; v < 256; ++v) {
    const auto byte = static_cast<std::uint8_t>(v);
    EXPECT_EQ(to_srgb8(srgb(v << 16 | v << 8 | v)), (Rgb{byte, byte, byte}));
  }
  EXPECT_EQ(to_srgb8(srgb(0x123456)), (Rgb{0x12, 0x34, 0x56}));
}

// Half the light is sRGB 188, as the standard's curve has it; what lies outside [0, 1] is clamped, NaN is black.
TEST(Color, LinearLightIsEncodedByTheStandardsCurve) {
  EXPECT_EQ(to_srgb8(Color(0.5f, -1.0f, 7.0f)), (Rgb{188, 0, 255}));
  EXPECT_EQ(to_srgb8(Color::Constant(std::nanf(""))), (Rgb{0, 0, 0}));
}

// Rows run from top to bottom, three bytes a pixel.
TEST(Image, Layout) {
  Image image(3, 2, Color::Zero());
  image.set(2, 1, {1, 2, 3});
  ASSERT_EQ(image.pixels.size(), 18u);
  EXPECT_EQ(image.pixels[15], 1);
  EXPECT_EQ(image.pixels[17], 3);
  EXPECT_EQ(image.at(2, 1), (Rgb{1, 2, 3}));
}

// Drawing beyond the edge changes what lies inside and nothing else.
TEST(Image, DrawingIsCutOffAtTheEdge) {
  Image image(4, 4);
  fill_rect(image, {-2, -2, 4, 4}, Color::Zero());
  paste(image, Image(4, 4, srgb(0xff0000)), 3, 3);
  paste(image, Image(4, 4, srgb(0x00ff00)), -3, 3);
  blend_pixel(image, 9, 0, Color::Zero(), 1);
  EXPECT_EQ(image.at(0, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.at(1, 1), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.at(2, 2), (Rgb{255, 255, 255}));
  EXPECT_EQ(image.at(3, 3), (Rgb{255, 0, 0}));
  EXPECT_EQ(image.at(0, 3), (Rgb{0, 255, 0}));
}

// A line two pixels wide covers exactly its two rows; a pixel half covered is half as dark.
TEST(Image, LineCoversItsWidth) {
  Image image(20, 9);
  draw_line(image, {2, 4}, {18, 4}, {.width = 2});
  EXPECT_EQ(image.at(10, 3), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.at(10, 4), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.at(10, 2), (Rgb{255, 255, 255}));
  EXPECT_EQ(image.at(10, 5), (Rgb{255, 255, 255}));
  Image shifted(20, 9);
  draw_line(shifted, {2, 4.5}, {18, 4.5}, {.width = 2});
  EXPECT_NEAR(shifted.at(10, 3)[0], 128, 1);
  EXPECT_EQ(shifted.at(10, 4)[0], 0);
}

// A line to a place that is not a number is not drawn.
TEST(Image, LineToNowhere) {
  Image image(8, 8);
  draw_line(image, {1, 1}, {std::nan(""), 4}, {});
  EXPECT_EQ(image, Image(8, 8));
}

}  // namespace
}  // namespace isochor
