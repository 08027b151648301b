#include "isochor/show/html_page.h"

namespace isochor {
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
  body_ += "<figure>" + chart_svg(series, text) + "</figure>\n";
}

std::string HtmlPage::text() const {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"><title>" +
         escape_html(title_) + "</title><style>" + kStyle + "</style></head>\n<body><h1>" + escape_html(title_) +
         "</h1>\n" + body_ + "</body></html>\n";
}

}  // namespace isochor
