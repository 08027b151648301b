#include "isochor/show/volume_plot.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/load.h"
#include "isochor/sample/sample.h"
#include "show/count.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::count;

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

}  // namespace
}  // namespace isochor
