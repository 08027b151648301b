#pragma once

/// std::bit_cast for standard libraries that lack it, as that of emscripten 3.1.6 does.

#include <cstring>
#include <type_traits>

namespace isochor {

/// The value of type To that has the bytes of `from`.
template <class To, class From>
To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace isochor
