// BVH: what is read has a consistent skeleton and clip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "isochor/base/error.h"
#include "isochor/io/bvh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto character = isochor::parse_bvh({reinterpret_cast<const char*>(data), size});
    for (const isochor::Clip& clip : character.clips) {
      for (const isochor::Problem& problem : isochor::validate(clip, character.skeleton)) {
        if (problem.severity == isochor::Severity::error) std::abort();
      }
    }
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
