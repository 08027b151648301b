#pragma once

/// Line charts: as SVG for pages, as pixels for PNG files.

#include <span>
#include <string>
#include <vector>

#include "isochor/render/image.h"

namespace isochor {

/// One line of a chart.
struct Series {
  std::string name;
  std::vector<double> x, y;
};

struct ChartText {
  std::string title;  ///< drawn in pictures; pages have headings of their own
  std::string x_label;
  std::string y_label;
};

/// An `svg` element in the colours of HtmlPage.
std::string chart_svg(std::span<const Series> series, const ChartText& text);
Image chart_image(std::span<const Series> series, const ChartText& text);

}  // namespace isochor
