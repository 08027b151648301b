#include "bind/tufted_laplacian.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isochor {
namespace {

/// Every triangle's sides are at least this part of the mean side longer together than the third.
constexpr double kMollify = 1e-5;
/// A cotangent sum counts as negative below this: flips that rounding alone asks for would go on for ever.
constexpr double kFlipBelow = -1e-9;

std::size_t next_side(std::size_t i) { return i == 2 ? 0 : i + 1; }

/// The area of a triangle by the lengths of its sides, stable for thin ones (Kahan).
double area_of(std::array<double, 3> l) {
  std::sort(l.begin(), l.end(), [](double a, double b) { return a > b; });
  const double product =
      (l[0] + (l[1] + l[2])) * (l[2] - (l[0] - l[1])) * (l[2] + (l[0] - l[1])) * (l[0] + (l[1] - l[2]));
  return 0.25 * std::sqrt(std::max(product, 0.0));
}

/// Triangles by lengths, glued along their sides. Side i of a triangle goes from its vertex i to the next one; sides
/// are numbered 3 · triangle + i.
class GluedTriangles {
 public:
  GluedTriangles(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles) {
    const std::size_t n = triangles.size();
    corner_.resize(2 * n);
    length_.resize(2 * n);
    twin_.resize(6 * n);
    for (std::size_t t = 0; t < n; ++t) {
      const auto& [a, b, c] = triangles[t];
      corner_[t] = {a, b, c};
      corner_[n + t] = {a, c, b};
      const double ab = (positions[a] - positions[b]).norm(), bc = (positions[b] - positions[c]).norm(),
                   ca = (positions[c] - positions[a]).norm();
      length_[t] = {ab, bc, ca};
      length_[n + t] = {ca, bc, ab};
    }
    mollify();
    glue(n);
  }

  /// Flips edges until none has a negative cotangent sum.
  void make_delaunay() {
    std::vector<Index> waiting(twin_.size());
    std::iota(waiting.begin(), waiting.end(), 0);
    std::vector<char> is_waiting(twin_.size(), 1);
    // Flipping ends by itself; the limit is for lengths so uneven that rounding could make it go in circles.
    std::size_t flips_left = 40 * twin_.size();
    while (!waiting.empty() && flips_left > 0) {
      const auto side = static_cast<std::size_t>(waiting.back());
      waiting.pop_back();
      is_waiting[side] = 0;
      const std::size_t other = twin_[side];
      if (side / 3 == other / 3 || cotangent(side) + cotangent(other) >= kFlipBelow) continue;
      if (!flip(side)) continue;
      --flips_left;
      for (const std::size_t t : {side / 3, other / 3}) {
        for (std::size_t s = 3 * t; s < 3 * t + 3; ++s) {
          if (is_waiting[s] == 0) waiting.push_back(static_cast<Index>(s));
          is_waiting[s] = 1;
        }
      }
    }
  }

  /// Half of what the cover has, as it covers the surface twice.
  SurfaceLaplacian laplacian(std::size_t vertices) const {
    SurfaceLaplacian result;
    result.mass.assign(vertices, 0.0);
    for (std::size_t t = 0; t < corner_.size(); ++t) {
      const double third = area_of(length_[t]) / 6;
      for (const Index v : corner_[t]) result.mass[v] += third;
      for (std::size_t i = 0; i < 3; ++i) {
        const Index a = corner_[t][i], b = corner_[t][next_side(i)];
        if (a != b) result.conductance.push_back({std::min(a, b), std::max(a, b), 0.25 * cotangent(3 * t + i)});
      }
    }
    merge(result.conductance);
    return result;
  }

 private:
  void mollify() {
    double mean = 0;
    for (const auto& l : length_) mean += (l[0] + l[1] + l[2]) / static_cast<double>(3 * length_.size());
    double lengthen = 0;
    for (const auto& l : length_) {
      for (std::size_t i = 0; i < 3; ++i) {
        lengthen = std::max(lengthen, kMollify * mean + l[i] - l[(i + 1) % 3] - l[(i + 2) % 3]);
      }
    }
    for (auto& l : length_) {
      for (double& x : l) x += lengthen;
    }
  }

  /// Around an edge, the side that runs up it of one triangle goes with the side that runs down it of the next one.
  void glue(std::size_t n) {
    struct Sided {
      Index low, high;
      std::size_t up, down;
    };
    std::vector<Sided> sides;
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        const Index a = corner_[t][i], b = corner_[t][next_side(i)];
        const std::size_t front = 3 * t + i, back = 3 * (n + t) + 2 - i;
        sides.push_back(a < b ? Sided{a, b, front, back} : Sided{b, a, back, front});
      }
    }
    std::stable_sort(sides.begin(), sides.end(),
                     [](const Sided& x, const Sided& y) { return x.low != y.low ? x.low < y.low : x.high < y.high; });
    for (std::size_t first = 0; first < sides.size();) {
      std::size_t end = first;
      while (end < sides.size() && sides[end].low == sides[first].low && sides[end].high == sides[first].high) ++end;
      for (std::size_t s = first; s < end; ++s) {
        const std::size_t next = s + 1 < end ? s + 1 : first;
        twin_[sides[s].up] = sides[next].down;
        twin_[sides[next].down] = sides[s].up;
      }
      first = end;
    }
  }

  /// Of the angle opposite to a side.
  double cotangent(std::size_t side) const {
    const auto& l = length_[side / 3];
    const std::size_t i = side % 3;
    const double a = l[i], b = l[next_side(i)], c = l[next_side(next_side(i))];
    const double area = area_of(l);
    return area > 0 ? (b * b + c * c - a * a) / (4 * area) : 0;
  }

  /// Turns the edge between two triangles, in their common plane. False where their lengths do not allow it.
  bool flip(std::size_t side) {
    const std::size_t other = twin_[side];
    const std::size_t s = side / 3, t = other / 3, i = side % 3, j = other % 3;
    const std::size_t bc = next_side(i), ca = next_side(bc), ad = next_side(j), db = next_side(ad);
    const Index a = corner_[s][i], b = corner_[s][bc], c = corner_[s][ca], d = corner_[t][db];
    const double ab = length_[s][i];
    const double l_bc = length_[s][bc], l_ca = length_[s][ca], l_ad = length_[t][ad], l_db = length_[t][db];
    const double x = (l_ca * l_ca - l_bc * l_bc - l_ad * l_ad + l_db * l_db) / (2 * ab);
    const double y = 2 * (area_of(length_[s]) + area_of(length_[t])) / ab;
    const double cd = std::hypot(x, y);
    const std::array<double, 3> new_s = {l_ad, cd, l_ca}, new_t = {l_db, l_bc, cd};
    if (!(area_of(new_s) > 0 && area_of(new_t) > 0)) return false;

    const std::array<std::size_t, 4> old_place = {3 * t + ad, 3 * s + ca, 3 * t + db, 3 * s + bc};
    const std::array<std::size_t, 4> new_place = {3 * s, 3 * s + 2, 3 * t, 3 * t + 1};
    std::array<std::size_t, 4> partner = {};
    for (std::size_t k = 0; k < 4; ++k) {
      partner[k] = twin_[old_place[k]];
      const auto moved = std::find(old_place.begin(), old_place.end(), partner[k]);
      if (moved != old_place.end()) partner[k] = new_place[static_cast<std::size_t>(moved - old_place.begin())];
    }
    corner_[s] = {a, d, c};
    corner_[t] = {d, b, c};
    length_[s] = new_s;
    length_[t] = new_t;
    for (std::size_t k = 0; k < 4; ++k) {
      twin_[new_place[k]] = partner[k];
      twin_[partner[k]] = new_place[k];
    }
    twin_[3 * s + 1] = 3 * t + 2;
    twin_[3 * t + 2] = 3 * s + 1;
    return true;
  }

  static void merge(std::vector<SurfaceLaplacian::Conductance>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& x, const auto& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (kept > 0 && list[kept - 1].a == list[k].a && list[kept - 1].b == list[k].b) {
        list[kept - 1].value += list[k].value;
      } else {
        list[kept++] = list[k];
      }
    }
    list.resize(kept);
    for (auto& c : list) c.value = std::max(c.value, 0.0);
  }

  std::vector<std::array<Index, 3>> corner_;
  std::vector<std::array<double, 3>> length_;
  std::vector<std::size_t> twin_;
};

}  // namespace

SurfaceLaplacian tufted_laplacian(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles) {
  GluedTriangles glued(positions, triangles);
  glued.make_delaunay();
  return glued.laplacian(positions.size());
}

}  // namespace isochor
