#include "isochor/medial/convolution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isochor {
namespace {

/// Gauss-Legendre on [0, 1].
struct GaussPoint {
  double at, weight;
};
constexpr std::array<GaussPoint, 8> kGauss = {{{0.019855071751231884, 0.05061426814518813},
                                               {0.10166676129318664, 0.11119051722668724},
                                               {0.23723379504183550, 0.15685332293894363},
                                               {0.40828267875217510, 0.18134189168918100},
                                               {0.59171732124782490, 0.18134189168918100},
                                               {0.76276620495816450, 0.15685332293894363},
                                               {0.89833323870681340, 0.11119051722668724},
                                               {0.98014492824876810, 0.05061426814518813}}};

/// Where R² - d² = c0 + c1 t + c2 t², as it is along any line, is above 0 within [low, high]: at most two intervals.
struct Intervals {
  std::array<std::array<double, 2>, 2> list = {};
  int count = 0;

  void add(double low, double high) {
    if (high > low) list[count++] = {low, high};
  }
};

struct FilterQuadratic {
  double c0, c1, c2;
};

/// Roots of c0 + c1 t + c2 t², increasing; none if there are no two.
int real_roots(const FilterQuadratic& f, std::array<double, 2>& roots) {
  const double scale = std::max({std::abs(f.c0), std::abs(f.c1), std::abs(f.c2)});
  if (std::abs(f.c2) <= 1e-14 * scale) {
    if (std::abs(f.c1) <= 1e-14 * scale) return 0;
    roots[0] = -f.c0 / f.c1;
    return 1;
  }
  const double discriminant = f.c1 * f.c1 - 4 * f.c0 * f.c2;
  if (!(discriminant > 0)) return 0;
  const double q = -0.5 * (f.c1 + std::copysign(std::sqrt(discriminant), f.c1));
  roots = {q / f.c2, f.c0 / q};
  if (q == 0) roots[1] = roots[0];
  if (roots[0] > roots[1]) std::swap(roots[0], roots[1]);
  return 2;
}

Intervals above_zero(const FilterQuadratic& f, double low, double high) {
  Intervals result;
  std::array<double, 2> roots;
  std::array<double, 4> ends = {low};
  int n = 1;
  const int count = real_roots(f, roots);
  for (int i = 0; i < count; ++i) {
    if (roots[i] > low && roots[i] < high) ends[n++] = roots[i];
  }
  ends[n] = high;
  for (int i = 0; i < n; ++i) {
    const double middle = 0.5 * (ends[i] + ends[i + 1]);
    if (f.c0 + middle * (f.c1 + middle * f.c2) > 0 && result.count < 2) result.add(ends[i], ends[i + 1]);
  }
  return result;
}

/// A line through the complex, from t = 0 to 1, as the filter at q sees it.
struct FilterLine {
  FilterQuadratic f;  ///< R² - d²
  double r0, r1;      ///< R = r0 + r1 t

  FilterLine(const FilterPoint& a, const FilterPoint& b, const Vec3& q) : r0(a.reach), r1(b.reach - a.reach) {
    const Vec3 from = a.position - q, way = b.position - a.position;
    f = {r0 * r0 - from.squaredNorm(), 2 * (r0 * r1 - from.dot(way)), r1 * r1 - way.squaredNorm()};
  }

  /// (1 - d²/R²)² / R^power at t.
  double filter(double t, int power) const {
    const double r = r0 + r1 * t, inverse = 1 / (r * r);
    const double value = (f.c0 + t * (f.c1 + t * f.c2)) * inverse;
    return value * value * (power == 1 ? 1 / r : inverse);
  }

  /// ∫ filter dt and ∫ t filter dt over the parts of [0, 1] in reach.
  std::array<double, 2> moments(int power) const {
    const Intervals in_reach = above_zero(f, 0, 1);
    std::array<double, 2> sum = {0, 0};
    for (int i = 0; i < in_reach.count; ++i) {
      const auto [low, high] = in_reach.list[i];
      for (const GaussPoint& g : kGauss) {
        const double t = low + g.at * (high - low);
        const double value = g.weight * (high - low) * filter(t, power);
        sum[0] += value;
        sum[1] += t * value;
      }
    }
    return sum;
  }
};

FilterPoint between(const FilterPoint& a, const FilterPoint& b, double t) {
  return {a.position + t * (b.position - a.position), a.reach + t * (b.reach - a.reach)};
}

/// Places along the way from a to bc between which the sum over a line parallel to bc is a smooth function of its
/// place.
struct LineEnd {
  double u;
  bool touching =
      false;  ///< lines begin or cease to meet the filter's reach there, and the sum grows as |u - u0|^(5/2)
  bool operator<(const LineEnd& other) const { return u < other.u; }
};

struct LineEnds {
  std::array<LineEnd, 9> list = {};
  int count = 0;

  void add(double u, bool touching) {
    if (u >= 0 && u <= 1) list[count++] = {u, touching};
  }
};

/// With x(u, w) the reach is f(u, w) > 0 for a quadratic f; a line touches it where the discriminant of f in w is 0.
void add_touching(const FilterPoint& a, const FilterPoint& b, const FilterPoint& c, const Vec3& q, LineEnds& ends) {
  // x = a + u (b - a) + w (c - b); R likewise.
  const Vec3 from = a.position - q, p = b.position - a.position, s = c.position - b.position;
  const double r = a.reach, rp = b.reach - a.reach, rs = c.reach - b.reach;
  const double k0 = r * r - from.squaredNorm(), ku = 2 * (r * rp - from.dot(p)), kw = 2 * (r * rs - from.dot(s));
  const double kuu = rp * rp - p.squaredNorm(), kuw = 2 * (rp * rs - p.dot(s)), kww = rs * rs - s.squaredNorm();
  std::array<double, 2> roots;
  const int n = real_roots({kw * kw - 4 * kww * k0, 2 * kw * kuw - 4 * kww * ku, kuw * kuw - 4 * kww * kuu}, roots);
  for (int i = 0; i < n; ++i) ends.add(roots[i], true);
}

/// Where the filter's reach crosses a side.
void add_crossing(const FilterPoint& a, const FilterPoint& b, const Vec3& q, LineEnds& ends) {
  std::array<double, 2> roots;
  const int n = real_roots(FilterLine(a, b, q).f, roots);
  for (int i = 0; i < n; ++i) ends.add(roots[i], false);
}

LineEnds line_ends(const FilterPoint& a, const FilterPoint& b, const FilterPoint& c, const Vec3& q) {
  LineEnds ends;
  ends.add(0, false);
  ends.add(1, false);
  add_touching(a, b, c, q, ends);
  add_crossing(a, b, q, ends);
  add_crossing(a, c, q, ends);
  std::sort(ends.list.begin(), ends.list.begin() + ends.count);
  return ends;
}

/// The sum over the lines between two ends, of which `from` may be a touching one: there u = from + s² (to - from), so
/// that the sum is smooth in s.
void add_lines(const std::array<FilterPoint, 3>& t, const Vec3& q, const LineEnd& from, double to,
               std::array<double, 3>& sum) {
  const double width = to - from.u;
  for (const GaussPoint& g : kGauss) {
    const double u = from.u + (from.touching ? g.at * g.at : g.at) * width;
    const double du = g.weight * std::abs(width) * (from.touching ? 2 * g.at : 1);
    const auto m = FilterLine(between(t[0], t[1], u), between(t[0], t[2], u), q).moments(2);
    const double weight = du * u;  // the line is u times as long as bc
    sum[0] += weight * (1 - u) * m[0];
    sum[1] += weight * u * (m[0] - m[1]);
    sum[2] += weight * u * m[1];
  }
}

/// Primitives are put into a grid of bins, this many along each axis.
constexpr int kBins = 32;

std::size_t bin_at(int x, int y, int z) { return (static_cast<std::size_t>(z) * kBins + y) * kBins + x; }

}  // namespace

double convolve_point(const FilterPoint& a, const Vec3& q) {
  const double value = 1 - (q - a.position).squaredNorm() / (a.reach * a.reach);
  return value > 0 ? value * value : 0;
}

std::array<double, 2> convolve_segment(const FilterPoint& a, const FilterPoint& b, const Vec3& q) {
  const auto m = FilterLine(a, b, q).moments(1);
  const double length = (b.position - a.position).norm();
  return {length * (m[0] - m[1]), length * m[1]};
}

std::array<double, 3> convolve_triangle(const FilterPoint& a, const FilterPoint& b, const FilterPoint& c,
                                        const Vec3& q) {
  const LineEnds ends = line_ends(a, b, c, q);
  const std::array<FilterPoint, 3> t = {a, b, c};
  std::array<double, 3> sum = {0, 0, 0};
  for (int i = 0; i + 1 < ends.count; ++i) {
    const LineEnd &low = ends.list[i], &high = ends.list[i + 1];
    const double middle = 0.5 * (low.u + high.u);
    if (!(high.u > low.u) || above_zero(FilterLine(between(a, b, middle), between(a, c, middle), q).f, 0, 1).count == 0)
      continue;
    if (low.touching && high.touching) {
      add_lines(t, q, low, middle, sum);
      add_lines(t, q, high, middle, sum);
    } else if (high.touching) {
      add_lines(t, q, high, low.u, sum);
    } else {
      add_lines(t, q, low, high.u, sum);
    }
  }
  const double area2 = (b.position - a.position).cross(c.position - a.position).norm();
  return {area2 * sum[0], area2 * sum[1], area2 * sum[2]};
}

MedialField::MedialField(const MedialComplex& complex, std::vector<double> reach)
    : complex_(complex), reach_(std::move(reach)), bin_begin_(bin_at(0, 0, kBins) + 1, 0) {
  const auto box_around = [&](Index v) {
    return Box(complex_.positions[v] - Vec3::Constant(reach_[v]), complex_.positions[v] + Vec3::Constant(reach_[v]));
  };
  for (std::size_t v = 0; v < complex.vertex_count(); ++v) box_.extend(box_around(static_cast<Index>(v)));
  if (box_.isEmpty()) return;
  for (int a = 0; a < 3; ++a) bins_per_length_[a] = kBins / std::max(box_.sizes()[a], 1e-300);
  std::vector<Box> primitives;
  primitives.reserve(complex.primitive_count());
  for (const Index v : complex.points) primitives.push_back(box_around(v));
  for (const auto& s : complex.segments) primitives.push_back(box_around(s[0]).merged(box_around(s[1])));
  for (const auto& t : complex.triangles) {
    primitives.push_back(box_around(t[0]).merged(box_around(t[1])).merged(box_around(t[2])));
  }
  fill_bins(primitives);
}

std::array<int, 3> MedialField::bin_of(const Vec3& q) const {
  std::array<int, 3> bin;
  for (int a = 0; a < 3; ++a) {
    bin[a] = std::clamp(static_cast<int>((q[a] - box_.min()[a]) * bins_per_length_[a]), 0, kBins - 1);
  }
  return bin;
}

/// Counted first: filters are wide, and lists that grow bin by bin would take most of the time.
void MedialField::fill_bins(std::span<const Box> primitives) {
  const auto for_entries = [&](const auto& visit) {
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const auto low = bin_of(primitives[p].min()), high = bin_of(primitives[p].max());
      for (int z = low[2]; z <= high[2]; ++z) {
        for (int y = low[1]; y <= high[1]; ++y) {
          for (int x = low[0]; x <= high[0]; ++x) visit(bin_at(x, y, z), static_cast<Index>(p));
        }
      }
    }
  };
  for_entries([&](std::size_t bin, Index) { ++bin_begin_[bin + 1]; });
  std::partial_sum(bin_begin_.begin(), bin_begin_.end(), bin_begin_.begin());
  binned_.resize(bin_begin_.back());
  std::vector<std::size_t> end(bin_begin_.begin(), bin_begin_.end() - 1);
  for_entries([&](std::size_t bin, Index primitive) { binned_[end[bin]++] = primitive; });
}

void MedialField::at(const Vec3& q, std::vector<Influence>& out) const {
  out.clear();
  if (box_.isEmpty() || !box_.contains(q)) return;
  const std::array<int, 3> place = bin_of(q);
  const std::size_t bin = bin_at(place[0], place[1], place[2]);
  const std::span near(binned_.data() + bin_begin_[bin], binned_.data() + bin_begin_[bin + 1]);
  const auto points = static_cast<Index>(complex_.points.size());
  const auto segments = static_cast<Index>(complex_.segments.size());
  for (const Index primitive : near) {
    if (primitive < points) {
      const Index v = complex_.points[primitive];
      out.push_back({v, convolve_point(vertex(v), q)});
    } else if (primitive < points + segments) {
      const auto& s = complex_.segments[primitive - points];
      const auto shares = convolve_segment(vertex(s[0]), vertex(s[1]), q);
      for (int k = 0; k < 2; ++k) out.push_back({s[k], shares[k]});
    } else {
      const auto& t = complex_.triangles[primitive - points - segments];
      const auto shares = convolve_triangle(vertex(t[0]), vertex(t[1]), vertex(t[2]), q);
      for (int k = 0; k < 3; ++k) out.push_back({t[k], shares[k]});
    }
  }
  std::erase_if(out, [](const Influence& i) { return !(i.weight > 0); });
  std::stable_sort(out.begin(), out.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (kept > 0 && out[kept - 1].joint == out[i].joint) {
      out[kept - 1].weight += out[i].weight;
    } else {
      out[kept++] = out[i];
    }
  }
  out.resize(kept);
}

}  // namespace isochor
