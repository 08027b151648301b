#include "voxel/columns.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/parallel.h"

namespace isochor::voxel {
namespace {

constexpr std::size_t kTrianglesAtOnce = 1024;
constexpr std::size_t kTilesAtOnce = 16;

/// A hit with its tile in the bits above.
constexpr int kTileShift = 38;
constexpr int kColumnShift = 32;

/// A triangle's shadow along an axis, corners ordered by v.
struct Shadow {
  std::array<double, 3> u, v;
};

/// Writes the hits of one triangle along one axis.
class Rasteriser {
 public:
  Rasteriser(const LatticeSurface& surface, std::vector<Hit>& out)
      : bits_(surface.voxel_bits),
        cell_(std::ldexp(1.0, bits_)),
        inverse_(std::ldexp(1.0, -bits_)),
        tiles_(static_cast<std::uint64_t>(surface.grid.resolution / 8)),
        out_(out) {}

  void add(const std::array<const LatticePoint*, 3>& p, int axis, int sign);

 private:
  double middle(std::int32_t i) const { return (i + 0.5) * cell_; }
  /// The first voxel whose middle is at or beyond x.
  std::int32_t first_at(double x) const {
    const double t = x * inverse_ - 0.5;
    const auto whole = static_cast<std::int32_t>(t);  // ceil; plain x86-64 has no instruction for it
    return whole < t ? whole + 1 : whole;
  }
  /// Where an edge, given from its lower end, crosses the line v: a function of the edge alone, so that both its
  /// triangles see the same.
  static double crossing(const Shadow& s, int from, int to, double v) {
    return s.u[from] + (v - s.v[from]) * (s.u[to] - s.u[from]) / (s.v[to] - s.v[from]);
  }

  int bits_;
  double cell_, inverse_;
  std::uint64_t tiles_;
  std::vector<Hit>& out_;
};

void Rasteriser::add(const std::array<const LatticePoint*, 3>& p, int axis, int sign) {
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  const auto at = [&](int c, int a) { return static_cast<double>((*p[c])[a]); };
  const double nd = (at(1, u) - at(0, u)) * (at(2, v) - at(0, v)) - (at(1, v) - at(0, v)) * (at(2, u) - at(0, u));
  if (nd == 0) return;
  std::array<int, 3> o = {0, 1, 2};
  if (at(o[1], v) < at(o[0], v)) std::swap(o[0], o[1]);
  if (at(o[2], v) < at(o[1], v)) std::swap(o[1], o[2]);
  if (at(o[1], v) < at(o[0], v)) std::swap(o[0], o[1]);
  const Shadow s = {{at(o[0], u), at(o[1], u), at(o[2], u)}, {at(o[0], v), at(o[1], v), at(o[2], v)}};
  const std::int32_t row_begin = first_at(s.v[0]);
  const std::int32_t row_end = first_at(s.v[2]);
  if (row_begin >= row_end) return;

  const double nu =
      (at(1, v) - at(0, v)) * (at(2, axis) - at(0, axis)) - (at(1, axis) - at(0, axis)) * (at(2, v) - at(0, v));
  const double nv =
      (at(1, axis) - at(0, axis)) * (at(2, u) - at(0, u)) - (at(1, u) - at(0, u)) * (at(2, axis) - at(0, axis));
  const double slope_u = -nu / nd;
  const double slope_v = -nv / nd;
  const double lowest = std::min({at(0, axis), at(1, axis), at(2, axis)});
  const double highest = std::max({at(0, axis), at(1, axis), at(2, axis)});
  const std::uint64_t side = (nd > 0) == (sign > 0) ? 1 : 0;

  for (std::int32_t j = row_begin; j < row_end; ++j) {
    const double line = middle(j);
    // Edges are closed at their lower end and open at the upper, so a corner on the line counts once.
    const double a = crossing(s, 0, 2, line);
    const double b = line < s.v[1] ? crossing(s, 0, 1, line) : crossing(s, 1, 2, line);
    const std::int32_t begin = first_at(std::min(a, b));
    const std::int32_t end = first_at(std::max(a, b));
    const double base = at(0, axis) + slope_v * (line - at(0, v));
    const std::uint64_t row_key = ((static_cast<std::uint64_t>(j >> 3) * tiles_) << kTileShift) |
                                  (static_cast<std::uint64_t>(j & 7) << (kColumnShift + 3));
    for (std::int32_t i = begin; i < end; ++i) {
      const double height = std::clamp(base + slope_u * (middle(i) - at(0, u)), lowest, highest);
      const auto whole = static_cast<std::uint64_t>(std::lrint(height));
      out_.push_back((row_key + (static_cast<std::uint64_t>(i >> 3) << kTileShift)) |
                     (static_cast<std::uint64_t>(i & 7) << kColumnShift) | (whole << 1) | side);
    }
  }
}

using Chunks = std::vector<std::array<std::vector<Hit>, 3>>;

Chunks rasterise(const LatticeSurface& surface, std::span<const int> axes, const Context& context) {
  const std::size_t n = surface.triangles.size();
  Chunks chunks((n + kTrianglesAtOnce - 1) / kTrianglesAtOnce);
  parallel_for(context, n, kTrianglesAtOnce, [&](Range range) {
    auto& out = chunks[range.begin / kTrianglesAtOnce];
    for (const int axis : axes) {
      Rasteriser rasteriser(surface, out[axis]);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const LatticeTriangle& t = surface.triangles[i];
        if (t.sign != 0)
          rasteriser.add({&surface.point(t, 0), &surface.point(t, 1), &surface.point(t, 2)}, axis, t.sign);
      }
    }
  });
  return chunks;
}

/// Hits of one axis gathered by tile; unsorted within.
void gather(const Chunks& chunks, std::size_t axis, std::vector<std::uint32_t>& begin, std::vector<Hit>& hits) {
  for (const auto& chunk : chunks) {
    for (const Hit hit : chunk[axis]) ++begin[(hit >> kTileShift) + 1];
  }
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  hits.resize(begin.back());
  std::vector<std::uint32_t> place(begin.begin(), begin.end() - 1);
  constexpr Hit kWithinTile = (Hit{1} << kTileShift) - 1;
  for (const auto& chunk : chunks) {
    for (const Hit hit : chunk[axis]) hits[place[hit >> kTileShift]++] = hit & kWithinTile;
  }
}

/// Sets bits [begin, end).
void set_bits(std::array<std::uint64_t, TileRows::kWords>& row, std::int32_t begin, std::int32_t end) {
  if (begin >= end) return;
  const std::int32_t first = begin >> 6;
  const std::int32_t last = (end - 1) >> 6;
  const std::uint64_t head = ~std::uint64_t{0} << (begin & 63);
  const std::uint64_t tail = ~std::uint64_t{0} >> (63 - ((end - 1) & 63));
  if (first == last) {
    row[first] |= head & tail;
    return;
  }
  row[first] |= head;
  for (std::int32_t w = first + 1; w < last; ++w) row[w] = ~std::uint64_t{0};
  row[last] |= tail;
}

bool shows_back(Hit hit) { return (hit & 1) != 0; }  // to a ray along +a

/// The first voxel of the column whose middle is at or above the hit.
std::int32_t voxel_of(Hit hit, int voxel_bits) {
  const auto height = static_cast<std::int64_t>((hit & 0xffffffff) >> 1);
  const std::int64_t half = std::int64_t{1} << (voxel_bits - 1);
  return static_cast<std::int32_t>((height + half - 1) >> voxel_bits);
}

}  // namespace

ColumnHits find_hits(const LatticeSurface& surface, std::span<const int> axes, const Context& context) {
  const Chunks chunks = rasterise(surface, axes, context);
  const auto tiles_along = static_cast<std::size_t>(surface.grid.resolution / 8);
  ColumnHits result;
  parallel_for(context, axes.size(), 1, [&](Range range) {
    const auto axis = static_cast<std::size_t>(axes[range.begin]);
    result.tile_begin[axis].assign(tiles_along * tiles_along + 1, 0);
    gather(chunks, axis, result.tile_begin[axis], result.hits[axis]);
  });
  for (const int axis : axes) {
    auto& hits = result.hits[axis];
    const auto& begin = result.tile_begin[axis];
    parallel_for(context, begin.size() - 1, kTilesAtOnce, [&](Range range) {
      for (std::size_t t = range.begin; t < range.end; ++t)
        std::sort(hits.data() + begin[t], hits.data() + begin[t + 1]);
    });
  }
  return result;
}

int count_along_x(const ColumnHits& hits, const LatticeSurface& surface, const Voxel& voxel) {
  const std::size_t tile = voxel[1] / 8 + static_cast<std::size_t>(surface.grid.resolution / 8) * (voxel[2] / 8);
  const Hit column = (voxel[1] & 7) | ((voxel[2] & 7) << 3);
  const Hit* const end = hits.hits[0].data() + hits.tile_begin[0][tile + 1];
  const Hit* hit = std::lower_bound(hits.hits[0].data() + hits.tile_begin[0][tile], end, column << kColumnShift);
  int count = 0;
  for (; hit != end && (*hit >> kColumnShift) == column; ++hit) {
    if (voxel_of(*hit, surface.voxel_bits) > static_cast<std::int32_t>(voxel[0])) break;
    count += shows_back(*hit) ? -1 : 1;
  }
  return count;
}

void judge_tile(std::span<const Hit> hits, const LatticeSurface& surface, RayRule rule, TileRows& rows) {
  const std::size_t words = (static_cast<std::size_t>(surface.grid.resolution) + 63) / 64;
  for (std::size_t c = 0; c < 64; ++c) {
    std::fill_n(rows.plus[c].begin(), words, 0);
    std::fill_n(rows.minus[c].begin(), words, 0);
  }
  for (std::size_t i = 0; i < hits.size();) {
    const std::size_t column = hits[i] >> kColumnShift;
    std::size_t end = i;
    int total = 0;
    for (; end < hits.size() && (hits[end] >> kColumnShift) == column; ++end) total += shows_back(hits[end]) ? 1 : -1;
    // Between two hits: `behind` counts the fronts less the backs passed so far, which a ray along -a sees from behind.
    int behind = 0;
    std::int32_t from = 0;
    for (std::size_t h = i; h <= end; ++h) {
      const std::int32_t to = h < end ? voxel_of(hits[h], surface.voxel_bits) : surface.grid.resolution;
      const bool plus = rule == RayRule::count ? behind + total > 0 : h < end && shows_back(hits[h]);
      const bool minus = rule == RayRule::count ? behind > 0 : h > i && !shows_back(hits[h - 1]);
      if (plus) set_bits(rows.plus[column], from, to);
      if (minus) set_bits(rows.minus[column], from, to);
      if (h < end) behind -= shows_back(hits[h]) ? 1 : -1;
      from = to;
    }
    i = end;
  }
}

}  // namespace isochor::voxel
