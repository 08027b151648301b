#include "isochor/bind/resolution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "base/bits.h"
#include "bind/bone_graph.h"
#include "isochor/base/parallel.h"
#include "isochor/base/words.h"
#include "isochor/voxel/grid.h"
#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

/// About how many points of the surface are asked.
constexpr std::size_t kSamples = 6000;
/// Voxels that a gap must hold so that one is left free between the two boundaries, in any direction.
constexpr double kVoxelsInGap = 2.5;
/// Voxels from skin to bone, for all but this share of the surface.
constexpr double kVoxelsInLimb = 2.4;
constexpr double kThinShare = 0.05;
/// A gap counts where the way around it, along the skin and along the bones, is longer than this many times the
/// distance from skin to bone.
constexpr double kWayAround = 3;

using Triangle = std::array<Index, 3>;

struct SurfacePoint {
  Vec3 position;
  Vec3 normal;   ///< unit, outward
  Index vertex;  ///< a vertex at or near it
};

/// Points by a hash of their place, so that their choice does not depend on the order of vertices; in single precision,
/// as some files have no other.
std::uint64_t hash_of(const Vec3& p) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull;
  for (int a = 0; a < 3; ++a) {
    h = (std::rotl(h, 23) ^ bits_as<std::uint32_t>(static_cast<float>(p[a]) + 0.0f)) * 0xC2B2AE3D27D4EB4Full;
    h ^= h >> 31;
  }
  return h;
}

/// The last bones of a skeleton as the points where they begin. Few formats say where such a bone ends, and the same
/// shape must not ask for other voxels because its file does.
std::vector<Handle> without_last_ends(std::span<const Handle> handles) {
  std::vector<Handle> out(handles.begin(), handles.end());
  const auto begins_at = [&](const Vec3& p) {
    return std::any_of(handles.begin(), handles.end(), [&](const Handle& handle) {
      return !handle.shapes.empty() && (handle.shapes[0].a - p).norm() <= 1e-9 * p.norm();
    });
  };
  for (Handle& handle : out) {
    if (handle.shapes.size() != 1 || handle.shapes[0].kind != HandleShape::Kind::segment) continue;
    if (!begins_at(handle.shapes[0].b)) handle.shapes[0] = HandleShape::point(handle.shapes[0].a);
  }
  return out;
}

class GapSearch {
 public:
  GapSearch(const Surface& surface, std::span<const Handle> handles)
      : positions_(surface.positions),
        triangles_(triangulate(surface).triangles),
        grid_(fit_grid(bounding_box(surface.positions), ResolutionChoice::kCoarsest)),
        handles_(without_last_ends(handles)),
        bones_(handles_, 1e-3 * grid_.voxel) {
    reach_ = kVoxelsInGap * grid_.voxel;
    orient();
    find_samples();
    fill_bins();
    find_neighbours();
  }

  struct Gap {
    double width;
    std::size_t sample;
    Index triangle;
  };

  std::size_t sample_count() const { return samples_.size(); }

  /// All gaps that lie between bones which do not touch, narrowest first.
  std::vector<Gap> gaps(const Context& context) const {
    std::vector<Gap> seen(samples_.size(), {std::numeric_limits<double>::infinity(), 0, kNone});
    parallel_for(context, samples_.size(), 64, [&](Range range) {
      for (std::size_t s = range.begin; s < range.end; ++s) seen[s] = look_out(s);
    });
    std::erase_if(seen, [](const Gap& gap) { return gap.triangle == kNone; });
    std::sort(seen.begin(), seen.end(), [&](const Gap& a, const Gap& b) {
      if (a.width != b.width) return a.width < b.width;
      return hash_of(samples_[a.sample].position) < hash_of(samples_[b.sample].position);
    });
    return seen;
  }

  /// Whether the way along the surface from one side to the other is long.
  bool long_way_around(const Gap& gap) const {
    const SurfacePoint& from = samples_[gap.sample];
    const double limit = kWayAround * bones_.nearest(from.position).distance + gap.width;
    std::vector<std::pair<Index, double>> touched;
    using Item = std::pair<double, Index>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<double>& best = scratch_;
    best.resize(positions_.size(), std::numeric_limits<double>::infinity());
    const auto push = [&](Index v, double d) {
      if (d > limit || d >= best[v]) return;
      touched.emplace_back(v, d);
      best[v] = d;
      queue.emplace(d, v);
    };
    push(from.vertex, 0);
    bool met = false;
    while (!queue.empty() && !met) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > best[v]) continue;
      const Triangle& t = triangles_[gap.triangle];
      met = std::find(t.begin(), t.end(), v) != t.end();
      for (Index e = begin_[v]; e < begin_[v + 1]; ++e) {
        push(neighbour_[e], d + (positions_[neighbour_[e]] - positions_[v]).norm());
      }
    }
    for (const auto& [v, d] : touched) best[v] = std::numeric_limits<double>::infinity();
    return !met;
  }

  /// The distance to bone that all but the thinnest share of the samples pass.
  double thickness() const {
    std::vector<double> d;
    for (const SurfacePoint& s : samples_) d.push_back(bones_.nearest(s.position).distance);
    if (d.empty()) return 0;
    const auto place = d.begin() + static_cast<std::ptrdiff_t>(kThinShare * static_cast<double>(d.size()));
    std::nth_element(d.begin(), place, d.end());
    return *place;
  }

 private:
  Vec3 area_vector(const Triangle& t) const {
    return (positions_[t[1]] - positions_[t[0]]).cross(positions_[t[2]] - positions_[t[0]]);
  }

  /// Turns the triangles of components with negative volume over.
  void orient() {
    mesh::DisjointSets pieces(positions_.size());
    for (const Triangle& t : triangles_) {
      for (int i = 1; i < 3; ++i) pieces.join(t[0], t[i]);
    }
    std::vector<double> volume(positions_.size(), 0.0);
    for (const Triangle& t : triangles_) {
      volume[pieces.find(t[0])] += (positions_[t[0]] - grid_.origin).dot(area_vector(t));
    }
    for (Triangle& t : triangles_) {
      if (volume[pieces.find(t[0])] < 0) std::swap(t[1], t[2]);
    }
  }

  void find_samples() {
    std::vector<Vec3> normal(positions_.size(), Vec3::Zero());
    for (const Triangle& t : triangles_) {
      for (const Index v : t) normal[v] += area_vector(t);
    }
    const std::size_t candidates = positions_.size() + triangles_.size();
    const std::uint64_t every = candidates / kSamples + 1;
    const auto add = [&](const Vec3& p, const Vec3& n, Index v) {
      const double length = n.norm();
      if (length > 0 && hash_of(p) % every == 0) samples_.push_back({p, n / length, v});
    };
    for (std::size_t v = 0; v < positions_.size(); ++v) add(positions_[v], normal[v], static_cast<Index>(v));
    for (const Triangle& t : triangles_) {
      Triangle sorted = t;
      std::sort(sorted.begin(), sorted.end(), [&](Index a, Index b) {
        return std::lexicographical_compare(positions_[a].data(), positions_[a].data() + 3, positions_[b].data(),
                                            positions_[b].data() + 3);
      });
      add((positions_[sorted[0]] + positions_[sorted[1]] + positions_[sorted[2]]) / 3, area_vector(t), sorted[0]);
    }
  }

  template <class Body>
  void each_bin(const Box& box, const Body& body) const {
    const Voxel lo = grid_.at(box.min()), hi = grid_.at(box.max());
    const auto r = static_cast<std::size_t>(grid_.resolution);
    for (std::size_t z = lo[2]; z <= hi[2]; ++z) {
      for (std::size_t y = lo[1]; y <= hi[1]; ++y) {
        for (std::size_t x = lo[0]; x <= hi[0]; ++x) body((z * r + y) * r + x);
      }
    }
  }

  Box box_of(const Triangle& t) const {
    Box box(positions_[t[0]]);
    box.extend(positions_[t[1]]);
    box.extend(positions_[t[2]]);
    return box;
  }

  void fill_bins() {
    const auto r = static_cast<std::size_t>(grid_.resolution);
    bin_begin_.assign(r * r * r + 1, 0);
    for (const Triangle& t : triangles_) each_bin(box_of(t), [&](std::size_t b) { ++bin_begin_[b + 1]; });
    std::partial_sum(bin_begin_.begin(), bin_begin_.end(), bin_begin_.begin());
    bin_.resize(bin_begin_.back());
    std::vector<std::size_t> next(bin_begin_.begin(), bin_begin_.end() - 1);
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      each_bin(box_of(triangles_[t]), [&](std::size_t b) { bin_[next[b]++] = static_cast<Index>(t); });
    }
  }

  void find_neighbours() {
    begin_.assign(positions_.size() + 1, 0);
    for (const Triangle& t : triangles_) {
      for (const Index v : t) begin_[v + 1] += 2;
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    neighbour_.resize(static_cast<std::size_t>(begin_.back()));
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (const Triangle& t : triangles_) {
      for (int i = 0; i < 3; ++i) {
        neighbour_[next[t[i]]++] = t[(i + 1) % 3];
        neighbour_[next[t[i]]++] = t[(i + 2) % 3];
      }
    }
  }

  /// The first thing seen along the normal, where it faces back and belongs to another limb.
  Gap look_out(std::size_t s) const {
    const SurfacePoint& from = samples_[s];
    Gap gap{reach_, s, kNone};
    bool faces_back = false;
    Box way(from.position);
    way.extend(Vec3(from.position + reach_ * from.normal));
    each_bin(way, [&](std::size_t b) {
      for (std::size_t i = bin_begin_[b]; i < bin_begin_[b + 1]; ++i) {
        const Triangle& t = triangles_[bin_[i]];
        if (std::find(t.begin(), t.end(), from.vertex) != t.end()) continue;
        const double d = hit(from, t);
        if (!(d > 1e-6 * grid_.voxel && d < gap.width)) continue;
        gap.width = d;
        gap.triangle = bin_[i];
        faces_back = area_vector(t).dot(from.normal) < 0;
      }
    });
    if (gap.triangle != kNone &&
        (!faces_back || !bones_.apart(from.position, from.position + gap.width * from.normal, kWayAround))) {
      gap.triangle = kNone;
    }
    return gap;
  }

  /// Along the sample's normal; infinity where the triangle is missed (Möller and Trumbore).
  double hit(const SurfacePoint& from, const Triangle& t) const {
    const Vec3 e1 = positions_[t[1]] - positions_[t[0]], e2 = positions_[t[2]] - positions_[t[0]];
    const Vec3 h = from.normal.cross(e2);
    const double det = e1.dot(h);
    if (det == 0) return std::numeric_limits<double>::infinity();
    const Vec3 o = from.position - positions_[t[0]];
    const double u = o.dot(h) / det;
    const Vec3 q = o.cross(e1);
    const double v = from.normal.dot(q) / det;
    if (u < 0 || v < 0 || u + v > 1) return std::numeric_limits<double>::infinity();
    return e2.dot(q) / det;
  }

  std::span<const Vec3> positions_;
  std::vector<Triangle> triangles_;
  VoxelGrid grid_;
  std::vector<Handle> handles_;
  BoneGraph bones_;  // refers to handles_
  double reach_ = 0;
  std::vector<SurfacePoint> samples_;
  std::vector<std::size_t> bin_begin_;
  std::vector<Index> bin_;
  std::vector<Index> begin_, neighbour_;
  mutable std::vector<double> scratch_;
};

/// The width that a few gaps are narrower than; 0 where there are not so many. One alone may be a flaw of the mesh.
double narrowest_gap(const GapSearch& search, const Context& context) {
  constexpr std::size_t kAsked = 400;
  const std::size_t needed = std::max<std::size_t>(3, search.sample_count() / 200);
  std::size_t asked = 0, found = 0;
  for (const GapSearch::Gap& gap : search.gaps(context)) {
    if (++asked > kAsked) break;
    if (search.long_way_around(gap) && ++found == needed) return gap.width;
  }
  return 0;
}

Index finest_needed(double length, double voxels, double extent) {
  Index r = ResolutionChoice::kCoarsest;
  while (r < 2 * ResolutionChoice::kFinest && voxels * extent / (r - 4) > length) r *= 2;
  return r;
}

}  // namespace

ResolutionChoice choose_resolution(const Surface& surface, std::span<const Handle> handles, const Context& context) {
  ResolutionChoice choice;
  choice.resolution = ResolutionChoice::kCoarsest;
  const Box box = bounding_box(surface.positions);
  const double extent = box.isEmpty() ? 0 : box.sizes().maxCoeff();
  if (!(extent > 0) || surface.face_count() == 0 || handles.empty()) {
    choice.reason = "the mesh has no extent, so the coarsest voxels do";
    return choice;
  }
  const GapSearch search(surface, handles);
  choice.gap = narrowest_gap(search, context);
  choice.thickness = search.thickness();
  const Index for_gap = choice.gap > 0 ? finest_needed(choice.gap, kVoxelsInGap, extent) : choice.resolution;
  // Thin limbs alone never ask for more than 256: beyond that nothing is gained, and flat cloth would always ask.
  const Index for_limbs = std::min<Index>(256, finest_needed(choice.thickness, kVoxelsInLimb, extent));
  choice.resolution = std::min(std::max(for_gap, for_limbs), ResolutionChoice::kFinest);
  choice.too_fine = for_gap > ResolutionChoice::kFinest;
  const std::string r = std::to_string(choice.resolution);
  if (choice.too_fine) {
    choice.reason = "limbs come as near as " + percent(choice.gap / extent) + " of the mesh's size, which even " + r +
                    " voxels do not keep apart";
  } else if (for_gap >= for_limbs && choice.gap > 0) {
    choice.reason = "limbs come as near as " + percent(choice.gap / extent) + " of the mesh's size, and " + r +
                    " voxels keep them apart";
  } else if (for_limbs > ResolutionChoice::kCoarsest) {
    choice.reason = "thin limbs have their bone " + percent(choice.thickness / extent) +
                    " of the mesh's size below the skin, and take " + r + " voxels";
  } else {
    choice.reason = "no limbs come near each other, so the coarsest voxels do";
  }
  return choice;
}

}  // namespace isochor
