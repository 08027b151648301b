// COLLADA or FBX, by the first byte. assimp itself is not instrumented; our checks around it are.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/io/assimp_import.h"

// assimp forgets memory when it refuses a file in the middle. That is not ours to mend, and does no harm here.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 2> kKinds = {"dae", "fbx"};
  if (size == 0) return 0;
  try {
    isochor::parse_assimp({reinterpret_cast<const char*>(data) + 1, size - 1}, kKinds[data[0] % kKinds.size()]);
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
