// OBJ: what is read is also written and read again, to the same faces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "isochor/base/error.h"
#include "isochor/io/obj.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // A material library is read from the same bytes.
    const auto character = isochor::parse_obj(text, {}, [&](const std::string&) { return std::string(text); });
    const isochor::ObjPart part{.part = &character.parts[0], .positions = {}, .normals = {}};
    const auto back = isochor::parse_obj(isochor::format_obj(std::span(&part, 1), character.materials, "m.mtl"));
    if (back.parts[0].surface.corners != character.parts[0].surface.corners) std::abort();
    isochor::parse_obj(text, {.groups = {"a*", "?"}, .drop_unused_vertices = true});
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
