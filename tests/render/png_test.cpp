#include "isochor/render/png.h"

#include <gtest/gtest.h>
#include <png.h>

#include "isochor/base/error.h"
#include "support/data.h"
#include "support/files.h"

namespace isochor {
namespace {

/// Some pixels of every kind: gradients and noise.
Image pattern() {
  Image image(37, 23);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      image.set(x, y,
                {static_cast<std::uint8_t>(x * 7), static_cast<std::uint8_t>(y * 11),
                 static_cast<std::uint8_t>((x * 2654435761u + y * 40503u) >> 8)});
    }
  }
  return image;
}

Image decode(const std::vector<std::uint8_t>& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  Image image;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) return image;
  png.format = PNG_FORMAT_RGB;
  image = Image(static_cast<int>(png.width), static_cast<int>(png.height));
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0) return {};
  return image;
}

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// What is written decodes to the very same pixels.
TEST(Png, RoundTrip) {
  EXPECT_EQ(decode(encode_png(pattern())), pattern());
  const Image one(1, 1, srgb(0x010203));
  EXPECT_EQ(decode(encode_png(one)), one);
}

// The same image gives the same bytes.
TEST(Png, IsDeterministic) { EXPECT_EQ(encode_png(pattern()), encode_png(pattern())); }

// The file holds the encoded bytes, replaces an older one, and no temporary file is left beside it.
TEST(Png, WritesAtomically) {
  const test::TempFolder folder;
  write_png(Image(2, 2), folder / "a.png");
  write_png(pattern(), folder / "a.png");
  EXPECT_EQ(test::read_bytes(folder / "a.png"), encode_png(pattern()));
  EXPECT_EQ(entries(folder.path()), 1u);
}

// A missing folder, and a folder in the picture's place, are refused with a sentence, and leave nothing behind.
TEST(Png, RefusesWhatCannotBeWritten) {
  const test::TempFolder folder;
  std::filesystem::create_directories(folder.path() / "taken.png" / "inside");
  for (const auto& path : {folder.path() / "no" / "a.png", folder / "taken.png"}) {
    try {
      write_png(pattern(), path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
  }
  EXPECT_EQ(entries(folder.path()), 1u);
}

// An image without pixels is no PNG.
TEST(Png, RefusesAnEmptyImage) { EXPECT_THROW(encode_png(Image()), Error); }

}  // namespace
}  // namespace isochor
