#pragma once

/// The stroke font: each character as polylines on a grid where the baseline is y = 0 (up is positive), capitals are 7
/// high, small letters 5, and descenders reach -2.

#include <Eigen/Core>
#include <vector>

namespace isochor::font {

inline constexpr double kCapHeight = 7;
inline constexpr double kDescent = 2;
/// Between the right edge of a character's strokes' centres and the left one of the next.
inline constexpr double kGap = 1.9;

struct Glyph {
  double width = 0;  ///< between the leftmost and the rightmost stroke centre
  std::vector<std::vector<Eigen::Vector2d>> strokes;
};

/// An empty box for characters that the font does not have.
Glyph glyph(char32_t character);

}  // namespace isochor::font
