#include "isochor/base/words.h"

#include <cstdio>

namespace isochor {

std::string short_number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string percent(double share) { return short_number(100 * share, 3) + " %"; }

std::string count_of(std::size_t n, const std::string& noun) {
  if (n == 1) return "1 " + noun;
  return std::to_string(n) + " " + (noun == "vertex" ? "vertices" : noun + "s");
}

}  // namespace isochor
