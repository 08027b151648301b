#pragma once

/// How displacements give way before they reach a limit.

#include <cmath>

namespace isochor::volume {

struct Saturated {
  double value = 0, slope = 0;
};

/// (1 + fourth)^(-1/4).
inline double saturated_share(double fourth) {
  // The series where that is as good: most of the skin moves little.
  if (fourth < 1e-4) return 1 - fourth * (0.25 - 0.15625 * fourth);
  return 1 / std::sqrt(std::sqrt(1 + fourth));
}

/// x / (1 + (x / limit)⁴)^(1/4): the identity for small x, never beyond ±limit.
inline Saturated saturate(double x, double limit) {
  if (!(limit > 0)) return {};
  const double square = (x / limit) * (x / limit);
  const double fourth = square * square;
  // The series where that is as good: most of the skin moves little.
  if (fourth < 1e-4) {
    return {x * (1 - fourth * (0.25 - 0.15625 * fourth)), 1 - fourth * (1.25 - 1.40625 * fourth)};
  }
  const double power = 1 + fourth;
  const double root = 1 / std::sqrt(std::sqrt(power));
  return {x * root, root / power};
}

}  // namespace isochor::volume
