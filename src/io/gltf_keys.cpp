#include "gltf_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::gltf {

std::size_t keep_increasing(std::vector<double>& times, std::vector<double>& values) {
  const std::size_t n = times.size();
  const std::size_t stride = n ? values.size() / n : 0;
  std::size_t kept = 0;
  double last = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isfinite(times[k]) || times[k] <= last) continue;
    last = times[kept] = times[k];
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(k * stride), stride,
                values.begin() + static_cast<std::ptrdiff_t>(kept * stride));
    ++kept;
  }
  times.resize(kept);
  values.resize(kept * stride);
  return n - kept;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace isochor::gltf
