#pragma once

/// Vectors and maps as the plain numbers that kernels take (processor.h): one after the other, without padding.

#include <type_traits>

namespace isochor {

/// Of a vector or a span of them; const where these are.
template <class Container>
auto numbers(Container&& elements) {
  using Element = std::remove_pointer_t<decltype(elements.data())>;
  using Number = std::conditional_t<std::is_const_v<Element>, const double, double>;
  static_assert(sizeof(Element) == sizeof(double) * static_cast<std::size_t>(Element::SizeAtCompileTime));
  return reinterpret_cast<Number*>(elements.data());
}

}  // namespace isochor
