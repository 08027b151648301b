#include "isochor/base/options.h"

#include <cstdio>

namespace isochor {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace

std::string range_text(const FieldInfo& info) {
  const bool has_min = std::isfinite(info.min);
  const bool has_max = std::isfinite(info.max);
  if (has_min && has_max) return "between " + number(info.min) + " and " + number(info.max);
  if (has_min) return "at least " + number(info.min);
  if (has_max) return "at most " + number(info.max);
  return "a number";
}

}  // namespace isochor
