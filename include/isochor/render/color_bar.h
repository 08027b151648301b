#pragma once

/// The bar beside a picture that says which colour means which number.

#include <string>
#include <vector>

#include "isochor/render/color_map.h"

namespace isochor {

/// Round numbers inside [min, max], about `count` of them, 1, 2 or 5 times a power of ten apart; increasing.
/// Both must be finite and min < max.
std::vector<double> ticks(double min, double max, int count);
/// A tick as text, with as many decimals as `step` needs; powers of ten for the very large and the very small.
std::string tick_label(double value, double step);

/// Where draw_color_bar() puts things in a picture of that height; all else follows from it.
struct ColorBarLayout {
  double text_size = 0;  ///< px
  PixelRect bar;         ///< the colours themselves, relative to the strip's top left corner
  int width = 0;         ///< px: of the whole strip with ticks, numbers and title
};
ColorBarLayout color_bar_layout(const ColorScale& scale, int height);

/// A vertical bar, low values at the bottom, with ticks and numbers at its right and its title above; the strip's top
/// left corner at (x, y), its height as given. The scale must be resolved. What the image shows behind it stays.
void draw_color_bar(Image& image, const PixelRect& strip, const ColorScale& scale);

}  // namespace isochor
