#include "isochor/render/png.h"

#include <png.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "isochor/base/error.h"

namespace isochor {
namespace {

/// libpng reports errors by a callback that must not return; an exception leaves through its C frames only where they
/// were compiled with unwind tables, so the message is kept and control goes back by longjmp, as libpng documents it.
struct ErrorText {
  std::string message;
};

void on_error(png_structp png, png_const_charp message) {
  static_cast<ErrorText*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void append_bytes(png_structp png, png_bytep data, size_t size) {
  auto& out = *static_cast<std::vector<std::uint8_t>*>(png_get_io_ptr(png));
  out.insert(out.end(), data, data + size);
}

void no_flush(png_structp) {}

/// Holds no object with a destructor, as longjmp would skip it. Returns false where libpng gave up.
bool write_stream(png_structp png, png_infop info, const Image& image) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(png, 7);
  png_write_info(png, info);
  for (int y = 0; y < image.height; ++y) {
    png_write_row(png, image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 3);
  }
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

std::vector<std::uint8_t> encode_png(const Image& image) {
  if (image.width <= 0 || image.height <= 0) throw_bad_input("an image without pixels cannot be written as PNG");
  std::vector<std::uint8_t> bytes;
  ErrorText error;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &error, on_error, on_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  bool done = false;
  if (info != nullptr) {
    png_set_write_fn(png, &bytes, append_bytes, no_flush);
    done = write_stream(png, info, image);
  }
  png_destroy_write_struct(&png, &info);
  if (!done) throw_io("the image could not be encoded as PNG: " + error.message);
  return bytes;
}

void write_png(const Image& image, const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = encode_png(image);
  std::filesystem::path temporary = path;
  temporary += ".part-" + std::to_string(::getpid());
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      std::filesystem::remove(temporary, error);
      throw_io("the picture " + path.string() + " cannot be written: check that its folder exists and has room");
    }
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw_io("the picture " + path.string() + " cannot be written: " + error.message());
  }
}

}  // namespace isochor
