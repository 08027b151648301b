#include "isochor/show/html_page.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

TEST(HtmlPage, EscapesWhatFilesAreCalled) {
  HtmlPage page("a & b");
  page.picture("<x>.png", "\"quoted\"");
  const std::string text = page.text();
  EXPECT_NE(text.find("<title>a &amp; b</title>"), std::string::npos);
  EXPECT_NE(text.find("src=\"&lt;x&gt;.png\" alt=\"&quot;quoted&quot;\""), std::string::npos);
}

}  // namespace
}  // namespace isochor
