#include "isochor/mesh/weld.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/bits.h"
#include "isochor/base/error.h"

namespace isochor {
namespace {

struct Cell {
  std::int64_t x, y, z;
  bool operator==(const Cell&) const = default;
};

struct CellHash {
  std::size_t operator()(const Cell& c) const {
    auto h = static_cast<std::uint64_t>(c.x) * 0x9E3779B97F4A7C15ull;
    h = (std::rotl(h, 31) ^ static_cast<std::uint64_t>(c.y)) * 0xC2B2AE3D27D4EB4Full;
    h = (std::rotl(h, 31) ^ static_cast<std::uint64_t>(c.z)) * 0x165667B19E3779F9ull;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
};

/// Positions by their bits; adding zero turns -0 into +0, which is the same place.
Cell bits_of(const Vec3& p) {
  return {bits_as<std::int64_t>(p.x() + 0.0), bits_as<std::int64_t>(p.y() + 0.0), bits_as<std::int64_t>(p.z() + 0.0)};
}

/// For each vertex the lowest vertex at the same place.
std::vector<Index> join_equal(std::span<const Vec3> positions) {
  std::unordered_map<Cell, Index, CellHash> seen;
  seen.reserve(positions.size());
  std::vector<Index> leader(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    leader[v] = seen.try_emplace(bits_of(positions[v]), static_cast<Index>(v)).first->second;
  }
  return leader;
}

/// Joins leaders within `radius`, in index order: a leader goes to the lowest earlier leader that is near enough.
void join_near(std::span<const Vec3> positions, double radius, std::vector<Index>& leader) {
  const Box box = bounding_box(positions);
  const auto cell_of = [&](const Vec3& p) {
    const Vec3 q = (p - box.min()) / radius;
    return Cell{static_cast<std::int64_t>(std::floor(q.x())), static_cast<std::int64_t>(std::floor(q.y())),
                static_cast<std::int64_t>(std::floor(q.z()))};
  };
  std::unordered_map<Cell, std::vector<Index>, CellHash> grid;
  grid.reserve(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (leader[v] != static_cast<Index>(v)) continue;
    const Cell c = cell_of(positions[v]);
    Index best = kNone;
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          const auto it = grid.find({c.x + dx, c.y + dy, c.z + dz});
          if (it == grid.end()) continue;
          for (const Index u : it->second) {
            if ((positions[u] - positions[v]).norm() <= radius && (best == kNone || u < best)) best = u;
          }
        }
      }
    }
    if (best == kNone) {
      grid[c].push_back(static_cast<Index>(v));
    } else {
      leader[v] = best;
    }
  }
  for (Index& l : leader) l = leader[l];  // equal positions follow their leader
}

void copy_faces(const Surface& source, Weld& result) {
  std::vector<Index> corners;
  for (std::size_t f = 0; f < source.face_count(); ++f) {
    corners.clear();
    for (const Index v : source.face(f)) {
      const Index w = result.vertex[v];
      if (corners.empty() || corners.back() != w) corners.push_back(w);
    }
    while (corners.size() > 1 && corners.back() == corners.front()) corners.pop_back();
    std::vector<Index> distinct = corners;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() < 3) {
      result.dropped_faces.push_back(static_cast<Index>(f));
    } else {
      result.surface.add_face(corners);
      result.face_source.push_back(static_cast<Index>(f));
    }
  }
}

}  // namespace

Weld weld(const Surface& surface, const WeldOptions& options) {
  check_ranges(options);
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    const Vec3& p = surface.positions[v];
    const auto near = [](double x) { return std::abs(x) <= kLargestPosition; };
    if (near(p.x()) && near(p.y()) && near(p.z())) continue;
    throw_bad_input("vertex " + std::to_string(v) + " lies too far away to compute with", static_cast<Index>(v));
  }
  std::vector<Index> leader = join_equal(surface.positions);
  if (options.tolerance > 0 && !surface.positions.empty()) {
    const double radius = options.tolerance * bounding_box(surface.positions).diagonal().norm();
    if (radius > 0) join_near(surface.positions, radius, leader);
  }
  Weld result;
  result.vertex.resize(surface.vertex_count());
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    if (leader[v] == static_cast<Index>(v)) {
      result.vertex[v] = static_cast<Index>(result.first_source.size());
      result.first_source.push_back(static_cast<Index>(v));
      result.surface.positions.push_back(surface.positions[v]);
    } else {
      result.vertex[v] = result.vertex[leader[v]];
    }
  }
  copy_faces(surface, result);
  return result;
}

}  // namespace isochor
