#pragma once

/// Morph weights over time as a sampler of the file has them, and two of them in one.

#include <vector>

#include "isochor/rig/clip.h"

namespace isochor::gltf {

struct WeightCurve {
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;   // #K, strictly increasing; as floats where the curve is to be merged
  std::vector<double> values;  // #K × width, or #K × 3 × width for cubic splines
  std::size_t width = 0;
};

/// Where the columns of two curves stand in the one that is made of them.
struct MergedColumns {
  std::size_t begin = 0;  ///< the second curve's first column; the first one's columns begin at 0
  std::size_t total = 0;  ///< columns beyond both curves' are zero
};

/// A curve that plays both, each in its own columns. Two that step give one that steps; a spline stays a spline, where
/// straight lines have their own slopes; a step among lines becomes a line from the last float before it.
WeightCurve merge(const WeightCurve& first, const WeightCurve& second, const MergedColumns& columns);

/// The same curve with columns of zeros behind.
WeightCurve widen(const WeightCurve& curve, std::size_t total);

}  // namespace isochor::gltf
