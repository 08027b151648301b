#pragma once

/// Numbers to colours: perceptual colour maps, and the scale that ties a map to values.

#include <array>
#include <limits>
#include <span>
#include <string>

#include "isochor/base/options.h"
#include "isochor/render/image.h"

namespace isochor {

enum class ColorMap {
  sequential,  ///< dark violet, blue, green, yellow: lightness grows evenly, also for the colour-blind and in grey
  diverging,   ///< blue, near white, red: the middle is neutral, both ends equally dark
  heat,        ///< pale to dark red: small values fade into the clay colour
};
template <>
struct EnumNames<ColorMap> {
  static constexpr std::array names{"sequential", "diverging", "heat"};
};

/// The colour at t in [0, 1] (clamped), interpolated in OKLab between a few control points. NaN: neutral grey.
Color map_color(ColorMap map, double t);

/// Clearly different colours for joints, parts and components; the same index always gives the same colour.
Color category_color(std::size_t index);

/// What a per-vertex scalar means. Equal scales make pictures comparable, so give min and max if several are
/// compared.
struct ColorScale {
  ColorMap map = ColorMap::sequential;
  /// NaN: the smallest, the largest finite value in the scene (for `diverging`: symmetric about zero).
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  std::string title = {};  ///< what is shown, with its unit: "volume error [%]"
};

/// `scale` with min and max filled in from the values; both are finite and min < max afterwards, whatever the values
/// are.
ColorScale resolve(const ColorScale& scale, std::span<const double> values);

/// The colour of a value; values outside the scale take its ends. The scale must be resolved.
Color scale_color(const ColorScale& scale, double value);

}  // namespace isochor
