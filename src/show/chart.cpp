#include "isochor/show/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "isochor/base/words.h"
#include "isochor/render/color_bar.h"
#include "isochor/render/text.h"
#include "isochor/show/html_page.h"

namespace isochor {
namespace {

constexpr std::array<std::uint32_t, 6> kColors = {0x2a6fb0, 0xd9632f, 0x3a8f5c, 0x8a5bb8, 0xb8862a, 0x4a4f57};

std::string css(std::uint32_t rgb) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string out = "#";
  for (int shift = 20; shift >= 0; shift -= 4) out += kDigits[(rgb >> shift) & 15];
  return out;
}

struct Extent {
  double min = 0, max = 0;
};

/// Zero is always part of it: changes are read against nothing having changed.
Extent extent_with_zero(std::span<const Series> series) {
  Extent e;
  for (const Series& s : series) {
    for (const double y : s.y) {
      e.min = std::min(e.min, y);
      e.max = std::max(e.max, y);
    }
  }
  if (e.max - e.min < 1e-12) e.max = e.min + 1e-3;
  const double margin = 0.05 * (e.max - e.min);
  return {e.min < 0 ? e.min - margin : 0, e.max > 0 ? e.max + margin : 0};
}

Extent extent_x(std::span<const Series> series) {
  Extent e{INFINITY, -INFINITY};
  for (const Series& s : series) {
    for (const double x : s.x) e = {std::min(e.min, x), std::max(e.max, x)};
  }
  if (!(e.max > e.min)) e = {0, 1};
  return e;
}

/// Where values lie in the picture.
struct Layout {
  double width = 760, height = 260;
  double left = 70, right = 16, top = 28, bottom = 44;
  Extent x, y;

  explicit Layout(std::span<const Series> series) : x(extent_x(series)), y(extent_with_zero(series)) {}
  double px(double value) const { return left + (value - x.min) / (x.max - x.min) * (width - left - right); }
  double py(double value) const {
    return height - bottom - (value - y.min) / (y.max - y.min) * (height - top - bottom);
  }
};

double step_of(std::span<const double> ticks) { return ticks.size() > 1 ? ticks[1] - ticks[0] : 1; }

/// A file's name without what all others share would be shorter; a name is cut where it would not fit.
std::string legend_name(const std::string& name) {
  constexpr std::size_t kMost = 28;
  return name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...";
}

}  // namespace

std::string chart_svg(std::span<const Series> series, const ChartText& text) {
  const Layout at(series);
  const auto line = [&](double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + short_number(x1, 6) + "\" y1=\"" + short_number(y1, 6) + "\" x2=\"" + short_number(x2, 6) +
           "\" y2=\"" + short_number(y2, 6) + "\" style=\"" + style + "\"/>";
  };
  const auto label = [&](double x, double y, const std::string& anchor, const std::string& content) {
    return "<text x=\"" + short_number(x, 6) + "\" y=\"" + short_number(y, 6) + "\" text-anchor=\"" + anchor + "\">" +
           escape_html(content) + "</text>";
  };
  std::string svg =
      "<svg viewBox=\"0 0 760 260\" width=\"760\" style=\"font:12px system-ui,sans-serif;fill:var(--soft)\">";
  const auto y_ticks = ticks(at.y.min, at.y.max, 5);
  for (const double y : y_ticks) {
    svg += line(at.left, at.py(y), at.width - at.right, at.py(y), y == 0 ? "stroke:var(--soft)" : "stroke:var(--line)");
    svg += label(at.left - 8, at.py(y) + 4, "end", tick_label(y, step_of(y_ticks)));
  }
  const auto x_ticks = ticks(at.x.min, at.x.max, 8);
  for (const double x : x_ticks) {
    svg += label(at.px(x), at.height - at.bottom + 16, "middle", tick_label(x, step_of(x_ticks)));
  }
  svg += label((at.left + at.width) / 2, at.height - 8, "middle", text.x_label) +
         label(at.left, 14, "start", text.y_label);
  double legend = at.width - at.right;
  for (std::size_t s = series.size(); s-- > 0;) {
    const std::string color = css(kColors[s % kColors.size()]);
    std::string points;
    for (std::size_t i = 0; i < series[s].x.size(); ++i) {
      points.append(short_number(at.px(series[s].x[i]), 6)).append(",");
      points.append(short_number(at.py(series[s].y[i]), 6)).append(" ");
    }
    svg += "<polyline points=\"" + points + "\" style=\"fill:none;stroke-width:2;stroke:" + color + "\"/>";
    const std::string name = legend_name(series[s].name);
    svg += "<text x=\"" + short_number(legend, 6) + "\" y=\"14\" text-anchor=\"end\" style=\"fill:" + color +
           ";font-weight:600\">" + escape_html(name) + "</text>";
    legend -= 12 + 8.0 * static_cast<double>(name.size());
  }
  return svg + "</svg>";
}

Image chart_image(std::span<const Series> series, const ChartText& text) {
  Layout at(series);
  at.top = 56;
  at.height = 300;
  Image image(static_cast<int>(at.width), static_cast<int>(at.height));
  const Color soft = srgb(0x6b7280);
  const TextStyle small{.size = 14, .color = soft};
  const auto text_at = [&](const std::string& content, double x, double y, TextAlign align) {
    draw_text(image, content, {x, y}, {.size = small.size, .color = small.color, .align = align});
  };
  draw_text(image, text.title, {16, 8}, {.size = 18, .bold = true});
  text_at(text.y_label, 16, 30, TextAlign::left);
  const auto y_ticks = ticks(at.y.min, at.y.max, 5);
  for (const double y : y_ticks) {
    draw_line(image, {at.left, at.py(y)}, {at.width - at.right, at.py(y)},
              {.width = 1, .color = y == 0 ? soft : srgb(0xd9dce1)});
    text_at(tick_label(y, step_of(y_ticks)), at.left - 8, at.py(y) - 7, TextAlign::right);
  }
  const auto x_ticks = ticks(at.x.min, at.x.max, 8);
  for (const double x : x_ticks) {
    text_at(tick_label(x, step_of(x_ticks)), at.px(x), at.height - at.bottom + 6, TextAlign::center);
  }
  text_at(text.x_label, (at.left + at.width) / 2, at.height - 20, TextAlign::center);
  double legend = at.width - at.right;
  for (std::size_t s = series.size(); s-- > 0;) {
    const Color color = srgb(kColors[s % kColors.size()]);
    for (std::size_t i = 0; i + 1 < series[s].x.size(); ++i) {
      draw_line(image, {at.px(series[s].x[i]), at.py(series[s].y[i])},
                {at.px(series[s].x[i + 1]), at.py(series[s].y[i + 1])}, {.width = 2, .color = color});
    }
    const TextStyle name_style{.size = 14, .color = color, .align = TextAlign::right, .bold = true};
    const std::string name = legend_name(series[s].name);
    draw_text(image, name, {legend, 30}, name_style);
    legend -= 16 + text_width(name, name_style);
  }
  return image;
}

}  // namespace isochor
