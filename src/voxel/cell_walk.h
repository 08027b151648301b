#pragma once

/// Which cells of a grid a triangle touches: the thirteen separating axes of triangle and box, put as intervals. On
/// each coordinate plane the triangle's shadow meets a strip of cells in an interval; a column of cells is cut down
/// by two such intervals and by the triangle's plane (after Schwarz and Seidel 2010).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "voxel/lattice.h"

namespace isochor::voxel {

/// Cells by number, both ends included. Without initial values: arrays of it are made in inner loops.
struct CellRange {
  std::int32_t lo, hi;

  bool empty() const { return lo > hi; }
  CellRange operator&(const CellRange& other) const { return {std::max(lo, other.lo), std::min(hi, other.hi)}; }
};

/// The edge of a cell in lattice units, a power of two.
struct CellSize {
  double edge, inverse;

  explicit CellSize(int bits) : edge(std::ldexp(1.0, bits)), inverse(std::ldexp(1.0, -bits)) {}
};

/// Closed cells that touch [lo, hi]. Rounds by way of whole numbers, since plain x86-64 has no instruction for floor.
inline CellRange touched_cells(double lo, double hi, const CellSize& cell) {
  lo *= cell.inverse;
  hi *= cell.inverse;
  const auto a = static_cast<std::int32_t>(lo);
  const auto b = static_cast<std::int32_t>(hi);
  return {a < lo ? a : a - 1, b > hi ? b - 1 : b};
}

class CellWalk {
 public:
  using Corners = std::array<const LatticePoint*, 3>;
  static constexpr int kMaxCells = 128;  ///< of a clip range

  explicit CellWalk(const Corners& corners);

  /// Calls visit(cell, axis, range) for columns of touched cells along `axis`: cell holds the other two coordinates.
  /// Cells are those within `clip`, at most kMaxCells along each axis.
  template <class Visit>
  void visit(const CellSize& cell, const std::array<CellRange, 3>& clip, Visit&& visit) const;

 private:
  using Strips = std::array<CellRange, kMaxCells>;

  CellRange extent(int axis, const CellSize& cell) const { return touched_cells(low_[axis], high_[axis], cell); }
  /// For each strip of cells across `along`, the cells of `across` that the triangle's shadow touches in it.
  void cut_strips(int along, int across, const CellRange& strips, const CellSize& cell, Strips& out) const;

  std::array<std::array<double, 3>, 3> p_;  // corner, axis
  std::array<double, 3> low_, high_;
  std::array<double, 3> normal_;
  int main_ = 0;  // the axis of the normal's largest component
};

inline CellWalk::CellWalk(const Corners& corners) {
  for (int c = 0; c < 3; ++c) {
    for (int a = 0; a < 3; ++a) p_[c][a] = (*corners[c])[a];
  }
  for (int a = 0; a < 3; ++a) {
    low_[a] = std::min({p_[0][a], p_[1][a], p_[2][a]});
    high_[a] = std::max({p_[0][a], p_[1][a], p_[2][a]});
    const int u = (a + 1) % 3;
    const int v = (a + 2) % 3;
    normal_[a] = (p_[1][u] - p_[0][u]) * (p_[2][v] - p_[0][v]) - (p_[1][v] - p_[0][v]) * (p_[2][u] - p_[0][u]);
    if (std::abs(normal_[a]) > std::abs(normal_[main_])) main_ = a;
  }
}

inline void CellWalk::cut_strips(int along, int across, const CellRange& strips, const CellSize& cell,
                                 Strips& out) const {
  if (const CellRange whole = extent(across, cell); whole.lo == whole.hi) {
    std::fill_n(out.begin(), strips.hi - strips.lo + 1, whole);
    return;
  }
  for (std::int32_t k = strips.lo; k <= strips.hi; ++k) {
    const double from = k * cell.edge;
    const double to = from + cell.edge;
    double lo = high_[across];
    double hi = low_[across];
    for (int c = 0; c < 3; ++c) {
      const auto* a = &p_[c];
      const auto* b = &p_[(c + 1) % 3];
      if ((*b)[along] < (*a)[along]) std::swap(a, b);
      const double s0 = (*a)[along];
      const double s1 = (*b)[along];
      if (s0 > to || s1 < from) continue;
      const double t0 = (*a)[across];
      const double t1 = (*b)[across];
      // Exact where it is whole (kLatticeBits), so the rounding below never goes the wrong way.
      const double ta = s0 >= from ? t0 : t0 + (from - s0) * (t1 - t0) / (s1 - s0);
      const double tb = s1 <= to ? t1 : t0 + (to - s0) * (t1 - t0) / (s1 - s0);
      lo = std::min({lo, ta, tb});
      hi = std::max({hi, ta, tb});
    }
    out[k - strips.lo] = touched_cells(lo, hi, cell);
  }
}

template <class Visit>
void CellWalk::visit(const CellSize& cell, const std::array<CellRange, 3>& clip, Visit&& visit) const {
  std::array<CellRange, 3> box;
  int wide = 0;
  int widest = 0;
  for (int a = 0; a < 3; ++a) {
    const CellRange whole = extent(a, cell);
    if (whole.lo != whole.hi) {
      ++wide;
      widest = a;
    }
    box[a] = whole & clip[a];
    if (box[a].empty()) return;
  }
  std::array<std::int32_t, 3> at = {box[0].lo, box[1].lo, box[2].lo};
  if (wide <= 1) {  // one row of cells: a connected shape touches all of them
    visit(at, widest, box[widest]);
    return;
  }
  const int d = main_;
  const int u = (d + 1) % 3;
  const int v = (d + 2) % 3;
  Strips u_of_v;
  Strips d_of_v;
  Strips d_of_u;
  cut_strips(v, u, box[v], cell, u_of_v);
  cut_strips(v, d, box[v], cell, d_of_v);
  cut_strips(u, d, box[u], cell, d_of_u);

  // The plane's height over a cell: at its middle, give or take the slopes. The slack is far below a lattice unit and
  // far above the rounding here, so that a touch is never lost.
  constexpr double kSlack = 1e-4;
  const bool has_plane = normal_[d] != 0;
  const double slope_u = has_plane ? -normal_[u] / normal_[d] : 0;
  const double slope_v = has_plane ? -normal_[v] / normal_[d] : 0;
  const double reach = 0.5 * cell.edge * (std::abs(slope_u) + std::abs(slope_v)) + kSlack;
  for (at[v] = box[v].lo; at[v] <= box[v].hi; ++at[v]) {
    const CellRange row = u_of_v[at[v] - box[v].lo] & box[u];
    const CellRange deep = d_of_v[at[v] - box[v].lo] & box[d];
    const double base = p_[0][d] + slope_v * ((at[v] + 0.5) * cell.edge - p_[0][v]);
    for (at[u] = row.lo; at[u] <= row.hi; ++at[u]) {
      CellRange range = deep & d_of_u[at[u] - box[u].lo];
      if (has_plane) {
        const double height = base + slope_u * ((at[u] + 0.5) * cell.edge - p_[0][u]);
        range = range & touched_cells(height - reach, height + reach, cell);
      }
      if (!range.empty()) visit(at, d, range);
    }
  }
}

}  // namespace isochor::voxel
