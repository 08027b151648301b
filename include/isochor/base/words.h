#pragma once

/// Numbers and names in sentences.

#include <string>
#include <vector>

namespace isochor {

/// A number as a person reads it: up to `digits` significant digits, no trailing zeros.
std::string short_number(double value, int digits = 4);

/// A share in per cent: 0.0123 is "1.23 %".
std::string percent(double share);

/// "1 joint", "2 joints"; "vertex" becomes "vertices".
std::string count_of(std::size_t n, const std::string& noun);

/// The first few, and how many more there are: "Hips, Spine, Head and 12 more".
std::string first_names(const std::vector<std::string>& names, std::size_t shown = 8);

}  // namespace isochor
