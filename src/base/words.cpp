#include "isochor/base/words.h"

#include <algorithm>
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

std::string first_names(const std::vector<std::string>& names, std::size_t shown) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= shown ? text : text + " and " + std::to_string(names.size() - shown) + " more";
}

}  // namespace isochor
