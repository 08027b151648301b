#include "isochor/render/color_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace isochor {
namespace {

double luminance(const Color& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Sequential maps are monotone in lightness: they survive a grey print.
TEST(ColorMap, SequentialLightnessIsMonotone) {
  for (int i = 1; i <= 100; ++i) {
    EXPECT_GT(luminance(map_color(ColorMap::sequential, i / 100.0)),
              luminance(map_color(ColorMap::sequential, (i - 1) / 100.0)));
    EXPECT_LT(luminance(map_color(ColorMap::heat, i / 100.0)), luminance(map_color(ColorMap::heat, (i - 1) / 100.0)));
  }
}

// The diverging map is neutral and lightest in its middle, blue below and red above.
TEST(ColorMap, DivergingIsNeutralInTheMiddle) {
  const Color middle = map_color(ColorMap::diverging, 0.5);
  EXPECT_LT(middle.maxCoeff() - middle.minCoeff(), 0.05f);
  EXPECT_GT(luminance(middle), luminance(map_color(ColorMap::diverging, 0.3)));
  EXPECT_GT(luminance(middle), luminance(map_color(ColorMap::diverging, 0.7)));
  EXPECT_GT(map_color(ColorMap::diverging, 0)[2], map_color(ColorMap::diverging, 0)[0]);
  EXPECT_GT(map_color(ColorMap::diverging, 1)[0], map_color(ColorMap::diverging, 1)[2]);
}

// Values beyond the ends take the ends; what is not a number is grey.
TEST(ColorMap, EndsAndUnknown) {
  EXPECT_EQ(map_color(ColorMap::sequential, -3), map_color(ColorMap::sequential, 0));
  EXPECT_EQ(map_color(ColorMap::sequential, 7), map_color(ColorMap::sequential, 1));
  const Color grey = map_color(ColorMap::sequential, kNan);
  EXPECT_EQ(grey[0], grey[1]);
  EXPECT_EQ(grey[1], grey[2]);
}

// Neighbouring categories are far apart.
TEST(ColorMap, CategoriesDiffer) {
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_GT((category_color(i) - category_color(i + 1)).norm(), 0.1f) << i;
    EXPECT_EQ(category_color(i), category_color(i));
  }
}

// A scale without limits takes those of the finite values.
TEST(ColorScale, TakesItsLimitsFromTheValues) {
  const std::array values{3.0, kNan, -1.0, std::numeric_limits<double>::infinity(), 2.0};
  const ColorScale scale = resolve({}, values);
  EXPECT_EQ(scale.min, -1);
  EXPECT_EQ(scale.max, 3);
  EXPECT_EQ(scale_color(scale, -1), map_color(ColorMap::sequential, 0));
  EXPECT_EQ(scale_color(scale, 1), map_color(ColorMap::sequential, 0.5));
}

// A diverging scale is symmetric about zero, so that zero is neutral.
TEST(ColorScale, DivergingIsSymmetric) {
  const ColorScale scale = resolve({.map = ColorMap::diverging}, std::array{-1.0, 4.0});
  EXPECT_EQ(scale.min, -4);
  EXPECT_EQ(scale.max, 4);
}

// Given limits stay; one given limit bounds the other; constant and missing values still give a usable scale.
TEST(ColorScale, IsAlwaysUsable) {
  EXPECT_EQ(resolve({.min = 0, .max = 1}, std::array{5.0}).max, 1);
  for (const ColorScale& asked :
       {ColorScale{}, ColorScale{.map = ColorMap::diverging}, ColorScale{.min = 7}, ColorScale{.max = -7},
        ColorScale{.min = 2, .max = 2}, ColorScale{.min = 3, .max = 1}}) {
    for (const std::vector<double>& values :
         {std::vector<double>{}, std::vector<double>{0}, std::vector<double>{5, 5}, std::vector<double>{kNan}}) {
      const ColorScale scale = resolve(asked, values);
      EXPECT_TRUE(std::isfinite(scale.min) && std::isfinite(scale.max));
      EXPECT_LT(scale.min, scale.max);
    }
  }
}

}  // namespace
}  // namespace isochor
