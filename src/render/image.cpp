#include "isochor/render/image.h"

#include <algorithm>
#include <cmath>

namespace isochor {
namespace {

double decode(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

double encode(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

std::uint8_t encode8(float linear) {
  if (!(linear > 0)) return 0;
  return static_cast<std::uint8_t>(std::lround(255 * encode(std::min(static_cast<double>(linear), 1.0))));
}

}  // namespace

Color srgb(std::uint32_t rrggbb) {
  const auto channel = [&](int shift) { return static_cast<float>(decode(((rrggbb >> shift) & 0xffu) / 255.0)); };
  return {channel(16), channel(8), channel(0)};
}

std::array<std::uint8_t, 3> to_srgb8(const Color& color) {
  return {encode8(color[0]), encode8(color[1]), encode8(color[2])};
}

Image::Image(int image_width, int image_height, const Color& fill)
    : width(std::max(image_width, 0)), height(std::max(image_height, 0)) {
  pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  const auto rgb = to_srgb8(fill);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = rgb[i % 3];
}

void blend_pixel(Image& image, int x, int y, const Color& color, double coverage) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || !(coverage > 0)) return;
  const auto source = to_srgb8(color);
  auto target = image.at(x, y);
  const double share = std::min(coverage, 1.0);
  for (std::size_t c = 0; c < 3; ++c) {
    target[c] = static_cast<std::uint8_t>(std::lround(target[c] + share * (source[c] - target[c])));
  }
  image.set(x, y, target);
}

void fill_rect(Image& image, const PixelRect& rect, const Color& color) {
  const auto rgb = to_srgb8(color);
  for (int y = std::max(rect.y, 0); y < std::min(rect.y + rect.height, image.height); ++y) {
    for (int x = std::max(rect.x, 0); x < std::min(rect.x + rect.width, image.width); ++x) image.set(x, y, rgb);
  }
}

void paste(Image& image, const Image& source, int x, int y) {
  for (int sy = std::max(0, -y); sy < std::min(source.height, image.height - y); ++sy) {
    for (int sx = std::max(0, -x); sx < std::min(source.width, image.width - x); ++sx) {
      image.set(x + sx, y + sy, source.at(sx, sy));
    }
  }
}

void draw_line(Image& image, const Eigen::Vector2d& from, const Eigen::Vector2d& to, const Stroke& stroke) {
  if (!from.allFinite() || !to.allFinite()) return;
  const double reach = stroke.width / 2 + 1;
  const Eigen::Vector2d image_size(image.width, image.height);
  const Eigen::Vector2d low = (from.cwiseMin(to).array() - reach).max(0.0);
  const Eigen::Vector2d high = (from.cwiseMax(to).array() + reach).min(image_size.array());
  const Eigen::Vector2d along = to - from;
  const double length2 = along.squaredNorm();
  for (int y = static_cast<int>(low.y()); y < high.y(); ++y) {
    for (int x = static_cast<int>(low.x()); x < high.x(); ++x) {
      const Eigen::Vector2d p(x + 0.5, y + 0.5);
      const double t = length2 > 0 ? std::clamp((p - from).dot(along) / length2, 0.0, 1.0) : 0.0;
      const double distance = (p - from - t * along).norm();
      // A stroke thinner than a pixel keeps its weight by fading instead.
      const double inside = std::clamp(stroke.width / 2 + 0.5 - distance, 0.0, std::min(1.0, stroke.width));
      blend_pixel(image, x, y, stroke.color, stroke.opacity * inside);
    }
  }
}

}  // namespace isochor
