#include "isochor/render/sheet.h"

#include <gtest/gtest.h>

#include <vector>

#include "isochor/base/error.h"

namespace isochor {
namespace {

using Rgb = std::array<std::uint8_t, 3>;
constexpr Rgb kRed{255, 0, 0};
constexpr Rgb kWhite{255, 255, 255};

bool has_ink(const Image& image, const PixelRect& rect) {
  for (int y = rect.y; y < rect.y + rect.height; ++y) {
    for (int x = rect.x; x < rect.x + rect.width; ++x) {
      if (image.at(x, y) != kWhite) return true;
    }
  }
  return false;
}

// Two images side by side, a gap around each, no room for labels that are not there.
TEST(Sheet, SideBySide) {
  const std::vector<Tile> tiles(2, Tile{.image = Image(30, 20, srgb(0xff0000))});
  const Image sheet = compose(tiles, {.gap = 10});
  EXPECT_EQ(sheet.width, 30 + 30 + 3 * 10);
  EXPECT_EQ(sheet.height, 20 + 2 * 10);
  EXPECT_EQ(sheet.at(9, 15), kWhite);
  EXPECT_EQ(sheet.at(10, 10), kRed);
  EXPECT_EQ(sheet.at(39, 29), kRed);
  EXPECT_EQ(sheet.at(45, 15), kWhite);
  EXPECT_EQ(sheet.at(50, 10), kRed);
}

// Labels stand below their image, within its column, however long they are.
TEST(Sheet, LabelsStayBelowTheirImage) {
  const std::vector<Tile> tiles{{.image = Image(60, 20, srgb(0xff0000)), .label = "a label much longer than its image"},
                                {.image = Image(60, 20, srgb(0xff0000)), .label = ""}};
  const Image sheet = compose(tiles, {.gap = 8, .label_size = 16});
  EXPECT_TRUE(has_ink(sheet, {8, 28, 60, sheet.height - 28}));
  EXPECT_FALSE(has_ink(sheet, {0, 28, 6, sheet.height - 28}));
  EXPECT_FALSE(has_ink(sheet, {70, 28, sheet.width - 70, sheet.height - 28}));
}

// Five tiles make a near square; asked for one column, they make a column. Smaller images are centred in their cell.
TEST(Sheet, GridAndCentring) {
  std::vector<Tile> tiles(5, Tile{.image = Image(10, 10, srgb(0xff0000))});
  tiles[1].image = Image(20, 30, srgb(0xff0000));
  EXPECT_EQ(compose(tiles, {.gap = 0}).width, 10 + 20 + 10);
  EXPECT_EQ(compose(tiles, {.gap = 0}).height, 30 + 10);
  const Image column = compose(tiles, {.columns = 1, .gap = 0});
  EXPECT_EQ(column.width, 20);
  EXPECT_EQ(column.height, 70);
  EXPECT_EQ(column.at(4, 5), kWhite);
  EXPECT_EQ(column.at(5, 5), kRed);
}

// The title stands above the tiles.
TEST(Sheet, Title) {
  const std::vector<Tile> tiles{{.image = Image(200, 20, srgb(0xff0000))}};
  const Image sheet = compose(tiles, {.gap = 10, .label_size = 16, .title = "Elephant"});
  EXPECT_TRUE(has_ink(sheet, {10, 10, 200, 20}));
  EXPECT_EQ(sheet.at(100, sheet.height - 11), kRed);
}

// No tile gives a small blank image; options out of range are refused.
TEST(Sheet, Extremes) {
  EXPECT_GE(compose({}).width, 1);
  EXPECT_THROW(compose({}, {.label_size = 0}), Error);
}

}  // namespace
}  // namespace isochor
