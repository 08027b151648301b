// Volume settings: what is read is written and read again, to equal settings, in a file and in a glTF's extras.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/io/volume_settings.h"

namespace {

void pass_through(std::string_view text) {
  const isochor::VolumeSettings settings = isochor::parse_volume_settings(text);
  if (!(isochor::parse_volume_settings(isochor::write_volume_settings(settings)) == settings)) std::abort();
  constexpr std::string_view kEmpty = R"({"asset": {"version": "2.0"}})";
  auto document = isochor::GltfDocument::parse({reinterpret_cast<const std::uint8_t*>(kEmpty.data()), kEmpty.size()});
  isochor::set_volume_settings(document, settings);
  const auto back = isochor::volume_settings_of(isochor::GltfDocument::parse(document.to_glb()));
  if (!back || !(*back == settings)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pass_through({reinterpret_cast<const char*>(data), size});
  } catch (const isochor::Error&) {
    // refused with a sentence: what broken settings deserve
  }
  return 0;
}
