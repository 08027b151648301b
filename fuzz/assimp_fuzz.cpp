// COLLADA or FBX, by the first byte. assimp is not instrumented, and is known to crash: it runs in the child process
// that the product runs it in, where whatever it does is no finding. Our checks before it run here; the child takes
// thousands of times as long, and a share of what passes the checks goes to it. What we make of assimp's scenes has a
// target of its own, assimp_scene_fuzz.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/assimp_guard.h"
#include "io/character_stream.h"
#include "isochor/base/error.h"
#include "isochor/io/assimp_import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 2> kKinds = {"dae", "fbx"};
  constexpr unsigned kShare = 32;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view kind = kKinds[data[0] % kKinds.size()];
  try {
    isochor::check_before_assimp(bytes, kind);
    unsigned sum = 0;
    for (const char c : bytes) sum = 31 * sum + static_cast<unsigned char>(c);
    if (sum % kShare != 0) return 0;
    const auto character = isochor::parse_assimp(bytes, kind, {.seconds = 2, .memory = 256});
    if (!isochor::is_sound(character)) std::abort();
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
