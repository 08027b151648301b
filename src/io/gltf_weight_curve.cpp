#include "gltf_weight_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::gltf {
namespace {

/// A weight at a moment, with its slopes to both sides.
struct Moment {
  double value = 0, left = 0, right = 0;
};

std::size_t key_before(const std::vector<double>& times, double time) {
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

/// The Hermite spline of the glTF specification, appendix C, and its slope.
Moment evaluate_spline(const WeightCurve& curve, std::size_t column, double time) {
  const std::size_t last = curve.times.size() - 1;
  const auto key = [&](std::size_t k, std::size_t part) { return curve.values[(3 * k + part) * curve.width + column]; };
  // Outside its keys a curve is constant.
  if (time < curve.times.front()) return {key(0, 1), 0, 0};
  if (time > curve.times.back()) return {key(last, 1), 0, 0};
  const std::size_t k = key_before(curve.times, time);
  if (time == curve.times[k]) return {key(k, 1), k == 0 ? 0 : key(k, 0), k == last ? 0 : key(k, 2)};
  const double length = curve.times[k + 1] - curve.times[k];
  const double t = (time - curve.times[k]) / length, t2 = t * t, t3 = t2 * t;
  const double a = key(k, 1), m = key(k, 2), b = key(k + 1, 1), n = key(k + 1, 0);
  const double value =
      (2 * t3 - 3 * t2 + 1) * a + length * (t3 - 2 * t2 + t) * m + (-2 * t3 + 3 * t2) * b + length * (t3 - t2) * n;
  const double slope = ((6 * t2 - 6 * t) * (a - b)) / length + (3 * t2 - 4 * t + 1) * m + (3 * t2 - 2 * t) * n;
  return {value, slope, slope};
}

Moment evaluate_linear(const WeightCurve& curve, std::size_t column, double time) {
  const std::size_t last = curve.times.size() - 1;
  const auto value = [&](std::size_t k) { return curve.values[k * curve.width + column]; };
  const auto slope = [&](std::size_t k) { return (value(k + 1) - value(k)) / (curve.times[k + 1] - curve.times[k]); };
  if (time < curve.times.front()) return {value(0), 0, 0};
  if (time > curve.times.back()) return {value(last), 0, 0};
  const std::size_t k = key_before(curve.times, time);
  if (time == curve.times[k]) return {value(k), k == 0 ? 0 : slope(k - 1), k == last ? 0 : slope(k)};
  return {value(k) + slope(k) * (time - curve.times[k]), slope(k), slope(k)};
}

Moment evaluate(const WeightCurve& curve, std::size_t column, double time) {
  switch (curve.interpolation) {
    case Interpolation::cubic_spline:
      return evaluate_spline(curve, column, time);
    case Interpolation::step:
      return {curve.values[key_before(curve.times, time) * curve.width + column], 0, 0};
    case Interpolation::linear:
      break;
  }
  return evaluate_linear(curve, column, time);
}

Interpolation merged_interpolation(Interpolation a, Interpolation b) {
  if (a == b) return a;
  const bool spline = a == Interpolation::cubic_spline || b == Interpolation::cubic_spline;
  return spline ? Interpolation::cubic_spline : Interpolation::linear;
}

/// The keys of both, and the last float before each step.
std::vector<double> merged_times(const WeightCurve& first, const WeightCurve& second, Interpolation merged) {
  std::vector<double> times = first.times;
  times.insert(times.end(), second.times.begin(), second.times.end());
  for (const WeightCurve* curve : {&first, &second}) {
    if (merged == Interpolation::step || curve->interpolation != Interpolation::step) continue;
    for (std::size_t k = 1; k < curve->times.size(); ++k) {
      times.push_back(std::nextafter(static_cast<float>(curve->times[k]), -std::numeric_limits<float>::infinity()));
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

WeightCurve merge(const WeightCurve& first, const WeightCurve& second, const MergedColumns& columns) {
  WeightCurve out;
  out.interpolation = merged_interpolation(first.interpolation, second.interpolation);
  const bool spline = out.interpolation == Interpolation::cubic_spline;
  out.width = columns.total;
  out.times = merged_times(first, second, out.interpolation);
  std::vector<Moment> row(columns.total);
  for (const double time : out.times) {
    std::fill(row.begin(), row.end(), Moment{});
    for (std::size_t c = 0; c < first.width; ++c) row[c] = evaluate(first, c, time);
    for (std::size_t c = 0; c < second.width; ++c) row[columns.begin + c] = evaluate(second, c, time);
    if (spline) {
      for (const Moment& m : row) out.values.push_back(m.left);
    }
    for (const Moment& m : row) out.values.push_back(m.value);
    if (spline) {
      for (const Moment& m : row) out.values.push_back(m.right);
    }
  }
  return out;
}

WeightCurve widen(const WeightCurve& curve, std::size_t total) {
  WeightCurve out{curve.interpolation, curve.times, {}, total};
  for (std::size_t row = 0; row * curve.width < curve.values.size(); ++row) {
    const auto begin = curve.values.begin() + static_cast<std::ptrdiff_t>(row * curve.width);
    out.values.insert(out.values.end(), begin, begin + static_cast<std::ptrdiff_t>(curve.width));
    out.values.resize((row + 1) * total, 0.0);
  }
  return out;
}

}  // namespace isochor::gltf
