// Small characters of any kind are bound, or refused with a sentence: every vertex has weights that hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "isochor/base/error.h"
#include "isochor/bind/bind.h"
#include "small_character.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isochor;
  fuzz::Bytes bytes(data, size);
  BindOptions options;
  const std::uint8_t kind = bytes.next();
  constexpr BindMethod kMethods[] = {BindMethod::gvb, BindMethod::distance, BindMethod::automatic,
                                     BindMethod::geodesic_heat, BindMethod::medial};
  options.method = kMethods[bytes.below(5)];
  options.symmetric = (kind & 2) != 0;
  options.gvb.uniform = (kind & 4) != 0;
  options.gvb.resolution = kind & 8 ? 8 : 16;
  options.gvb.sampling = static_cast<GvbSampling>(bytes.below(3));
  options.falloff = bytes.next() / 255.0;
  options.unused = kind & 16 ? UnusedJoints::bind : UnusedJoints::skip;
  if (kind & 32) options.keep = {"arm*"};
  if (kind & 64) options.rigid = {{"body", "root"}};
  try {
    Character character = fuzz::small_character(bytes);
    if (!fuzz::is_usable(character)) return 0;
    Context context(1);
    apply(bind(character, options, context), character);
    if (!fuzz::is_usable(character)) std::abort();
  } catch (const Error&) {
    // refused with a sentence: what a broken character deserves
  }
  return 0;
}
