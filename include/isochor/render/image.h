#pragma once

/// A picture in memory, and the few drawing operations that labels, colour bars and sheets need.

#include <array>
#include <cstdint>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

/// Linear light, red, green, blue in [0, 1]. Write `srgb(0x3366cc)` for a colour as designers know it.
using Color = Vec3f;

/// 0xRRGGBB in sRGB to linear light.
Color srgb(std::uint32_t rrggbb);
/// Linear light to the nearest 8-bit sRGB; clamped, NaN becomes black.
std::array<std::uint8_t, 3> to_srgb8(const Color& color);

/// 8-bit sRGB, rows from top to bottom, pixels from left to right, three bytes per pixel without padding.
/// Pixel (x, y) covers the square [x, x+1) × [y, y+1): coordinates that are not integers mean positions inside pixels.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels = {};  // height × width × 3

  Image() = default;
  Image(int image_width, int image_height, const Color& fill = Color::Ones());

  std::array<std::uint8_t, 3> at(int x, int y) const {
    const std::size_t i = offset(x, y);
    return {pixels[i], pixels[i + 1], pixels[i + 2]};
  }
  void set(int x, int y, std::array<std::uint8_t, 3> rgb) {
    const std::size_t i = offset(x, y);
    pixels[i] = rgb[0];
    pixels[i + 1] = rgb[1];
    pixels[i + 2] = rgb[2];
  }
  bool operator==(const Image&) const = default;

 private:
  std::size_t offset(int x, int y) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3;
  }
};

struct PixelRect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// Blends a colour over one pixel. `coverage` in [0, 1]; blended in sRGB values, which keeps thin dark strokes on a
/// light ground as heavy as light ones on a dark ground. Outside the image: nothing.
void blend_pixel(Image& image, int x, int y, const Color& color, double coverage);

/// All drawing is cut off at the image's edge.
void fill_rect(Image& image, const PixelRect& rect, const Color& color);
/// Copies `source` with its top left corner at (x, y).
void paste(Image& image, const Image& source, int x, int y);

struct Stroke {
  double width = 1;  ///< px
  Color color = Color::Zero();
  double opacity = 1;
};
/// An anti-aliased line with round ends; the centres of its ends in pixel coordinates.
void draw_line(Image& image, const Eigen::Vector2d& from, const Eigen::Vector2d& to, const Stroke& stroke);

}  // namespace isochor
