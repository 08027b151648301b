#pragma once

/// Text for labels, drawn with a stroke font of our own: no font file is needed at run time, every size is sharp.
/// It has ASCII and the degree sign; UTF-8 is read, and any other character is drawn as an empty box.

#include <string_view>

#include "isochor/render/image.h"

namespace isochor {

enum class TextAlign { left, center, right };

struct TextStyle {
  double size = 16;  ///< px from the top of a line to its bottom, descenders included; capitals are 0.64 of it
  Color color = srgb(0x2b2f36);
  TextAlign align = TextAlign::left;
  bool bold = false;
};

/// The width in pixels of one line of text, strokes included.
double text_width(std::string_view text, const TextStyle& style = {});

/// Draws one line. `at` is the top of the line box, at its left end, its middle or its right end as `align` says;
/// nothing is drawn outside [x, x + text_width] × [y, y + size] (for left) and one pixel around it.
void draw_text(Image& image, std::string_view text, const Eigen::Vector2d& at, const TextStyle& style = {});

}  // namespace isochor
