#pragma once

/// Numbers out of bytes, whatever the machine.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/bits.h"

namespace isochor {

/// The number of type T whose bytes stand at `offset`, in the given byte order. The bytes must be there.
template <class T>
T number_at(std::string_view bytes, std::size_t offset, std::endian order = std::endian::little) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), bytes.data() + offset, sizeof(T));
  if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
  return bits_as<T>(raw);
}

}  // namespace isochor
