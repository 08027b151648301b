#include "isochor/show/chart.h"

#include <gtest/gtest.h>

#include "show/count.h"

namespace isochor {
namespace {

using test::count;

// One line for each series, names in the legend, zero among the ticks though no value is near it.
TEST(Chart, LinesAndLegend) {
  const std::vector<Series> series = {{"a", {0, 1, 2}, {5, 6, 7}}, {"b<c", {0, 2}, {6, 5}}};
  const std::string svg = chart_svg(series, {.x_label = "seconds", .y_label = "per cent"});
  EXPECT_EQ(count(svg, "<polyline"), 2);
  EXPECT_NE(svg.find(">b&lt;c</text>"), std::string::npos);
  EXPECT_NE(svg.find(">0</text>"), std::string::npos);
  EXPECT_NE(svg.find(">seconds</text>"), std::string::npos);
}

// A line of one value is drawn all the same: no division by an empty range.
TEST(Chart, OneMoment) {
  const std::vector<Series> series = {{"still", {3}, {0}}};
  const std::string svg = chart_svg(series, {});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(chart_image(series, {.title = "still"}).width, 760);
}

}  // namespace
}  // namespace isochor
