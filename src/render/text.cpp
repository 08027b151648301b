#include "isochor/render/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/font.h"

namespace isochor {
namespace {

/// The lines of the font, from the top of "(" to the bottom of "g", with the strokes' own width, make up the size.
constexpr double kCapShare = 0.64;

double unit(const TextStyle& style) { return style.size * kCapShare / font::kCapHeight; }
double stroke_width(const TextStyle& style) { return (style.bold ? 1.25 : 0.82) * unit(style); }

/// Reads one UTF-8 character; a broken sequence is one unknown character a byte.
char32_t next_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  char32_t value = length == 1 ? lead : lead & (0xffu >> (length + 1));
  bool good = length <= text.size() && (lead < 0x80 || lead >= 0xc2);
  for (std::size_t i = 1; good && i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    good = (byte & 0xc0u) == 0x80u;
    value = (value << 6) | (byte & 0x3fu);
  }
  text.remove_prefix(good ? length : 1);
  return good ? value : 0xfffd;
}

double distance_to_stroke(const std::vector<Eigen::Vector2d>& stroke, const Eigen::Vector2d& p) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < stroke.size(); ++i) {
    const Eigen::Vector2d along = stroke[i] - stroke[i - 1];
    const double length2 = along.squaredNorm();
    const double t = length2 > 0 ? std::clamp((p - stroke[i - 1]).dot(along) / length2, 0.0, 1.0) : 0.0;
    best = std::min(best, (p - stroke[i - 1] - t * along).squaredNorm());
  }
  return std::sqrt(best);
}

/// `origin` is the left end of the baseline. Coverage is the union of the strokes, so that crossings are not darker.
void draw_glyph(Image& image, const font::Glyph& glyph, const Eigen::Vector2d& origin, const TextStyle& style) {
  const double scale = unit(style);
  const double half = stroke_width(style) / 2;
  Eigen::AlignedBox2d box;
  for (const auto& stroke : glyph.strokes) {
    for (const auto& p : stroke) box.extend(p);
  }
  if (box.isEmpty()) return;
  const double reach = half + 1;
  const int left = static_cast<int>(std::floor(origin.x() + scale * box.min().x() - reach));
  const int right = static_cast<int>(std::ceil(origin.x() + scale * box.max().x() + reach));
  const int top = static_cast<int>(std::floor(origin.y() - scale * box.max().y() - reach));
  const int bottom = static_cast<int>(std::ceil(origin.y() - scale * box.min().y() + reach));
  for (int y = std::max(top, 0); y < std::min(bottom, image.height); ++y) {
    for (int x = std::max(left, 0); x < std::min(right, image.width); ++x) {
      const Eigen::Vector2d p((x + 0.5 - origin.x()) / scale, (origin.y() - y - 0.5) / scale);
      double distance = std::numeric_limits<double>::infinity();
      for (const auto& stroke : glyph.strokes) distance = std::min(distance, distance_to_stroke(stroke, p));
      const double coverage = std::clamp(half + 0.5 - distance * scale, 0.0, std::min(1.0, 2 * half));
      blend_pixel(image, x, y, style.color, coverage);
    }
  }
}

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
  if (text.empty()) return 0;
  double units = -font::kGap;
  while (!text.empty()) units += font::glyph(next_character(text)).width + font::kGap;
  return units * unit(style) + stroke_width(style);
}

void draw_text(Image& image, std::string_view text, const Eigen::Vector2d& at, const TextStyle& style) {
  const double width = text_width(text, style);
  const double shift = style.align == TextAlign::left ? 0 : style.align == TextAlign::center ? 0.5 : 1;
  // Descenders end half a stroke above the bottom of the box; the baseline lies on a pixel row, for crisp feet.
  const double descent = font::kDescent * unit(style) + stroke_width(style) / 2;
  Eigen::Vector2d pen(at.x() - shift * width + stroke_width(style) / 2, at.y() + style.size - descent);
  pen.y() = std::round(pen.y() + stroke_width(style) / 2) - stroke_width(style) / 2;
  while (!text.empty()) {
    const font::Glyph glyph = font::glyph(next_character(text));
    draw_glyph(image, glyph, pen, style);
    pen.x() += (glyph.width + font::kGap) * unit(style);
  }
}

}  // namespace isochor
