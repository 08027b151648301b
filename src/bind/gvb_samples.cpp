#include "bind/gvb_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "isochor/base/parallel.h"
#include "isochor/mesh/nearest_points.h"
#include "mesh/outward.h"

namespace isochor {
namespace {

/// Path and straight line (see bound_by_line): a lattice path over 26 neighbours is on average 1.06 times as long as
/// the straight line, and longer by its two ends, which lie anywhere in their voxels.
constexpr double kLatticeExcess = 1.06;
constexpr double kLatticeEnds = 1;
/// How far, in voxels, a vertex sees the cells around it: far enough that most see a cell inside, whose distance is
/// free of the penalty.
constexpr double kSight = 2;
constexpr double kClearSight = 1.5;
constexpr std::size_t kWindow = 5;
/// eq. 9's d_tol, in voxels: no bone is nearer than this.
constexpr double kNearest = 0.1;

struct Candidate {
  Index handle;
  double distance;
};

/// Merges labels by handle, keeping the least distance of each.
class Candidates {
 public:
  void clear() { list_.clear(); }
  void add(std::span<const GeodesicLabel> labels, double extra) {
    if (std::isinf(extra)) return;
    for (std::size_t i = 0; i < labels.size() && labels[i].reached(); ++i) {
      add(labels[i].source(), labels[i].distance() + extra, i);
    }
  }
  std::vector<Candidate>& list() { return list_; }
  bool empty() const { return list_.empty(); }

 private:
  /// Cells that lie side by side mostly have the same labels in the same order: `place` is where to look first.
  void add(Index handle, double distance, std::size_t place) {
    if (place >= list_.size() || list_[place].handle != handle) {
      place = 0;
      while (place < list_.size() && list_[place].handle != handle) ++place;
    }
    if (place == list_.size()) {
      list_.push_back({handle, distance});
    } else {
      list_[place].distance = std::min(list_[place].distance, distance);
    }
  }
  std::vector<Candidate> list_;
};

class Sampler {
 public:
  explicit Sampler(const SampleTask& task) : task_(task), octree_(task.cells.octree), nearest_(task.cells.nearest) {}

  /// False where the position is in no cell.
  bool read(const Vec3& p, Candidates& out) {
    const Vec3 g = octree_.grid().to_grid(p);
    const Voxel v = octree_.grid().at(p);
    const Index here = octree_.find(v);
    if (here == kNone) return false;
    out.clear();
    if (task_.sampling == GvbSampling::containing) {
      add(here, g, out);  // eq. 7
    } else {
      add_around(v, g, out);
    }
    return !out.empty();
  }

  void read_cell(Index cell, const Vec3& p, Candidates& out) const {
    out.clear();
    add(cell, octree_.grid().to_grid(p), out);
  }

  /// The straight line is a bound from below for any path, and free of the lattice's steps: where a path is about as
  /// long as a straight one can be on the lattice, the line itself is the distance. Continuous in p.
  void bound_by_line(const Vec3& p, const Vec3& normal, Candidates& candidates) const {
    for (Candidate& c : candidates.list()) {
      const double line = distance(task_.handles[c.handle], p) / octree_.grid().voxel;
      c.distance = std::max(line, (c.distance - kLatticeEnds) / kLatticeExcess);
      if (task_.facing > 0)
        c.distance *= stretch(task_.handles[c.handle], p, normal, c.distance / std::max(line, kNearest));
    }
  }

  /// How much farther a bone counts that the skin faces away from: 1 where it lies straight below, twice as far where
  /// it lies to the side. Where the way to it is not straight, its direction says nothing.
  double stretch(const Handle& handle, const Vec3& p, const Vec3& normal, double detour) const {
    const Vec3 way = p - nearest_point(handle, p);
    const double straight = std::clamp(2 - detour, 0.0, 1.0);
    if (way.isZero(0) || normal.isZero(0)) return 1;
    return std::pow(facing(way, normal), -task_.facing * straight);
  }

 private:
  /// The way from a vertex to a cell's centre. It grows without bound towards the end of the vertex's sight, so that a
  /// cell which comes into sight, or goes, does not make distances jump.
  double way_to(double r) const {
    if (task_.sampling != GvbSampling::smooth) return r;
    if (r <= kClearSight) return r;
    const double t = (r - kClearSight) / (kSight - kClearSight);
    return t < 1 ? r / (1 - t * t) : std::numeric_limits<double>::infinity();
  }

  /// Large cells are seen as far as their nearest voxel is, and read at their centre.
  double way_to_large(Index cell, const Vec3& g) const {
    const Vec3 centre = octree_.centre(cell);
    const double half = 0.5 * (1u << octree_.cell(cell).level) - 0.5;
    const double near = ((centre - g).cwiseAbs() - Vec3::Constant(half)).cwiseMax(0.0).norm();
    return way_to(near) + (centre - g).norm() - near;
  }

  void add(Index cell, const Vec3& g, Candidates& out) const {
    out.add(nearest_.of(cell), (octree_.centre(cell) - g).norm());
  }

  /// The voxels in sight; without `smooth` the voxel and its 26 neighbours.
  struct Window {
    std::array<std::uint32_t, 3> lo, hi;
    std::array<std::array<std::uint32_t, kWindow>, 3> codes;  ///< of the coordinates along each axis, from `lo`
    std::array<std::array<double, kWindow>, 3> apart2;        ///< squares of the vertex's distances to centres
    std::array<std::array<std::array<Index, kWindow>, kWindow>, kWindow> cell;  ///< z, y, x from `lo`
  };

  void frame(const Voxel& v, const Vec3& g, Window& window) const {
    const double last = octree_.grid().resolution - 1;
    const bool smooth = task_.sampling == GvbSampling::smooth;
    for (int a = 0; a < 3; ++a) {
      const double low = smooth ? std::ceil(g[a] - 0.5 - kSight) : v[a] - 1.0;
      const double high = smooth ? std::floor(g[a] - 0.5 + kSight) : v[a] + 1.0;
      window.lo[a] = static_cast<std::uint32_t>(std::clamp(low, 0.0, last));
      window.hi[a] = static_cast<std::uint32_t>(std::clamp(high, 0.0, last));
      for (std::uint32_t x = window.lo[a]; x <= window.hi[a]; ++x) {
        Voxel along = {0, 0, 0};
        along[a] = x;
        window.codes[a][x - window.lo[a]] = morton_encode(along);
        window.apart2[a][x - window.lo[a]] = (x + 0.5 - g[a]) * (x + 0.5 - g[a]);
      }
    }
  }

  void add_around(const Voxel& v, const Vec3& g, Candidates& out) {
    Window window;
    frame(v, g, window);
    const double sight2 =
        task_.sampling == GvbSampling::smooth ? kSight * kSight : std::numeric_limits<double>::infinity();
    const std::uint32_t nx = window.hi[0] - window.lo[0], ny = window.hi[1] - window.lo[1],
                        nz = window.hi[2] - window.lo[2];
    for (std::uint32_t z = 0; z <= nz; ++z) {
      for (std::uint32_t y = 0; y <= ny; ++y) {
        const std::uint32_t code = window.codes[2][z] | window.codes[1][y];
        const double apart2 = window.apart2[2][z] + window.apart2[1][y];
        for (std::uint32_t x = 0; x <= nx; ++x) {
          window.cell[z][y][x] =
              apart2 + window.apart2[0][x] < sight2 ? octree_.find(code | window.codes[0][x]) : kNone;
        }
      }
    }
    large_.clear();
    for (std::uint32_t z = 0; z <= nz; ++z) {
      for (std::uint32_t y = 0; y <= ny; ++y) {
        for (std::uint32_t x = 0; x <= nx; ++x) {
          const Index cell = window.cell[z][y][x];
          if (cell == kNone || !joined(window, v, {x, y, z})) continue;
          if (octree_.cell(cell).level == 0) {
            const double apart2 = window.apart2[0][x] + window.apart2[1][y] + window.apart2[2][z];
            out.add(nearest_.of(cell), way_to(std::sqrt(apart2)));
          } else if (std::find(large_.begin(), large_.end(), cell) == large_.end()) {
            large_.push_back(cell);
            out.add(nearest_.of(cell), way_to_large(cell, g));
          }
        }
      }
    }
  }

  /// Paths go between neighbours: a voxel two steps away counts only with one between, so that no gap is crossed.
  static bool joined(const Window& window, const Voxel& v, const Voxel& at) {
    Voxel between = at;
    for (int a = 0; a < 3; ++a) {
      const std::uint32_t x = at[a] + window.lo[a];
      if (x > v[a] + 1) --between[a];
      if (x + 1 < v[a]) ++between[a];
    }
    return window.cell[between[2]][between[1]][between[0]] != kNone;
  }

  const SampleTask& task_;
  const Octree& octree_;
  const NearestSources& nearest_;
  std::vector<Index> large_;  ///< cells of more than one voxel that were read already
};

void store(std::vector<Candidate>& list, std::size_t v, VertexSlots& slots) {
  std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.handle < b.handle;
  });
  const std::size_t count = std::min(list.size(), slots.stride);
  for (std::size_t i = 0; i < count; ++i) {
    slots.handle[v * slots.stride + i] = list[i].handle;
    slots.distance[v * slots.stride + i] = static_cast<float>(std::max(list[i].distance, kNearest));
  }
}

}  // namespace

VertexSlots sample_slots(const SampleTask& task, std::span<const Vec3> positions, std::size_t& strays,
                         const Context& context) {
  VertexSlots slots;
  slots.stride = task.slots;
  slots.handle.assign(positions.size() * slots.stride, kNone);
  slots.distance.assign(positions.size() * slots.stride, 0.0f);
  std::vector<char> stray(positions.size(), 0);
  parallel_for(context, positions.size(), 512, [&](Range range) {
    Sampler sampler(task);
    Candidates candidates;
    for (std::size_t v = range.begin; v < range.end; ++v) {
      if (!sampler.read(positions[v], candidates)) {
        stray[v] = 1;
        continue;
      }
      if (task.sampling == GvbSampling::smooth) {
        sampler.bound_by_line(positions[v], task.normals.empty() ? Vec3::Zero() : task.normals[v], candidates);
      }
      store(candidates.list(), v, slots);
    }
  });
  strays = static_cast<std::size_t>(std::count(stray.begin(), stray.end(), 1));
  if (strays == 0) return slots;

  std::vector<Vec3> centres;
  for (std::size_t c = 0; c < task.cells.octree.size(); ++c) {
    centres.push_back(task.cells.octree.centre(static_cast<Index>(c)));
  }
  const NearestPoints cells(std::move(centres));
  const Sampler sampler(task);
  Candidates candidates;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (stray[v] == 0) continue;
    sampler.read_cell(cells.find(task.cells.octree.grid().to_grid(positions[v])), positions[v], candidates);
    store(candidates.list(), v, slots);
  }
  return slots;
}

}  // namespace isochor
