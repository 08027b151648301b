#include "voxel/lattice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "isochor/base/error.h"

namespace isochor::voxel {
namespace {

constexpr std::int32_t kCube = 1 << kLatticeBits;

/// Numbers distinct points in the order of their first appearance.
class PointTable {
 public:
  explicit PointTable(std::size_t expected)
      : slots_(std::bit_ceil(2 * expected + 2), kNone), mask_(slots_.size() - 1) {}

  Index number(const LatticePoint& p, std::vector<LatticePoint>& points) {
    std::size_t slot = hash(p) & mask_;
    while (slots_[slot] != kNone) {
      if (points[slots_[slot]] == p) return slots_[slot];
      slot = (slot + 1) & mask_;
    }
    slots_[slot] = static_cast<Index>(points.size());
    points.push_back(p);
    return slots_[slot];
  }

 private:
  static std::size_t hash(const LatticePoint& p) {
    std::uint64_t h = static_cast<std::uint32_t>(p[0]);
    h = (h ^ (static_cast<std::uint64_t>(static_cast<std::uint32_t>(p[1])) << 25)) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 31) ^ static_cast<std::uint32_t>(p[2])) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }

  std::vector<Index> slots_;
  std::size_t mask_;
};

LatticePoint snap(const Vec3& p, const VoxelGrid& grid, Index vertex) {
  const Vec3 g = grid.to_grid(p) * (static_cast<double>(kCube) / grid.resolution);
  LatticePoint result = {};
  for (int a = 0; a < 3; ++a) {
    const double rounded = std::nearbyint(g[a]);
    if (!(rounded >= 0 && rounded <= kCube)) {
      throw_bad_input("vertex " + std::to_string(vertex) + " lies outside the voxel grid; fit the grid to all vertices",
                      vertex);
    }
    result[a] = static_cast<std::int32_t>(rounded);
  }
  return result;
}

/// Triangles on the same three points become one: with the side that most of them have, two-sided where as many show
/// the other. The lowest face stands for all.
void merge_duplicates(LatticeSurface& s) {
  std::vector<std::uint32_t> begin(s.points.size() + 1, 0);
  for (const LatticeTriangle& t : s.triangles) ++begin[t.corner[0] + 1];
  for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
  std::vector<Index> by_corner(s.triangles.size());
  auto place = begin;
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    by_corner[place[s.triangles[t].corner[0]]++] = static_cast<Index>(t);
  }
  std::vector<char> gone(s.triangles.size(), 0);
  for (std::size_t v = 0; v + 1 < begin.size(); ++v) {
    for (std::uint32_t i = begin[v]; i < begin[v + 1]; ++i) {
      if (gone[by_corner[i]]) continue;
      LatticeTriangle& first = s.triangles[by_corner[i]];
      int sum = first.sign;
      bool both = false;
      for (std::uint32_t j = i + 1; j < begin[v + 1]; ++j) {
        const LatticeTriangle& other = s.triangles[by_corner[j]];
        if (other.corner[1] != first.corner[1] || other.corner[2] != first.corner[2]) continue;
        gone[by_corner[j]] = 1;
        sum += other.sign;
        both = both || other.sign != first.sign;
      }
      first.two_sided = both && sum == 0;
      if (both) first.sign = sum < 0 ? -1 : 1;
    }
  }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    if (!gone[t]) s.triangles[kept++] = s.triangles[t];
  }
  s.triangles.resize(kept);
}

}  // namespace

void order_corners(LatticeTriangle& t, const std::vector<LatticePoint>& points) {
  t.sign = 1;
  const auto put_in_order = [&](int a, int b) {
    if (points[t.corner[b]] < points[t.corner[a]]) {
      std::swap(t.corner[a], t.corner[b]);
      t.sign = -t.sign;
    }
  };
  put_in_order(0, 1);
  put_in_order(1, 2);
  put_in_order(0, 1);
}

LatticeSurface snap_to_lattice(const Surface& surface, const VoxelGrid& grid) {
  LatticeSurface s;
  s.grid = grid;
  s.voxel_bits = kLatticeBits - std::countr_zero(static_cast<std::uint32_t>(grid.resolution));

  PointTable table(surface.vertex_count());
  std::vector<Index> point(surface.vertex_count(), kNone);
  s.points.reserve(surface.vertex_count());
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    if (!surface.positions[v].allFinite()) continue;
    point[v] = table.number(snap(surface.positions[v], grid, static_cast<Index>(v)), s.points);
  }

  const Triangulation cut = triangulate(surface);
  std::vector<char> used(s.points.size(), 0);
  s.triangles.reserve(cut.triangles.size());
  for (std::size_t t = 0; t < cut.triangles.size(); ++t) {
    LatticeTriangle triangle;
    triangle.face = cut.face[t];
    bool finite = true;
    for (int c = 0; c < 3; ++c) {
      triangle.corner[c] = point[cut.triangles[t][c]];
      finite = finite && triangle.corner[c] != kNone;
    }
    if (!finite) {
      if (s.dropped_faces.empty() || s.dropped_faces.back() != triangle.face) s.dropped_faces.push_back(triangle.face);
      continue;
    }
    for (const Index c : triangle.corner) used[c] = 1;
    order_corners(triangle, s.points);
    s.triangles.push_back(triangle);
  }
  merge_duplicates(s);
  for (LatticeTriangle& t : s.triangles) {
    if (s.is_flat(t)) t.sign = 0;
  }
  for (std::size_t p = 0; p < s.points.size(); ++p) {
    const auto i = static_cast<Index>(p);
    if (!used[p]) s.triangles.push_back({.corner = {i, i, i}});
  }
  return s;
}

}  // namespace isochor::voxel
