#include "isochor/show/volume_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "isochor/base/error.h"
#include "isochor/base/words.h"
#include "isochor/deform/shape_comparison.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/load.h"
#include "isochor/render/png.h"
#include "isochor/show/html_page.h"

namespace isochor {
namespace {

struct Played {
  std::string name;
  Character character;
};

/// Names that tell files apart: the file's own, with its folder where two are alike.
std::vector<std::string> short_names(std::span<const std::filesystem::path> files) {
  std::map<std::string, int> uses;
  for (const auto& file : files) ++uses[file.filename().string()];
  std::vector<std::string> names;
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    names.push_back(uses[name] > 1 ? (file.parent_path().filename() / name).string() : name);
  }
  return names;
}

/// By how many per cent the volume of all components together is off, over the moments of a clip.
Series change_series(const WeldedCharacter& welded, const Clip& clip, const std::string& name, int moments,
                     Context& context) {
  Series series{.name = name, .x = even_times(clip, moments), .y = {}};
  for (const double time : series.x) {
    const PlayedFrame frame = play(welded, sample(clip, welded.skeleton(), time), Deformer::lbs, context);
    series.y.push_back(100 * total_volume_change(welded, frame));
  }
  return series;
}

bool all_have(std::span<const Played> files, const std::string& clip) {
  return std::all_of(files.begin(), files.end(),
                     [&](const Played& file) { return file.character.find_clip(clip) != nullptr; });
}

struct Chart {
  std::string clip;
  std::vector<Series> series;
};

ChartText chart_text(const Chart& chart) {
  return {.title = chart.clip, .x_label = "seconds", .y_label = "change of volume, %"};
}

void write_page(std::span<const Chart> charts, const std::filesystem::path& output) {
  HtmlPage page("Volume over time");
  for (const Chart& chart : charts) {
    page.heading(chart.clip);
    page.chart(chart.series, chart_text(chart));
    std::vector<std::vector<std::string>> rows;
    for (const Series& series : chart.series) {
      double largest = 0;
      for (const double y : series.y) largest = std::max(largest, std::abs(y));
      rows.push_back({series.name, short_number(largest)});
    }
    const std::string head[] = {"file", "largest change, %"};
    page.table(head, rows);
  }
  write_file_atomically(output, page.text());
}

void write_picture(std::span<const Chart> charts, const std::filesystem::path& output) {
  std::vector<Image> images;
  int height = 0;
  for (const Chart& chart : charts) {
    images.push_back(chart_image(chart.series, chart_text(chart)));
    height += images.back().height;
  }
  Image all(images.front().width, height);
  int y = 0;
  for (const Image& image : images) {
    paste(all, image, 0, y);
    y += image.height;
  }
  write_png(all, output);
}

}  // namespace

void check_plot_output(const std::filesystem::path& output) {
  if (output.extension() == ".html" || output.extension() == ".png") return;
  throw_bad_input("the plot " + output.string() + " must end in .html or .png");
}

void plot_volume(const VolumePlot& plot, Context& context) {
  check_plot_output(plot.output);
  const auto names = short_names(plot.files);
  std::vector<Played> files;
  LoadOptions as_drawn{.keep_baked = true};  // triangles, as viewers draw them
  as_drawn.gltf.polygons = false;
  for (std::size_t i = 0; i < plot.files.size(); ++i) {
    files.push_back({names[i], load_character(plot.files[i], as_drawn, context).character});
  }
  std::vector<Chart> charts;
  for (const Clip& clip : files.front().character.clips) {
    if (all_have(files, clip.name)) charts.push_back({clip.name, {}});
  }
  if (charts.empty()) throw_bad_input("there is no clip that all files have: nothing to plot");
  for (std::size_t f = 0; f < files.size(); ++f) {
    const WeldedCharacter welded(files[f].character);
    for (std::size_t c = 0; c < charts.size(); ++c) {
      context.progress("plot", (static_cast<double>(f) + static_cast<double>(c) / static_cast<double>(charts.size())) /
                                   static_cast<double>(files.size()));
      charts[c].series.push_back(
          change_series(welded, *files[f].character.find_clip(charts[c].clip), files[f].name, plot.moments, context));
    }
  }
  context.progress("plot", 1);
  plot.output.extension() == ".png" ? write_picture(charts, plot.output) : write_page(charts, plot.output);
}

}  // namespace isochor
