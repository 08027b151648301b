#include "isochor/render/color_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace isochor {
namespace {

/// OKLab (Björn Ottosson, 2020): lightness and two opponent axes in which equal steps look equally large.
Vec3 to_oklab(const Color& linear) {
  const Vec3 c = linear.cast<double>();
  const double l = std::cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
  const double m = std::cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
  const double s = std::cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color from_oklab(const Vec3& lab) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2]);
  const double m = cube(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2]);
  const double s = cube(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2]);
  const Vec3 linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
  return linear.cwiseMax(0.0).cwiseMin(1.0).cast<float>();
}

constexpr std::array<std::uint32_t, 6> kSequential{0x4a2a7d, 0x4159a8, 0x2b86a2, 0x3aae86, 0x97d058, 0xf8e84c};
constexpr std::array<std::uint32_t, 5> kDiverging{0x24508f, 0x82aed6, 0xf2f0ec, 0xe59c7c, 0xa3282f};
constexpr std::array<std::uint32_t, 5> kHeat{0xe9e4da, 0xf3c585, 0xea8a52, 0xc8442f, 0x7d1226};

std::span<const std::uint32_t> control_points(ColorMap map) {
  switch (map) {
    case ColorMap::diverging:
      return kDiverging;
    case ColorMap::heat:
      return kHeat;
    case ColorMap::sequential:
      break;
  }
  return kSequential;
}

constexpr std::uint32_t kUnknown = 0x9a9a9a;

}  // namespace

Color map_color(ColorMap map, double t) {
  if (std::isnan(t)) return srgb(kUnknown);
  const auto points = control_points(map);
  const double x = std::clamp(t, 0.0, 1.0) * static_cast<double>(points.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), points.size() - 2);
  const double share = x - static_cast<double>(i);
  return from_oklab((1 - share) * to_oklab(srgb(points[i])) + share * to_oklab(srgb(points[i + 1])));
}

Color category_color(std::size_t index) {
  // Hues a golden angle apart never come close for long; three lightness levels tell near hues apart.
  constexpr double kGoldenAngle = 2.399963229728653;
  constexpr std::array<double, 3> kLightness{0.72, 0.60, 0.82};
  const double hue = std::fmod(0.4 + kGoldenAngle * static_cast<double>(index % 4096), 2 * std::numbers::pi);
  const double chroma = 0.115;
  return from_oklab({kLightness[index % kLightness.size()], chroma * std::cos(hue), chroma * std::sin(hue)});
}

ColorScale resolve(const ColorScale& scale, std::span<const double> values) {
  ColorScale result = scale;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low > high) low = high = 0;
  if (scale.map == ColorMap::diverging) {
    const double reach = std::max(std::abs(low), std::abs(high));
    low = -reach;
    high = reach;
  }
  if (!std::isfinite(result.min)) result.min = std::min(low, std::isfinite(scale.max) ? scale.max : low);
  if (!std::isfinite(result.max)) result.max = std::max(high, result.min);
  if (result.min > result.max) std::swap(result.min, result.max);
  if (!(result.max - result.min > 0)) {
    const double room = result.min == 0 ? 1 : std::abs(result.min) * 0.5;
    result.min -= room;
    result.max += room;
  }
  return result;
}

Color scale_color(const ColorScale& scale, double value) {
  return map_color(scale.map, (value - scale.min) / (scale.max - scale.min));
}

}  // namespace isochor
