#pragma once

/// Numbers as text, as std::to_chars and std::from_chars have them, for standard libraries that lack those of floating
/// point, as that of emscripten 3.1.6 does. No locale has a say.

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <version>

namespace isochor {

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L

template <class Number>
char* write_shortest(char* first, char* last, Number value) {
  return std::to_chars(first, last, value).ptr;
}
inline std::from_chars_result parse_number(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}

#else

/// The fewest digits that give the same number back.
template <class Number>
char* write_shortest(char* first, char* last, Number value) {
  if constexpr (std::is_integral_v<Number>) {
    return std::to_chars(first, last, value).ptr;
  } else {
    int length = 0;
    for (int digits = 1; digits <= std::numeric_limits<Number>::max_digits10; ++digits) {
      length = std::snprintf(first, static_cast<std::size_t>(last - first), "%.*g", digits, static_cast<double>(value));
      if (static_cast<Number>(std::strtod(first, nullptr)) == value || !std::isfinite(value)) break;
    }
    return first + length;
  }
}

/// strtod() takes more than from_chars() does: blanks and a plus before the number, and hexadecimal digits.
inline std::from_chars_result parse_number(const char* first, const char* last, double& value) {
  const std::string text(first, last);
  if (text.empty() || text.find_first_of(" \t\r\n\v\f+xX") == 0 || text.find_first_of("xX") != std::string::npos) {
    return {first, std::errc::invalid_argument};
  }
  char* end = nullptr;
  errno = 0;
  const double parsed = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* stop = first + (end - text.c_str());
  if (errno == ERANGE && !(std::isfinite(parsed) && parsed != 0)) return {stop, std::errc::result_out_of_range};
  value = parsed;
  return {stop, std::errc{}};
}

#endif

}  // namespace isochor
