// PLY meshes, text and binary.
#include <cstddef>
#include <cstdint>

#include "isochor/base/error.h"
#include "isochor/io/ply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    isochor::parse_ply({reinterpret_cast<const char*>(data), size});
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
