#include "isochor/render/sheet.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "isochor/render/text.h"

namespace isochor {
namespace {

struct Grid {
  std::size_t columns = 0;
  std::vector<int> column_width;
  std::vector<int> row_height;    ///< of the images
  std::vector<int> label_height;  ///< of each row; 0 where no tile of it has a label
};

std::size_t column_count(std::size_t tiles, int asked) {
  if (asked > 0) return static_cast<std::size_t>(asked);
  if (tiles <= 4) return std::max<std::size_t>(tiles, 1);
  return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(tiles))));
}

Grid lay_out(std::span<const Tile> tiles, const SheetOptions& options) {
  Grid grid;
  grid.columns = std::min(column_count(tiles.size(), options.columns), std::max<std::size_t>(tiles.size(), 1));
  const std::size_t rows = (tiles.size() + grid.columns - 1) / grid.columns;
  grid.column_width.assign(grid.columns, 0);
  grid.row_height.assign(rows, 0);
  grid.label_height.assign(rows, 0);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::size_t row = i / grid.columns;
    int& width = grid.column_width[i % grid.columns];
    width = std::max(width, tiles[i].image.width);
    grid.row_height[row] = std::max(grid.row_height[row], tiles[i].image.height);
    if (!tiles[i].label.empty()) grid.label_height[row] = options.label_size + options.label_size / 2;
  }
  return grid;
}

/// One line, centred on x, as large as asked but never wider than `room`.
void draw_fitted(Image& image, const std::string& text, const Eigen::Vector2d& at, int room, TextStyle style) {
  const double width = text_width(text, style);
  const double full = style.size;
  if (width > room && width > 0) style.size *= room / width;
  style.align = TextAlign::center;
  draw_text(image, text, at + Eigen::Vector2d(0, (full - style.size) / 2), style);
}

}  // namespace

Image compose(std::span<const Tile> tiles, const SheetOptions& options) {
  check_ranges(options);
  const Grid grid = lay_out(tiles, options);
  const auto sum = [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); };
  const int gap = options.gap;
  const int title_size = options.label_size * 5 / 4;
  const int title_height = options.title.empty() ? 0 : title_size + gap;
  const int width = std::max(1, sum(grid.column_width) + gap * (static_cast<int>(grid.columns) + 1));
  const int height = std::max(1, title_height + sum(grid.row_height) + sum(grid.label_height) +
                                     gap * (static_cast<int>(grid.row_height.size()) + 1));
  Image sheet(width, height, options.background);
  if (!options.title.empty()) {
    const TextStyle style{.size = static_cast<double>(title_size), .color = options.text_color, .bold = true};
    draw_fitted(sheet, options.title, {width / 2.0, gap}, width - 2 * gap, style);
  }
  int y = title_height + gap;
  for (std::size_t row = 0; row < grid.row_height.size(); ++row) {
    int x = gap;
    for (std::size_t column = 0; column < grid.columns && row * grid.columns + column < tiles.size(); ++column) {
      const Tile& tile = tiles[row * grid.columns + column];
      const int room = grid.column_width[column];
      paste(sheet, tile.image, x + (room - tile.image.width) / 2, y + (grid.row_height[row] - tile.image.height) / 2);
      const TextStyle style{.size = static_cast<double>(options.label_size), .color = options.text_color};
      draw_fitted(sheet, tile.label, {x + room / 2.0, y + grid.row_height[row] + options.label_size / 4.0}, room,
                  style);
      x += room + gap;
    }
    y += grid.row_height[row] + grid.label_height[row] + gap;
  }
  return sheet;
}

}  // namespace isochor
