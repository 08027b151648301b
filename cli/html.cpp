#include "html.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "isochor/render/color_bar.h"
#include "session.h"

namespace isochor::cli {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #22262d; --soft: #6b7280; --line: #d9dce1; --paper: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa2ad; --line: #3a3f47; --paper: #16181c; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }
figure { margin: 1rem 0; } figure img, figure svg { max-width: 100%; height: auto; border-radius: 6px; }
figcaption { color: var(--soft); font-size: 0.9rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: 0.25rem 0.9rem 0.25rem 0; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
)";

constexpr std::array kColors = {"#2a6fb0", "#d9632f", "#3a8f5c", "#8a5bb8"};

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

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

HtmlPage::HtmlPage(std::string title) : title_(std::move(title)) {}

void HtmlPage::heading(const std::string& text) { body_ += "<h2>" + escape_html(text) + "</h2>\n"; }

void HtmlPage::paragraph(const std::string& text) { body_ += "<p>" + escape_html(text) + "</p>\n"; }

void HtmlPage::picture(const std::string& source, const std::string& caption) {
  body_ += "<figure><img src=\"" + escape_html(source) + "\" alt=\"" + escape_html(caption) + "\"><figcaption>" +
           escape_html(caption) + "</figcaption></figure>\n";
}

void HtmlPage::table(std::span<const std::string> head, const std::vector<std::vector<std::string>>& rows) {
  body_ += "<table><thead><tr>";
  for (const std::string& cell : head) body_ += "<th>" + escape_html(cell) + "</th>";
  body_ += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (const std::string& cell : row) body_ += "<td>" + escape_html(cell) + "</td>";
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table>\n";
}

void HtmlPage::chart(std::span<const Series> series, const ChartText& text) {
  constexpr double kWidth = 760, kHeight = 260, kLeft = 70, kRight = 16, kTop = 28, kBottom = 44;
  const Extent ex = extent_x(series), ey = extent_with_zero(series);
  const auto px = [&](double x) { return kLeft + (x - ex.min) / (ex.max - ex.min) * (kWidth - kLeft - kRight); };
  const auto py = [&](double y) {
    return kHeight - kBottom - (y - ey.min) / (ey.max - ey.min) * (kHeight - kTop - kBottom);
  };
  const auto line = [&](double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + number(x1, 6) + "\" y1=\"" + number(y1, 6) + "\" x2=\"" + number(x2, 6) + "\" y2=\"" +
           number(y2, 6) + "\" style=\"" + style + "\"/>";
  };
  const auto label = [&](double x, double y, const std::string& anchor, const std::string& content) {
    return "<text x=\"" + number(x, 6) + "\" y=\"" + number(y, 6) + "\" text-anchor=\"" + anchor + "\">" +
           escape_html(content) + "</text>";
  };
  std::string svg =
      "<svg viewBox=\"0 0 760 260\" width=\"760\" style=\"font:12px system-ui,sans-serif;fill:var(--soft)\">";
  const auto y_ticks = ticks(ey.min, ey.max, 5);
  for (const double y : y_ticks) {
    svg += line(kLeft, py(y), kWidth - kRight, py(y), y == 0 ? "stroke:var(--soft)" : "stroke:var(--line)");
    svg += label(kLeft - 8, py(y) + 4, "end", tick_label(y, y_ticks.size() > 1 ? y_ticks[1] - y_ticks[0] : 1));
  }
  const auto x_ticks = ticks(ex.min, ex.max, 8);
  for (const double x : x_ticks) {
    svg +=
        label(px(x), kHeight - kBottom + 16, "middle", tick_label(x, x_ticks.size() > 1 ? x_ticks[1] - x_ticks[0] : 1));
  }
  svg += label((kLeft + kWidth) / 2, kHeight - 8, "middle", text.x_label) + label(kLeft, 14, "start", text.y_label);
  double legend = kWidth - kRight;
  for (std::size_t s = series.size(); s-- > 0;) {
    const std::string color = kColors[s % kColors.size()];
    std::string points;
    for (std::size_t i = 0; i < series[s].x.size(); ++i) {
      points.append(number(px(series[s].x[i]), 6)).append(",");
      points.append(number(py(series[s].y[i]), 6)).append(" ");
    }
    svg += "<polyline points=\"" + points + "\" style=\"fill:none;stroke-width:2;stroke:" + color + "\"/>";
    svg += "<text x=\"" + number(legend, 6) + "\" y=\"14\" text-anchor=\"end\" style=\"fill:" + color +
           ";font-weight:600\">" + escape_html(series[s].name) + "</text>";
    legend -= 12 + 8.0 * static_cast<double>(series[s].name.size());
  }
  body_ += "<figure>" + svg + "</svg></figure>\n";
}

std::string HtmlPage::text() const {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"><title>" +
         escape_html(title_) + "</title><style>" + kStyle + "</style></head>\n<body><h1>" + escape_html(title_) +
         "</h1>\n" + body_ + "</body></html>\n";
}

}  // namespace isochor::cli
