// rig.txt: what is read can be written and read again, to the same joints, and attached to a mesh.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "isochor/base/error.h"
#include "isochor/io/rig_txt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto rig = isochor::parse_rig_txt({reinterpret_cast<const char*>(data), size});
    const auto back = isochor::parse_rig_txt(isochor::format_rig_txt(rig));
    if (back.names != rig.names || back.parents != rig.parents || back.vertices != rig.vertices) std::abort();
    isochor::Character character;
    character.parts.emplace_back();
    character.parts[0].surface.positions.assign(8, isochor::Vec3::Zero());
    isochor::attach(rig, character);
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
