#pragma once

/// Pictures side by side, with labels: comparisons, contact sheets.

#include <span>
#include <string>

#include "isochor/base/options.h"
#include "isochor/render/image.h"

namespace isochor {

struct Tile {
  Image image = {};        ///< tiles may differ in size; each is centred in its cell
  std::string label = {};  ///< below the image; empty for none
};

struct SheetOptions {
  int columns = 0;
  int gap = 12;
  int label_size = 20;
  /// Above everything; empty for none.
  std::string title = {};
  Color background = Color::Ones();
  Color text_color = srgb(0x2b2f36);
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, SheetOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.columns, FieldInfo{.name = "columns",
                                   .help = "pictures in a row of a sheet (0: one row of up to four, then a square)",
                                   .min = 0,
                                   .max = 64});
  visit(options.gap,
        FieldInfo{.name = "gap", .help = "space between the pictures of a sheet", .unit = "px", .min = 0, .max = 256});
  visit(options.label_size,
        FieldInfo{.name = "label-size", .help = "line height of labels", .unit = "px", .min = 6, .max = 256});
}

/// Tiles row by row. Columns are as wide as their widest image, rows as high as their highest; a label that is wider
/// than its column is shrunk to fit. No tile at all gives an image of the gap alone.
Image compose(std::span<const Tile> tiles, const SheetOptions& options = {});

}  // namespace isochor
