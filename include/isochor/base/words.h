#pragma once

/// Numbers in sentences.

#include <string>

namespace isochor {

/// A number as a person reads it: up to `digits` significant digits, no trailing zeros.
std::string short_number(double value, int digits = 4);

/// A share in per cent: 0.0123 is "1.23 %".
std::string percent(double share);

/// "1 joint", "2 joints"; "vertex" becomes "vertices".
std::string count_of(std::size_t n, const std::string& noun);

}  // namespace isochor
