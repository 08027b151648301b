#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/bind/bind.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/load.h"
#include "isochor/sample/sample.h"
#include "isochor/show/comparison.h"
#include "isochor/show/html_page.h"
#include "isochor/show/volume_plot.h"
#include "support/data.h"

namespace isochor {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

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

TEST(HtmlPage, EscapesWhatFilesAreCalled) {
  HtmlPage page("a & b");
  page.picture("<x>.png", "\"quoted\"");
  const std::string text = page.text();
  EXPECT_NE(text.find("<title>a &amp; b</title>"), std::string::npos);
  EXPECT_NE(text.find("src=\"&lt;x&gt;.png\" alt=\"&quot;quoted&quot;\""), std::string::npos);
}

// The same character twice under one name: the folder tells them apart, and the chart has a line for each.
TEST(VolumePlot, FilesOfOneName) {
  const test::TempFolder here;
  Context context;
  VolumePlot plot{.files = {}, .output = here.path() / "plot.html", .moments = 3};
  for (const char* folder : {"one", "two"}) {
    std::filesystem::create_directory(here.path() / folder);
    plot.files.push_back(here.path() / folder / "c.glb");
    save_character(make_sample("cylinder"), plot.files.back(), context);
  }
  plot_volume(plot, context);
  const auto bytes = read_file(plot.output);
  const std::string page(bytes.begin(), bytes.end());
  EXPECT_EQ(count(page, "<polyline") % 2, 0);
  EXPECT_NE(page.find("one/c.glb"), std::string::npos);
  EXPECT_NE(page.find("two/c.glb"), std::string::npos);
  plot.output = here.path() / "plot.jpg";
  EXPECT_THROW(plot_volume(plot, context), Error);
}

// A character against itself bound anew: the same shape, other weights, and the same clips somewhere else. Lengths are
// relative: a character ten times as large gives the same figures.
TEST(Comparison, WeightsShapeAndClips) {
  Context context{1};
  Loaded a;
  a.character = make_sample("cylinder");
  Loaded b = a;
  apply(bind(b.character, {.gvb = {.resolution = 16}}, context), b.character);
  const auto scaled = [](Loaded loaded, double scale) {
    for (Part& part : loaded.character.parts) {
      for (Vec3& p : part.surface.positions) p *= scale;
      for (Affine& bind : part.skin.inverse_bind) bind.translation() *= scale;
    }
    for (Joint& joint : loaded.character.skeleton.joints) joint.rest.translation *= scale;
    return loaded;
  };
  const auto compare = [&](double scale) {
    return compare_characters(scaled(a, scale), scaled(b, scale), {.moments = 3}, context);
  };
  const CharacterComparison found = compare(1), large = compare(10);
  EXPECT_EQ(found.by, CorrespondenceKind::index);
  EXPECT_EQ(found.shape.max, 0);
  ASSERT_TRUE(found.weights);
  EXPECT_GT(found.weights->difference.l1_mean, 0);
  ASSERT_EQ(found.clips.size(), found.weights_in_motion.size());
  EXPECT_GT(found.worst_in_motion.max, 0);
  EXPECT_LT(found.worst_in_motion.max, 1);
  EXPECT_GT(found.clips[0].distance.max, 0);
  EXPECT_NEAR(large.worst_in_motion.max, found.worst_in_motion.max, 1e-6);
  EXPECT_NEAR(large.clips[0].distance.max, found.clips[0].distance.max, 1e-6);
  EXPECT_THROW(compare_characters({}, {}, {}, context), Error);
}

}  // namespace
}  // namespace isochor
