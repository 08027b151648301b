#pragma once

/// A small self-contained HTML page: headings, pictures, tables, line charts. No script, no network.

#include <span>
#include <string>
#include <vector>

#include "isochor/show/chart.h"

namespace isochor {

class HtmlPage {
 public:
  explicit HtmlPage(std::string title);

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  /// `source` relative to the page.
  void picture(const std::string& source, const std::string& caption);
  void table(std::span<const std::string> head, const std::vector<std::vector<std::string>>& rows);
  /// An inline SVG.
  void chart(std::span<const Series> series, const ChartText& text);

  /// The contents of another page, at the end of this one.
  void append(const HtmlPage& other) { body_ += other.body_; }

  std::string text() const;

 private:
  std::string title_;
  std::string body_;
};

/// The characters that HTML reserves, replaced.
std::string escape_html(const std::string& text);

}  // namespace isochor
